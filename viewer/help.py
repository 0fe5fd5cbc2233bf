"""The text of the help screen."""

HELP = (
    (
        "Everywhere",
        (
            ("F2 F3 F4 F5", "replay, watch, play, analyse"),
            ("F6", "start screen"),
            ("N", "size, mode, player, seed …"),
            ("O  P", "odds by darkness, in percent"),
            ("M  E", "marks; outlines of groups"),
            ("T  B", "light or dark; with or without panel"),
            ("L", "this position in analyse mode"),
            ("Tab, Enter", "go through the buttons; press"),
            ("wheel, drag, Z", "zoom, move, and all in view"),
            ("Ctrl O  S", "open a file; save a replay"),
            ("Ctrl C  V", "copy; paste a position, a link"),
            ("Ctrl +  −", "larger, smaller letters"),
            ("F1  Esc  Ctrl Q", "these keys; close; quit"),
        ),
    ),
    (
        "Replay and watch",
        (
            ("Space", "run or pause"),
            ("Left Right", "a move back, on; Shift: ten"),
            ("G", "to the next guess"),
            ("Home End", "the first, the last move"),
            ("Up Down", "faster, slower"),
            ("R", "while watching: another game"),
        ),
    ),
    (
        "Play",
        (
            ("click, right click", "open, flag"),
            ("both, middle", "chord: open around a number"),
            ("H", "hint: the best cell, and why"),
            ("A", "open all that is certain"),
            ("U  R", "undo, new game"),
            ("V", "after the end: review the game"),
        ),
    ),
    (
        "Analyse",
        (
            ("click, right click", "next value, or the one before"),
            ("0 to 8  H  F", "number, hidden, flag"),
            ("arrows", "another cell"),
            ("+  −", "more mines, fewer"),
            ("Delete", "cover all cells"),
        ),
    ),
)
"""The keys and what they do, by mode."""
