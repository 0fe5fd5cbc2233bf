"""Colours, light and dark: distinct in lightness as well as in hue, for colour-blind people."""

from dataclasses import dataclass

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """The colours of everything that is drawn."""

    background: Colour
    panel: Colour
    text: Colour
    faint: Colour
    accent: Colour
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


LIGHT = Theme(
    background=(244, 245, 247),
    panel=(255, 255, 255),
    text=(28, 32, 38),
    faint=(118, 126, 138),
    accent=(0, 98, 165),
    hidden=(196, 204, 214),
    bevel_light=(226, 232, 239),
    bevel_dark=(150, 160, 173),
    opened=(251, 252, 253),
    grid=(221, 226, 232),
    numbers=(
        (0, 84, 166),
        (0, 122, 86),
        (200, 70, 0),
        (110, 44, 130),
        (140, 72, 0),
        (0, 116, 140),
        (30, 30, 30),
        (96, 96, 96),
    ),
    unlikely=(214, 226, 240),
    likely=(22, 34, 60),
    on_unlikely=(24, 34, 50),
    on_likely=(240, 244, 250),
    safe=(0, 134, 98),
    mine=(206, 84, 0),
    best=(222, 148, 0),
    exploded=(224, 102, 30),
    flag=(196, 60, 0),
    components=((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (150, 120, 0)),
)

DARK = Theme(
    background=(22, 25, 30),
    panel=(31, 35, 41),
    text=(230, 234, 240),
    faint=(146, 155, 168),
    accent=(96, 178, 240),
    hidden=(74, 84, 98),
    bevel_light=(98, 109, 125),
    bevel_dark=(48, 55, 65),
    opened=(34, 38, 45),
    grid=(48, 54, 63),
    numbers=(
        (112, 184, 255),
        (80, 205, 160),
        (255, 150, 90),
        (214, 160, 236),
        (240, 190, 90),
        (110, 214, 232),
        (236, 236, 236),
        (172, 172, 172),
    ),
    unlikely=(150, 172, 198),
    likely=(8, 11, 18),
    on_unlikely=(14, 20, 30),
    on_likely=(222, 230, 240),
    safe=(0, 158, 115),
    mine=(232, 108, 20),
    best=(250, 190, 40),
    exploded=(206, 84, 0),
    flag=(255, 138, 70),
    components=((86, 180, 233), (230, 124, 40), (0, 190, 140), (230, 150, 195), (240, 228, 66)),
)


def blend(first: Colour, second: Colour, share: float) -> Colour:
    """Blends two colours: share 0 is the first, share 1 the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue
