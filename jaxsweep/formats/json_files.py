"""What is our own as JSON: replays, compressed or not, and positions."""

from jaxsweep.formats.base import AbstractWritableFormat, Content, FormatError
from jaxsweep.formats.conversion import as_position, as_replay
from jaxsweep.formats.text import start_of, text_of
from jaxsweep.rules.notation import PositionError, from_json, to_json
from jaxsweep.single import replay
from jaxsweep.single.replay.format import FORMAT, ReplayError
from jaxsweep.single.replay.reading import MAX_BYTES


class ReplayJson(AbstractWritableFormat):
    """Replays of this program."""

    title = "jaxsweep replay"
    suffixes = (".json", ".json.gz")
    max_bytes = MAX_BYTES

    def recognises(self, data: bytes) -> bool:
        """Looks for the name of the format."""
        start = start_of(data)
        is_named = f'"{FORMAT}"' in start or '"format"' in start[:200]
        return start.startswith("{") and is_named

    def read(self, data: bytes) -> list[Content]:
        """Reads one replay."""
        try:
            return [replay.from_bytes(data)]
        except ReplayError as error:
            raise FormatError(str(error)) from None

    def write(self, content: Content) -> bytes:
        """Writes a replay, not compressed."""
        return replay.to_bytes(as_replay(content))


class PositionJson(AbstractWritableFormat):
    """Positions as JSON."""

    title = "position as JSON"
    suffixes = ()

    def recognises(self, data: bytes) -> bool:
        """Looks for a brace."""
        return start_of(data, 64).startswith("{")

    def read(self, data: bytes) -> list[Content]:
        """Reads one position."""
        try:
            return [from_json(text_of(data))]
        except PositionError as error:
            raise FormatError(str(error)) from None

    def write(self, content: Content) -> bytes:
        """Writes a position; of a game, what was seen at its end."""
        return (to_json(as_position(content)) + "\n").encode()
