"""Makes the window's fonts from Debian's package `fonts-inter`: `python docs/fonts.py [FOLDER]`.

The letters of Latin, Greek and Cyrillic names and the signs that the window writes; digits all of
one width, so that numbers in columns and clocks stand still. The licence, `OFL.txt`, lies beside.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

SOURCE = Path("/usr/share/fonts/opentype/inter")
TARGET = Path(__file__).parents[1] / "viewer" / "fonts"
WEIGHTS = ("Regular", "Medium", "Bold")
RANGES = ((0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x400, 0x45F))
SIGNS = "–—‘’“”…‹›·×−⁰¹²³⁴⁵⁶⁷⁸⁹←→↑↓≈≤≥"


def tabular(font: TTFont) -> None:
    """Makes the figures of the feature `tnum` the usual ones: pygame asks for no features."""
    table = font["GSUB"].table
    swaps: dict[str, str] = {}
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for index in record.Feature.LookupListIndex:
                for lookup in table.LookupList.Lookup[index].SubTable:
                    swaps |= getattr(lookup, "ExtSubTable", lookup).mapping
    for cmap in font["cmap"].tables:
        for code in map(ord, "0123456789"):
            # Two tables may be one object, and already changed.
            cmap.cmap[code] = swaps.get(cmap.cmap[code], cmap.cmap[code])


def make(weight: str, source: Path) -> None:
    """Writes one weight."""
    font = TTFont(source / f"Inter-{weight}.otf")
    tabular(font)
    options = subset.Options(layout_features=["kern", "mark", "mkmk"], hinting=False)
    chosen = subset.Subsetter(options)
    letters = [code for first, last in RANGES for code in range(first, last + 1)]
    chosen.populate(unicodes=[*letters, *map(ord, SIGNS)])
    chosen.subset(font)
    font.save(TARGET / f"Inter-{weight}.otf")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    for each in WEIGHTS:
        make(each, folder)
