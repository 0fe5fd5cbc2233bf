"""Memory that a thread keeps from one call of compiled code to the next."""

import threading
from collections.abc import Callable
from typing import TypeVar

Memory = TypeVar("Memory")

_own = threading.local()


def thread_memory(make: Callable[..., Memory], *wanted: object) -> Memory:
    """Returns what `make(*wanted)` made last in this thread, or makes it if that was another."""
    name = make.__qualname__
    if getattr(_own, name, (None, None))[0] != wanted:
        setattr(_own, name, (wanted, make(*wanted)))
    return getattr(_own, name)[1]
