"""What the games of a run depend on; nothing here needs JAX."""

from dataclasses import dataclass

from jaxsweep.rules.level import Level, Opening, Start

GAMES_PER_CORE = 4096
"""Games in progress on each core of a CPU by default."""

GAMES_PER_ACCELERATOR = 16_384
"""Games in progress on an accelerator by default, for each worker: guesses fill a bucket."""

SHARD = 10_000
"""Games per shard."""


@dataclass(frozen=True)
class RunSettings:
    """Everything that the games of a run depend on."""

    rows: int
    cols: int
    mines: int
    start: str
    first: tuple[int, int]
    strategy: str
    seed: int
    games: int
    shard: int = SHARD

    @classmethod
    def of(cls, opening: Opening, strategy: str, seed: int, games: int) -> "RunSettings":
        """Builds the settings of a run of an opening."""
        level = opening.level
        sizes = (level.rows, level.cols, level.mines)
        return cls(*sizes, opening.start.value, opening.first, strategy, seed, games)

    @property
    def opening(self) -> Opening:
        """The opening of all games."""
        return Opening(Level(self.rows, self.cols, self.mines), Start(self.start), self.first)

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.games // self.shard)

    def games_of(self, shard: int) -> range:
        """Returns the numbers of a shard's games."""
        return range(shard * self.shard, min((shard + 1) * self.shard, self.games))
