"""Several .evf replays in one file (.evfs, version 0)."""

from jaxsweep.formats import evf
from jaxsweep.formats.base import AbstractFormat, Content, FormatError
from jaxsweep.formats.byte_reader import ByteReader


class Evfs(AbstractFormat):
    """The sets of replays of Metasweeper."""

    title = "set of Metasweeper replays"

    def recognises(self, data: bytes) -> bool:
        """Looks for the name and the size of the first replay, and a replay after them."""
        if data[:1] != b"\0":
            return False
        reader = ByteReader(data, 3)
        try:
            reader.terminated("a name")
            size = reader.unsigned(4, "a size")
        except FormatError:
            return False
        return size > 0 and evf.Evf().recognises(data[reader.offset : reader.offset + size])

    def read(self, data: bytes) -> list[Content]:
        """Reads all replays; an error names the replay that it is in."""
        reader = ByteReader(data, 1)
        checksum = reader.unsigned(2, "the length of the checksums")
        games: list[Content] = []
        while not reader.is_at_end:
            reader.terminated("the name of a replay")
            start = reader.offset + 4
            replay = reader.take(reader.unsigned(4, "the size of a replay"), "a replay")
            reader.take(checksum, "a checksum")
            try:
                games.append(evf.read_game(replay))
            except FormatError as error:
                where = f"replay {len(games) + 1}, from byte {start}"
                raise FormatError(f"{where}: {error}") from None
        return games
