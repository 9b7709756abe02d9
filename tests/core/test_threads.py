"""Work side by side: the same results in the same order, and errors that are not lost."""

import threading

import pytest
from threadpoolctl import threadpool_info

from sfumato.core.threads import on_threads, side_by_side


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads):
    with on_threads(threads):
        assert side_by_side([lambda i=i: i * i for i in range(20)]) == [i * i for i in range(20)]


def test_two_pieces_run_at_the_same_time():
    both = threading.Barrier(2, timeout=20)
    with on_threads(2):
        side_by_side([both.wait, both.wait])


def test_work_inside_of_work_stays_in_its_thread():
    def inner():
        return side_by_side([threading.get_ident, threading.get_ident])

    with on_threads(3):
        for outer in side_by_side([inner, inner, inner]):
            assert len(set(outer)) == 1


def test_without_leave_nothing_is_spread():
    assert set(side_by_side([threading.get_ident] * 3)) == {threading.get_ident()}
    with on_threads(2):
        pass
    assert set(side_by_side([threading.get_ident] * 3)) == {threading.get_ident()}


def test_an_error_is_raised():
    with on_threads(2), pytest.raises(ZeroDivisionError):
        side_by_side([lambda: 1, lambda: 1 // 0])


def test_matrix_products_start_no_threads_of_their_own():
    def blas():
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    before = blas()
    with on_threads(2):
        assert side_by_side([blas, blas]) == [{1}, {1}]
    assert blas() == before
