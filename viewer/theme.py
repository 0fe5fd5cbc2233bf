"""Colours, light and dark: distinct in lightness as well as in hue, for colour-blind people."""

from dataclasses import dataclass, fields

Colour = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Theme:
    """The colours of everything; compared by identity, since pictures are cached by it."""

    background: Colour
    panel: Colour
    raised: Colour
    """Of buttons, and of what holds bars."""
    text: Colour
    faint: Colour
    accent: Colour
    on_accent: Colour
    warning: Colour
    veil: Colour
    """What lies over the window behind a dialog."""
    hidden: Colour
    bevel_light: Colour
    bevel_dark: Colour
    opened: Colour
    grid: Colour
    numbers: tuple[Colour, ...]
    """The colours of 1 to 8."""
    unlikely: Colour
    """A hidden cell that is hardly a mine; from here to `likely`, the darker the likelier."""
    likely: Colour
    on_unlikely: Colour
    on_likely: Colour
    safe: Colour
    mine: Colour
    best: Colour
    exploded: Colour
    flag: Colour
    components: tuple[Colour, ...]

    def colours(self) -> list[Colour]:
        """Returns all colours of the theme."""
        several = [*self.numbers, *self.components]
        rest = [getattr(self, each.name) for each in fields(self)]
        return [*several, *(colour for colour in rest if isinstance(colour[0], int))]


LIGHT = Theme(
    background=(246, 247, 249),
    panel=(255, 255, 255),
    raised=(236, 239, 244),
    text=(27, 32, 40),
    faint=(98, 107, 122),
    accent=(37, 99, 235),
    on_accent=(255, 255, 255),
    warning=(217, 147, 43),
    veil=(20, 24, 32),
    hidden=(189, 200, 216),
    bevel_light=(212, 221, 233),
    bevel_dark=(160, 173, 193),
    opened=(255, 255, 255),
    grid=(221, 226, 233),
    numbers=(
        (29, 91, 196),
        (20, 116, 74),
        (198, 54, 54),
        (104, 46, 150),
        (146, 70, 12),
        (8, 112, 132),
        (32, 36, 44),
        (92, 98, 110),
    ),
    unlikely=(212, 225, 242),
    likely=(66, 79, 106),
    on_unlikely=(27, 37, 54),
    on_likely=(244, 247, 252),
    safe=(47, 158, 110),
    mine=(217, 72, 72),
    best=(217, 147, 43),
    exploded=(217, 72, 72),
    flag=(217, 72, 72),
    components=((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (150, 120, 0)),
)

DARK = Theme(
    background=(20, 23, 28),
    panel=(28, 32, 39),
    raised=(42, 48, 58),
    text=(232, 236, 242),
    faint=(150, 159, 173),
    accent=(96, 165, 250),
    on_accent=(10, 20, 36),
    warning=(217, 147, 43),
    veil=(0, 0, 0),
    hidden=(78, 91, 112),
    bevel_light=(97, 112, 135),
    bevel_dark=(57, 67, 84),
    opened=(31, 36, 44),
    grid=(48, 55, 66),
    numbers=(
        (116, 174, 255),
        (92, 205, 155),
        (255, 136, 120),
        (206, 164, 255),
        (242, 186, 104),
        (98, 212, 226),
        (236, 240, 246),
        (170, 178, 190),
    ),
    unlikely=(150, 171, 200),
    likely=(13, 16, 22),
    on_unlikely=(16, 22, 32),
    on_likely=(222, 229, 240),
    safe=(58, 178, 126),
    mine=(232, 96, 92),
    best=(240, 176, 66),
    exploded=(202, 62, 62),
    flag=(255, 124, 112),
    components=((86, 180, 233), (230, 124, 40), (0, 190, 140), (230, 150, 195), (240, 228, 66)),
)


def blend(first: Colour, second: Colour, share: float) -> Colour:
    """Blends two colours: share 0 is the first, share 1 the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue
