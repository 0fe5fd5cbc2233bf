"""The text of the help screen."""

HELP = (
    (
        "Everywhere",
        (
            ("F2 F3 F4 F5", "replay, watch, play, analyse"),
            ("F6", "start screen"),
            ("N", "size, mode, difficulty, player, seed"),
            ("O  P", "odds by darkness, in percent"),
            ("M  E", "marks; outlines of components, tile sets"),
            ("T  B", "light or dark; panel or larger board"),
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
            ("Left Right", "a move back or on; with Shift, ten"),
            ("G", "to the next guess"),
            ("Home End", "the first, the last move"),
            ("Up Down", "faster, slower"),
            ("R", "while watching: another game"),
        ),
    ),
    (
        "Play",
        (
            ("left  right", "open, flag"),
            ("both, middle", "chord"),
            ("H", "hint: the best cell, and why"),
            ("A", "open all that is certain"),
            ("U  R", "undo, new game"),
        ),
    ),
    (
        "Analyse",
        (
            ("left  right", "the next number, or back; or the brush"),
            ("0 to 8  H  F", "set the cell: a number, hidden, flag"),
            ("arrows", "another cell"),
            ("+  −", "more mines, fewer"),
            ("Delete", "cover all cells"),
        ),
    ),
)
"""The keys and what they do, by mode."""
