"""Work on all cores whose results come in order."""

from itertools import count
from threading import Event

import pytest

from jaxsweep.runtime import machine
from jaxsweep.runtime.in_order import map_in_order
from tests.waiting import PATIENCE


def test_results_come_in_the_order_of_the_items():
    second_began = Event()

    def work(number):
        if number == 0:  # Not done before another item is.
            assert second_began.wait(PATIENCE)
        if number == 1:
            second_began.set()
        return number * number

    if machine.cores() == 1:
        second_began.set()
    assert list(map_in_order(work, ())) == []
    assert list(map_in_order(work, range(200))) == [n * n for n in range(200)]


def test_an_error_comes_where_its_result_would():
    def work(number):
        return 10 // (3 - number)

    results = map_in_order(work, count())
    assert [next(results) for _ in range(3)] == [3, 5, 10]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_work_that_nobody_wants_any_more_is_not_waited_for():
    go, done = Event(), []

    def work(number):
        if number:
            go.wait(PATIENCE)
        done.append(number)
        return number

    results = map_in_order(work, count())
    assert next(results) == 0
    results.close()
    assert done == [0]
    go.set()
