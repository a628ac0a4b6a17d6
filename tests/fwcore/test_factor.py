"""Faces of many columns: the factor of their Gram matrix, and the products that it is made of."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from fwcore import Problem, walk_path
from fwcore.solvers.working_set._blocks import LONG
from fwcore.solvers.working_set._corrections import correct
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._factor import (
    AT_HAND,
    drop,
    extend_by_all,
    refactor,
    restore,
    solve,
)
from fwcore.solvers.working_set._gram import extend_gram


def face_of(X, y):
    k = X.shape[1]
    face = Face.of(k + 3)
    face.gram[:k, :k], face.dots[:k], face.face["size"] = X.T @ X, X.T @ y, k
    face.sign[:k] = np.random.default_rng(k).choice([-1.0, 1.0], k)
    return face


def assert_factored(face, X):
    n = face.face["active"][0]
    active = X[:, face.order[:n]]
    L = np.tril(face.factor[:n, :n])
    np.testing.assert_allclose(L @ L.T, active.T @ active, atol=1e-10)
    right = np.random.default_rng(0).standard_normal(n)
    found = right.copy()
    solve(face, found)
    np.testing.assert_allclose(found @ (active.T @ active), right, atol=1e-7)
    dots, sign = face.halfway[:2, :n] @ L.T
    np.testing.assert_allclose(dots, face.dots[face.order[:n]], atol=1e-8)
    np.testing.assert_allclose(sign, face.sign[face.order[:n]], atol=1e-8)
    np.testing.assert_allclose(face.halfway[2, :n], face.coef[face.order[:n]] @ L, atol=1e-8)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 100), st.data())
def test_columns_join_and_leave_a_face_many_at_a_time(seed, k, data):
    random = np.random.default_rng(seed)
    X = random.standard_normal((150, k))
    face, places = (
        face_of(X, random.standard_normal(150)),
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


def test_columns_join_a_large_face_before_others_leave_it():
    """Where the factor is dear to change, a step to a smaller lam changes it once for many."""
    random = np.random.default_rng(0)
    X = random.standard_normal((1200, 1000))
    X[:, 1:] += 0.9 * X[:, :-1]
    y = X @ (random.standard_normal(1000) * (random.random(1000) < 0.6))
    y += 20.0 * random.standard_normal(1200)
    face, top = face_of(X, y), np.abs(X.T @ y).max()
    face.sign[:] = 0.0
    for lam in top * np.geomspace(0.5, 1e-3, 8):
        correct(face, lam, False, 1e-9 * lam, 1000)
        active, a = face.face["active"][0], face.coef[:1000]
        slope, on = X.T @ (y - X @ a), a != 0.0
        assert np.count_nonzero(on) == active
        np.testing.assert_allclose(slope[on], lam * np.sign(a[on]), atol=1e-10 * top)
        assert np.abs(slope[~on]).max() <= lam * (1.0 + 1e-8)
    assert active > AT_HAND
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
