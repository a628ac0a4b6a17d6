"""Projection on the l1 ball, against the sorting algorithm and the optimality conditions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from fwcore.kernels.projection import project_l1


def projected(v, radius):
    v, out = np.asarray(v, np.float64), np.empty(len(v))
    project_l1(v, float(radius), out)
    return out


def by_sorting(v, radius):
    """Held, Wolfe & Crowder 1974; distances from the largest value and exact sums, so that it is
    right for adversarial vectors.
    """
    v = np.asarray(v, np.float64)
    size = np.abs(v)
    if math.fsum(size) <= radius:
        return v.copy()
    below = np.sort(size.max() - size)
    depths = ((radius + math.fsum(below[:n])) / n for n in range(1, below.size + 1))
    depth = next(t for n, t in enumerate(depths, 1) if n == below.size or t <= below[n])
    return np.sign(v) * np.maximum(depth - (size.max() - size), 0.0)


ADVERSARIAL = [
    [1e17, 1.0, -1.0],
    [1e300, -1e300],
    [1e-300, 2e-300, -3e-300],
    [1.0] * 50,
    [1.0, -1.0] * 25,
    [0.0, 0.0, 5.0],
    [1.0 + 1e-15 * k for k in range(40)],
    [10.0**-k for k in range(30)],
    [10.0**k for k in range(15)],
    [-(2.0**-k) for k in range(60)],
    [0.0],
    [3.0],
    [5e-324, 1.0],
]


@pytest.mark.parametrize("radius", [1e-12, 0.3, 1.0, 2.5, 1e6])
@pytest.mark.parametrize("v", ADVERSARIAL, ids=[f"adversarial{k}" for k in range(len(ADVERSARIAL))])
def test_adversarial_vectors(v, radius):
    np.testing.assert_allclose(
        projected(v, radius), by_sorting(v, radius), rtol=1e-12, atol=1e-12 * radius
    )


def test_ten_thousand_random_vectors():
    random = np.random.default_rng(0)
    for _ in range(10_000):
        v = random.standard_normal(random.integers(1, 60)) * 10.0 ** random.uniform(-3, 3)
        if random.random() < 0.3:
            v = np.round(v, 1)
        radius = 10.0 ** random.uniform(-3, 3)
        ours = projected(v, radius)
        np.testing.assert_allclose(
            ours, by_sorting(v, radius), rtol=0, atol=1e-12 * max(radius, np.abs(v).max())
        )
        assert np.abs(ours).sum() <= radius * (1 + 1e-12)


@given(st.lists(st.floats(-10, 10, width=32), min_size=1, max_size=8), st.floats(0.125, 20))
@settings(max_examples=200, deadline=None)
def test_nothing_in_the_ball_is_nearer(v, radius):
    v, u = np.array(v), projected(v, radius)
    assert np.abs(u).sum() <= radius * (1 + 1e-12)
    # Variational inequality: (v - u)'(s - u) <= 0 at every vertex s, and so on the ball.
    gap = radius * np.abs(v - u).max() - (v - u) @ u
    assert gap <= 1e-9 * (1 + np.abs(v).max() ** 2)


def test_a_quadratic_programme_finds_the_same():
    random = np.random.default_rng(1)
    for _ in range(10):
        v = random.standard_normal(6)
        # In w >= 0 with u = w_+ - w_-, sum w <= 1.5.
        found = minimize(
            lambda w, v=v: 0.5 * np.sum((w[:6] - w[6:] - v) ** 2),
            np.full(12, 0.05),
            jac=lambda w, v=v: np.concatenate([w[:6] - w[6:] - v, -(w[:6] - w[6:] - v)]),
            bounds=[(0, None)] * 12,
            constraints={
                "type": "ineq",
                "fun": lambda w: 1.5 - w.sum(),
                "jac": lambda w: -np.ones(12),
            },
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        np.testing.assert_allclose(projected(v, 1.5), found.x[:6] - found.x[6:], atol=1e-6)
