"""The tournament tree: always the first of the largest entries, whatever changes."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fwcore.kernels.tournament_tree import (
    FADE,
    age_of,
    argmax_abs,
    changed,
    new_tree,
    rebuild,
    renew,
)

NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1e-300, -1e300])


def the_first_of_the_largest(v):
    return int(np.abs(v).argmax())


@settings(deadline=None)
@given(st.integers(1, 70), st.lists(st.tuples(st.integers(0, 10**6), NUMBERS), max_size=60))
def test_follows_changes_one_at_a_time(p, changes):
    v, tree = np.zeros(p), new_tree(p)
    assert argmax_abs(tree, v) == 0
    for where, value in changes:
        j = where % p
        old, v[j] = v[j], value
        changed(tree, v, j, old)
        assert argmax_abs(tree, v) == the_first_of_the_largest(v)
    fresh = new_tree(p)
    rebuild(fresh, v)
    np.testing.assert_array_equal(tree, fresh)


@pytest.mark.parametrize("p", [1, 8, 9, 64, 65, 1000])
def test_changes_that_are_told_together(p):
    random = np.random.default_rng(p)
    v, tree = np.zeros(p), new_tree(p)
    for _ in range(200):
        some = np.unique(random.integers(0, p, 5))
        old = v[some].copy()
        v[some] = random.standard_normal(some.size) * random.integers(0, 2, some.size)
        for j, before in zip(some, old, strict=True):
            changed(tree, v, j, before)
        assert argmax_abs(tree, v) == the_first_of_the_largest(v)


@settings(deadline=None)
@given(
    st.integers(1, 70),
    st.lists(st.tuples(st.integers(0, 10**6), NUMBERS, st.booleans()), max_size=60),
)
@example(9, [(8, -1e300, False), *[(0, 0.0, True)] * 4])
def test_a_vector_that_fades(p, changes):
    """Against one that is multiplied as a whole, in longer numbers."""
    v, tree, age, whole = np.zeros(p), new_tree(p), 0.0, np.zeros(p, np.longdouble)
    for where, value, fades in changes:
        if fades:
            age += 1.0
            whole *= np.longdouble(FADE)
        j = where % p
        if age_of(tree, j) != age:
            renew(tree, v, j, age)
        old, v[j], whole[j] = v[j], value, value
        changed(tree, v, j, old)
        # What has faded to below the smallest float64 is nothing.
        best, largest = argmax_abs(tree, v), np.abs(whole).max()
        assert np.abs(whole[best]) == largest or largest < 1e-300
