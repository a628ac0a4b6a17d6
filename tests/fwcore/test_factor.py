"""Faces of many columns: the factor of their Gram matrix, and the products that it is made of."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from fwcore import Problem, walk_path
from fwcore.solvers.working_set._blocks import LONG
from fwcore.solvers.working_set._corrections import _aim, _join_at_aim, _signs_change, correct
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._factor import drop, extend_by_all, refactor, restore
from fwcore.solvers.working_set._gram import extend_gram, extend_gram_of_rows
from fwcore.solvers.working_set._single_face import SingleFace
from fwcore.solvers.working_set._triangle import AT_HAND, renew_halfway, solve

KINDS = np.float32, np.float64


def face_of(X, y, kind=np.float64):
    k = X.shape[1]
    face = Face.of(k) if kind is np.float64 else SingleFace.of(k, 1)
    face.gram[:k, :k], face.dots[:k], face.face["size"] = X.T @ X, X.T @ y, k
    face.sign[:k] = np.random.default_rng(k).choice([-1.0, 1.0], k)
    return face


def assert_factored(face, X):
    n = face.face["active"][0]
    active, unit = X[:, face.order[:n]], float(np.finfo(face.factor.dtype).eps)
    L = np.tril(face.factor[:n, :n]).astype(np.float64)
    np.testing.assert_allclose(L @ L.T, active.T @ active, atol=1e5 * unit)
    right = np.random.default_rng(0).standard_normal(n)
    found = right.copy()
    solve(face, found)
    np.testing.assert_allclose(found @ (L @ L.T), right, atol=1e-7)
    dots, sign = face.halfway[:2, :n] @ L.T
    for found, exact in (
        (dots, face.dots[face.order[:n]]),
        (sign, face.sign[face.order[:n]]),
        (face.halfway[2, :n], face.coef[face.order[:n]] @ L),
    ):
        # Rotations are rounded as L is.
        np.testing.assert_allclose(found, exact, atol=2e5 * unit)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 100), st.sampled_from(KINDS), st.data())
def test_columns_join_and_leave_a_face_many_at_a_time(seed, k, kind, data):
    random = np.random.default_rng(seed)
    X = random.standard_normal((150, k))
    face, places = (
        face_of(X, random.standard_normal(150), kind),
        st.sets(st.integers(0, k - 1), min_size=1),
    )
    order = random.permutation(k)
    face.coef[:k] = random.standard_normal(k)
    assert restore(face, order.copy()) == k
    assert (face.order[:k] == order).all()
    assert_factored(face, X)
    leaving = np.array(sorted(data.draw(places)))
    drop(face, leaving)
    assert face.order[: k - leaving.size].tolist() == np.delete(order, leaving).tolist()
    assert set(np.flatnonzero(face.sign[:k] == 0.0)) == set(order[leaving])
    assert_factored(face, X)
    back = order[leaving]
    face.sign[back] = -1.0
    assert extend_by_all(face, back) == leaving.size
    refactor(face)
    assert face.face["active"][0] == k
    assert_factored(face, X)


@pytest.mark.parametrize(
    "leaving", [range(150), range(149), range(1, 150), range(0, 150, 2), [149]]
)
@pytest.mark.parametrize("kind", KINDS)
def test_more_columns_leave_than_go_together(leaving, kind):
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 150))
    face = face_of(X, random.standard_normal(200), kind)
    face.coef[:] = random.standard_normal(150)
    restore(face, np.arange(150))
    drop(face, np.array(leaving))
    assert face.order[: 150 - len(leaving)].tolist() == np.delete(np.arange(150), leaving).tolist()
    assert_factored(face, X)


@pytest.mark.parametrize(
    "joining", [[20, 21], [20, 21, 22], [21, 20, 23, 30, 31, 22], range(20, 40)]
)
def test_columns_that_depend_on_others_stay_off_where_several_join(joining):
    """Rows of those that follow them move up."""
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 40))
    X[:, 20], X[:, 23] = X[:, :5] @ random.standard_normal(5), X[:, 7] - X[:, 21]
    face = face_of(X, random.standard_normal(60))
    face.coef[:20] = 1.0
    restore(face, np.arange(20))
    stay = [k for k in joining if k not in (20, 23)]
    assert extend_by_all(face, np.array(joining)) == len(stay)
    assert face.order[20 : 20 + len(stay)].tolist() == stay
    assert_factored(face, X)


def test_columns_that_depend_on_those_before_them_stay_off_a_face():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 40))
    X[:, 10], X[:, 35] = X[:, :10] @ random.standard_normal(10), X[:, 3]
    face = face_of(X, random.standard_normal(60))
    face.coef[:40] = 1.0
    assert restore(face, np.arange(40)) == 38
    assert face.order[:38].tolist() == [k for k in range(40) if k not in (10, 35)]
    for values in (face.coef[:40], face.sign[:40]):
        assert np.flatnonzero(values == 0.0).tolist() == [10, 35]
    assert_factored(face, X)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([0.0, 0.3]))
def test_columns_that_leave_together_leave_the_minimiser(seed, positive, ridge):
    """From a face that is far off, on which many change their signs at once."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((80, 8)) @ random.standard_normal((8, 50))
    X += 0.5 * random.standard_normal(X.shape)
    y = X @ (random.random(50) < 0.2) + random.standard_normal(80)
    lam = 0.05 * np.abs(X.T @ y).max()
    face = face_of(X, y)
    face.face["positive"], face.face["ridge"] = positive, ridge
    face.coef[:50] = random.random(50) * (1.0 if positive else random.choice([-1.0, 1.0], 50))
    face.sign[:50] = np.sign(face.coef[:50])
    restore(face, np.arange(50))
    correct(face, lam, False, 1e-12, 1000)
    a = face.coef[:50]
    slope = X.T @ (y - X @ a) - ridge * a
    on, scale = a != 0.0, np.abs(X.T @ y).max()
    assert face.face["drops"][0] > 5
    assert not positive or (a >= 0.0).all()
    np.testing.assert_allclose(slope[on], lam * np.sign(a[on]), atol=1e-9 * scale)
    assert (slope if positive else np.abs(slope))[~on].max(initial=0.0) <= lam + 1e-9 * scale


def large_face():
    """A face of more columns than stay at hand, at the minimiser for its level; X, y, level."""
    random = np.random.default_rng(0)
    X = random.standard_normal((1200, 1000))
    X[:, 1:] += 0.9 * X[:, :-1]
    y = X @ (random.standard_normal(1000) * (random.random(1000) < 0.6))
    y += 20.0 * random.standard_normal(1200)
    face, lam = face_of(X, y), 0.005 * np.abs(X.T @ y).max()
    face.sign[:] = 0.0
    correct(face, lam, False, 1e-9 * lam, 1000)
    assert face.face["active"][0] > AT_HAND
    return face, X, y, lam


def test_columns_join_a_large_face_before_others_leave_it():
    face, X, _, lam = large_face()
    n, coef = int(face.face["active"][0]), face.coef.copy()
    _aim(face, 0.5 * lam, False)
    assert _signs_change(face)
    changed = np.sign(face.work[0, :n]) != face.sign[face.order[:n]]
    assert changed.sum() > 1
    joined = _join_at_aim(face, 1e-9 * lam)
    assert joined > 1
    assert face.face["active"][0] == n + joined
    np.testing.assert_array_equal(face.coef, coef)
    assert face.face["steepest"][0] == np.inf
    assert_factored(face, X)


def test_the_minimiser_of_a_large_face_is_one():
    face, X, y, lam = large_face()
    for level in lam * np.geomspace(0.7, 0.1, 4):
        correct(face, level, False, 1e-9 * level, 1000)
        a = face.coef
        slope, on = X.T @ (y - X @ a), a != 0.0
        assert np.count_nonzero(on) == face.face["active"][0]
        np.testing.assert_allclose(slope[on], level * np.sign(a[on]), atol=1e-8 * lam)
        assert np.abs(slope[~on]).max() <= level * (1.0 + 1e-8)
    assert face.face["drops"][0] > 50
    assert_factored(face, X)


@njit
def multiplied(design, columns, joining, rows, gram):
    return extend_gram(design, columns, joining, rows, gram)


@pytest.mark.parametrize("rows", [30, LONG, LONG + 7])
@pytest.mark.parametrize("kind", ["dense", "not centred", "sparse"])
@pytest.mark.parametrize("joining", [1, 4, 23, 40])
def test_products_of_columns_are_the_same_one_by_one_and_in_tiles(kind, rows, joining):
    random = np.random.default_rng(0)
    X = 3.0 + random.standard_normal((rows, 60))
    X = scipy.sparse.csc_array(X * (random.random(X.shape) < 0.3)) if kind == "sparse" else X
    problem = Problem.from_arrays(X, random.standard_normal(rows), standardize=kind == "dense")
    seen = problem.design.matrix()
    columns, gram = random.permutation(60)[:40], np.zeros((45, 45))
    entries, at_hand = multiplied(problem.design, columns, joining, rows, gram)
    exact = seen[:, columns].T @ seen[:, columns]
    exact[: 40 - joining, : 40 - joining] = 0.0
    np.testing.assert_allclose(gram[:40, :40], exact, atol=1e-9)
    assert not gram[40:].any()
    assert 0 < entries <= rows * (40 * joining)
    assert (at_hand > 0) == (rows >= LONG and kind != "sparse")


def test_more_columns_join_than_are_multiplied_at_a_time():
    random = np.random.default_rng(0)
    X = random.standard_normal((LONG + 3, 330))
    problem = Problem.from_arrays(X, random.standard_normal(LONG + 3))
    gram, seen = np.zeros((330, 330)), problem.design.matrix()
    multiplied(problem.design, np.arange(330), 320, LONG + 3, gram)
    exact = seen.T @ seen
    exact[:10, :10] = 0.0
    np.testing.assert_allclose(gram, exact, atol=1e-9)


@pytest.mark.parametrize(("joining", "before"), [(0, 20), (7, 20), (40, 0), (600, 30)])
@pytest.mark.parametrize("kind", KINDS)
def test_products_of_rows_with_those_before_them(joining, before, kind):
    random, n = np.random.default_rng(0), before + joining
    rows = random.standard_normal((n + 16, 70)).astype(kind)
    gram = np.zeros((n + 2, n + 2), kind)
    extend_gram_of_rows(rows, n, joining, gram)
    exact = rows[:n].astype(np.float64) @ rows[:n].T
    exact[:before, :before] = 0.0
    np.testing.assert_allclose(gram[:n, :n], exact, atol=200 * np.finfo(kind).eps)
    assert not gram[n:].any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [AT_HAND - 5, AT_HAND + 1, AT_HAND + 90])
def test_a_factor_solves_the_same_row_by_row_and_four_at_a_time(n, kind):
    random = np.random.default_rng(0)
    X = random.standard_normal((n + 300, n))
    face = face_of(X, random.standard_normal(n + 300), kind)
    face.coef[:] = 1.0
    assert restore(face, np.arange(n)) == n
    L, right = np.tril(face.factor[:n, :n]).astype(np.float64), random.standard_normal(n)
    found = right.copy()
    solve(face, found)
    np.testing.assert_allclose(L @ (L.T @ found), right, atol=1e-10)
    face.dots[:] = random.standard_normal(n)
    renew_halfway(face)
    np.testing.assert_allclose(L @ face.halfway[0, :n], face.dots, atol=1e-10)


@pytest.mark.slow
def test_hundreds_of_columns_on_a_face_and_by_descent_are_the_same():
    random = np.random.default_rng(0)
    X = random.standard_normal((900, 700))
    X[:, 1:] += 0.7 * X[:, :-1]
    problem = Problem.from_arrays(X, X[:, ::7].sum(axis=1) + random.standard_normal(900))
    lam = np.geomspace(1.0, 1e-3, 15) * problem.lam_max
    paths = [
        walk_path(problem, "certified", lam, tol=1e-9, engine=engine)
        for engine in ("faces", "descent")
    ]
    faces, descent = (path.points["objective"] for path in paths)
    assert paths[0].points["nnz"][-1] > 500
    np.testing.assert_allclose(faces, descent, atol=1e-8 * problem.f0)
