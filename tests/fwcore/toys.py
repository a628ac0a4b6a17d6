"""Small problems with known properties."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse

from fwcore import Problem, Walk

STORAGES = ("dense", "csc")


LOSSES_STORED = [
    ("squared", scipy.sparse.csc_array),
    ("logistic", np.asarray),
    *(
        pytest.param(*seldom, marks=pytest.mark.slow)
        for seldom in (
            ("squared", np.asarray),
            ("logistic", scipy.sparse.csc_array),
            ("huber", np.asarray),
            ("huber", scipy.sparse.csc_array),
        )
    ),
]
"""Parameters: losses, and what X is stored by. Kernels are compiled for each: a few are enough for
every day.
"""


def diagonal(*axes):
    """Parameters: each value of each axis at least once. Other combinations are slow, since kernels
    are compiled for each.
    """
    sizes = [len(axis) for axis in axes]
    at_once = {tuple(k % size for size in sizes) for k in range(max(sizes))}
    return [
        pytest.param(
            *(axis[k] for axis, k in zip(axes, places, strict=True)),
            marks=() if places in at_once else pytest.mark.slow,
        )
        for places in product(*map(range, sizes))
    ]


def first(cases, at_once=1):
    """Parameters, of which all but the first are slow."""
    return [
        pytest.param(*case, marks=() if k < at_once else pytest.mark.slow)
        for k, case in enumerate(cases)
    ]


def store(X, storage):
    return scipy.sparse.csc_array(X) if storage == "csc" else X


def arrays(kind="wide", seed=0):
    """Design and response of a named kind."""
    random = np.random.default_rng(seed)
    if kind == "easy":
        X = random.standard_normal((60, 12))
    elif kind == "wide":
        X = random.standard_normal((30, 90))
    elif kind == "correlated":
        base = random.standard_normal((40, 5))
        X = base[:, random.integers(0, 5, 50)] + 0.3 * random.standard_normal((40, 50))
    elif kind == "duplicates":
        X = np.repeat(random.standard_normal((25, 20)), 2, axis=1)
    elif kind == "sparse":
        X = random.standard_normal((50, 80)) * (random.random((50, 80)) < 0.15)
        X[0] += 0.1
    else:
        raise ValueError(kind)
    y = 3.0 * X[:, 0] - 2.0 * X[:, 3] + X[:, 5] + 0.3 * random.standard_normal(len(X)) + 1.0
    return X, y


KINDS = ("easy", "wide", "correlated", "duplicates", "sparse")


def problem(kind="wide", storage="dense", seed=0, **options):
    X, y = arrays(kind, seed)
    return Problem.from_arrays(store(X, storage), y, **options)


def standardized(X, y):
    """The solvers' view of X and y, by plain NumPy."""
    Z = X - X.mean(axis=0)
    norms = np.linalg.norm(Z, axis=0)
    Z = np.divide(Z, norms, out=np.zeros_like(Z), where=norms > 1e-12)
    return Z, (y - y.mean()) / np.sqrt(len(y))


def dense(p, indices, values):
    a = np.zeros(p)
    a[indices] = values
    return a


def each(walk: Walk, wanted=None):
    """The snapshots of a walk in chunks of ``wanted`` steps, one by one."""
    steps = walk.snapshots(wanted)
    snapshot = next(steps)
    while True:
        yield snapshot
        try:
            snapshot = steps.send(wanted)
        except StopIteration:
            return


def follow(walk: Walk, wanted=None):
    """Walk to the end in chunks of ``wanted`` steps; the snapshots."""
    return list(each(walk, wanted))
