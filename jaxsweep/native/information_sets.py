"""Sets of layouts in the end-game search: the memory they are kept in, and how they are separated.

An information set is a set of layouts, kept as its words that are not empty. Every set of two or
more layouts that is met gets a number, its place in the memo; a hash table finds it by its words. A
set is separated by one cell at a time, into a part for each number that the cell shows.

All memory is reserved beforehand. Where it does not suffice, the counter `FULL` says so, and the
search ends.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, Int64, UInt16, UInt64

from jaxsweep.native.bits import count_ones
from jaxsweep.native.compiler import compiled
from jaxsweep.native.layout_listing import (
    SETS,
    WORD,
    ZERO,
    ListingSpace,
    listing_pointers,
    listing_space,
    pointer,
    word_of_all,
)

WORDS, CELLS, SEEN, SLOTS, STAMP, FULL = range(6)
"""Counters: words of a set, cells, sets in the memo, slots of its table, the stamp of those in use,
and whether there is no more room."""

MAX_BOARD, MAX_LAYOUTS, MAX_SETS, MAX_WORDS, MAX_STACK, MAX_FRAME = range(6, 12)
"""Behind the counters: how much room there is."""

NEW, LOOSE_PARTS, SOLVED_PARTS, BOUNDED, SOLVED = range(5)
"""States of a set: no bound; separated by a safe cell, with the bounds, or the values, of some
parts; a bound; its value."""

FRAME = 11
"""Numbers that the search keeps of each set that it is at: see `endgame`."""

FIRST_SLOTS = 256
"""Slots of the memo's table at first: so few that small searches stay in the fastest cache."""

SETS_PER_LAYOUT, MIN_SETS = 512, 1 << 12
"""Sets in the memo for each layout, and at least."""

WORDS_PER_SET = 8
"""Words of a set in the memo that are not empty, on average."""

STAMPED = 26
"""In the table of the memo, the lowest bit of the stamp; the number of the set is below. So stamps
last for 2³⁷ searches, and memos have at most 2²⁶ sets."""

NUMBER = (1 << STAMPED) - 1

HALF, MIX = np.uint64(32), np.uint64(0x9E3779B97F4A7C15)


class SearchSpace(NamedTuple):
    """The memory of searches, one after the other, in one thread."""

    listing: ListingSpace
    counters: Int64[np.ndarray, " counters"]
    begin: Int64[np.ndarray, " memo"]
    """The first word of each set in the memo; its last is before the first of the next set."""
    hashes: UInt64[np.ndarray, " memo"]
    layouts: Int32[np.ndarray, " memo"]
    """The number of layouts in each set."""
    bounds: Int32[np.ndarray, " memo"]
    """Upper bounds on the number of layouts that can be won."""
    states: Int32[np.ndarray, " memo"]
    parents: Int32[np.ndarray, " memo"]
    """The set of which each is a part, while the bound of that is being found."""
    words: UInt64[np.ndarray, " words"]
    """The words of the sets in the memo that are not empty."""
    places: UInt16[np.ndarray, " words"]
    """The places of these words in their set."""
    table: Int64[np.ndarray, " slots"]
    """The hash table of the memo: a stamp above a set; slots with another stamp are empty."""
    stack: Int64[np.ndarray, " stack"]
    """First the cells that may be safe; then the lists of cells and of parts that are in use."""
    frames: Int64[np.ndarray, " frames"]


def search_space(max_layouts: int, max_cells: int = 480) -> SearchSpace:
    """Reserves memory for searches of at most so many layouts, on boards of so many cells."""
    words = -(-max_layouts // WORD)
    seen = min(max(MIN_SETS, SETS_PER_LAYOUT * max_layouts), NUMBER)
    kept = min(words, WORDS_PER_SET) * seen + SETS * words
    return SearchSpace(
        listing=listing_space(max_layouts, max_cells),
        counters=np.zeros(MAX_FRAME + 1, np.int64),
        begin=np.empty(seen + 1, np.int64),
        hashes=np.empty(seen, np.uint64),
        layouts=np.empty(seen, np.int32),
        bounds=np.empty(seen, np.int32),
        states=np.empty(seen, np.int32),
        parents=np.empty(seen, np.int32),
        words=np.empty(kept, np.uint64),
        places=np.empty(kept, np.uint16),
        table=np.zeros(1 << (2 * seen - 1).bit_length(), np.int64),
        stack=np.empty(64 * (max_cells + SETS), np.int64),
        frames=np.empty(FRAME * (max_cells + 1), np.int64),
    )


@compiled
@no_type_check
def search_pointers(space):
    """Returns pointers to the arrays; how long these are is kept with the counters."""
    counters, board = space.counters, space.listing.order.size
    counters[MAX_BOARD], counters[MAX_LAYOUTS] = board, space.listing.mined.size // board * WORD
    counters[MAX_SETS], counters[MAX_WORDS] = space.hashes.size, space.words.size
    counters[MAX_STACK], counters[MAX_FRAME] = space.stack.size, space.frames.size - FRAME
    return SearchSpace(
        listing_pointers(space.listing),
        pointer(counters),
        pointer(space.begin),
        pointer(space.hashes),
        pointer(space.layouts),
        pointer(space.bounds),
        pointer(space.states),
        pointer(space.parents),
        pointer(space.words),
        pointer(space.places),
        pointer(space.table),
        pointer(space.stack),
        pointer(space.frames),
    )


@compiled
@no_type_check
def start_memo(layouts, width, p):
    """Forgets all sets but that of all layouts, which has number 0 and `width` words."""
    counters = p.counters
    counters[WORDS], counters[SEEN], counters[FULL] = width, 0, 0
    counters[SLOTS], counters[STAMP] = FIRST_SLOTS, counters[STAMP] + 1
    for word in range(width):
        p.places[word], p.words[word] = word, word_of_all(word, layouts)
    p.begin[0] = 0
    number_of(width, layouts, ZERO, p)


@compiled
@no_type_check
def number_of(size, layouts, hashed, p):
    """Returns the number of a set in the memo; its words are behind those of the last set."""
    seen, slots, stamp = p.counters[SEEN], p.counters[SLOTS], p.counters[STAMP]
    new, slot = p.begin[seen], np.int64(hashed) & (slots - 1)
    while p.table[slot] >> STAMPED == stamp:
        number = p.table[slot] & NUMBER
        old = p.begin[number]
        if p.hashes[number] == hashed and p.begin[number + 1] - old == size:
            k = 0
            while (
                k < size
                and p.words[old + k] == p.words[new + k]
                and p.places[old + k] == p.places[new + k]
            ):
                k += 1
            if k == size:
                return number
        slot = (slot + 1) & (slots - 1)
    p.table[slot] = stamp << STAMPED | seen
    p.hashes[seen], p.layouts[seen], p.states[seen] = hashed, layouts, NEW
    p.begin[seen + 1] = new + size
    p.counters[SEEN] += 1
    if 2 * seen > slots:
        _grow(p.counters, p.hashes, p.table)
    return seen


@compiled
@no_type_check
def _grow(counters, hashes, table):
    """Doubles the slots in use of the memo's table."""
    counters[SLOTS] *= 2
    counters[STAMP] += 1
    slots, stamp = counters[SLOTS], counters[STAMP]
    for number in range(counters[SEEN]):
        slot = np.int64(hashes[number]) & (slots - 1)
        while table[slot] >> STAMPED == stamp:
            slot = (slot + 1) & (slots - 1)
        table[slot] = stamp << STAMPED | number


@compiled
@no_type_check
def separate(these, cell, safe, top, p):
    """Separates a set by the number that a cell shows, where it is safe in `safe` of the layouts.

    Puts the parts of two or more layouts on the stack, and returns its top and the number of parts
    of one layout.
    """
    counters, words, places = p.counters, p.words, p.places
    width, single = counters[WORDS], np.int64(0)
    if (
        counters[SEEN] + SETS > counters[MAX_SETS]
        or p.begin[counters[SEEN]] + SETS * width > counters[MAX_WORDS]
        or top + SETS + counters[CELLS] > counters[MAX_STACK]
    ):
        counters[FULL] = 1
        return top, single
    first, last = p.begin[these], p.begin[these + 1]
    start = cell * SETS * width
    while safe:
        start += width
        begin = end = p.begin[counters[SEEN]]
        layouts, hashed = np.int64(0), ZERO
        for k in range(first, last):
            part = words[k] & p.listing.sets[start + places[k]]
            if part != ZERO:
                words[end], places[end] = part, places[k]
                end += 1
                layouts += count_ones(part)
                hashed = (hashed ^ part ^ np.uint64(places[k])) * MIX
                hashed ^= hashed >> HALF
        safe -= layouts
        if layouts == 1:
            single += 1
        elif layouts:
            p.stack[top] = number_of(end - begin, layouts, hashed, p)
            top += 1
    return top, single


@compiled
@no_type_check
def layouts_in(start, first, last, p):
    """Counts the layouts of a set, which is in words first to last, that are in a cell's set."""
    found = np.int64(0)
    for k in range(first, last):
        found += count_ones(p.words[k] & p.listing.sets[start + p.places[k]])
    return found


@compiled
@no_type_check
def separates(start, safe, first, last, p):
    """Tells if a cell, whose sets begin at `start`, can show two numbers where it is safe.

    It does if the first number that is shown at all is not shown in all of these layouts.
    """
    showing = np.int64(0)
    while safe > 1 and not showing:
        start += p.counters[WORDS]
        showing = layouts_in(start, first, last, p)
    return safe > 1 and showing < safe
