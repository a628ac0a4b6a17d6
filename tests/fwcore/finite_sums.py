"""What the tests of Frank-Wolfe on sampled rows share."""

import numpy as np
import toys
from scipy.special import expit

from fwcore import Problem
from fwcore.kernels.random import new_stream, uniform_int
from fwcore.solvers.finite_sum._gradient import gradient_at

NAMES = ("sfw_rows", "sfw_mokhtari", "sfw_lu_freund")
LOSSES = ("squared", "logistic")


def small(loss="logistic", storage="dense", n=37, p=11, density=1.0, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p)) * (random.random((n, p)) < density)
    y = X[:, 0] - 2 * X[:, 3] + 0.3 * random.standard_normal(n)
    y = np.where(y > 0, 1.0, -1.0) if loss == "logistic" else y
    return Problem.from_arrays(toys.store(X, storage), y, loss=loss, standardize=False), X, y


def derivative(loss, u, y):
    return u - y if loss == "squared" else -y * expit(-y * u)


def batches(n, b, seed):
    """The batches that a run of this seed draws."""
    stream, order = new_stream(seed), np.arange(n)
    while True:
        for k in range(b if b < n else 0):
            other = k + uniform_int(stream, n - k)
            order[k], order[other] = order[other], order[k]
        yield order[:b].copy()


def gradient(state):
    """r, whatever its weight and ages."""
    it = state.iterate[0]
    return np.array([gradient_at(state.tree, state.slope, it, j) for j in range(state.slope.size)])
