"""What the kernels reach of what the machine can: bandwidth of passes and draws, and the cost of a
step against p and kappa.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from report import Asked, Rows, Tables

from fwcore import Problem, Walk, design
from fwcore.design import Products


def _best(call: Callable[[], Any], repeats: int = 7) -> float:
    call()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def copy_bandwidth() -> float:
    """GB/s of a large copy, bytes read plus bytes written, by one thread."""
    source = np.ones(40_000_000)
    target = np.empty_like(source)
    return 2 * source.nbytes / _best(lambda: np.copyto(target, source)) / 1e9


def _designs() -> dict[str, Any]:
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 200_000))
    sparse = scipy.sparse.random_array((16_000, 150_000), density=0.008, rng=random, format="csc")
    return {
        "dense float64, 200 x 200,000": design.standardized(design.from_matrix(X)),
        "dense float32, 200 x 200,000": design.standardized(design.from_matrix(X, np.float32)),
        "sparse float64, 16,000 x 150,000": design.from_matrix(sparse),
        "sparse float32, 16,000 x 150,000": design.from_matrix(sparse, np.float32),
        "products, 60 features to degree 4, 186 rows": design.standardized(
            Products.of(random.uniform(-1, 1, (186, 60)), 4)
        ),
    }


def passes() -> Rows:
    """A full pass by one and by two threads: time, bytes of the design per second, and
    multiply-adds per second.
    """
    rows, copied = [], copy_bandwidth()
    for name, held in _designs().items():
        m, p = held.shape
        v, out = np.random.default_rng(1).standard_normal(m), np.empty(p)
        size = sum(array.nbytes for array in (*held.stored, held.offset, held.scale, out))
        for threads in (1, 2):
            seconds = _best(
                lambda held=held, v=v, out=out, threads=threads: design.full_pass(
                    held, v, 0.0, out, threads
                )
            )
            speed = size / seconds / 1e9
            figures = {"ms": 1e3 * seconds, "GB/s": speed, "of copy bandwidth": speed / copied}
            rows.append(
                {
                    "design": name,
                    "threads": threads,
                    **figures,
                    "G multiply-adds/s": held.entries / seconds / 1e9,
                }
            )
    return rows


def step_time(p: int, kappa: int, draw: str = "subset") -> float:
    """Microseconds of a step of stochastic Frank-Wolfe on p sparse columns of 20 entries."""
    random = np.random.default_rng(0)
    rows = random.integers(0, 1000, (p, 20), dtype=np.int32)
    X = scipy.sparse.csc_array(
        (np.ones(20 * p), rows.ravel(), np.arange(0, 20 * p + 1, 20)), shape=(1000, p)
    )
    problem = Problem.from_arrays(X, random.standard_normal(1000))
    walk = Walk(
        problem,
        "sfw",
        [1.0],
        {"sampling": str(kappa), "draw": draw, "rule": "gap", "tol": 1e-14, "max_steps": 10**9},
    )
    solver, state = walk.solver, walk._state
    solver.set_point(problem, state, walk.options, 1.0, 0.0)
    steps = max(20, 2_000_000 // kappa)
    solver.advance(problem, state, steps)
    begun = time.perf_counter()
    solver.advance(problem, state, steps)
    return 1e6 * (time.perf_counter() - begun) / steps


def steps() -> Rows:
    """A step against p at fixed kappa, and against kappa at fixed p."""
    rows = []
    for draw in ("subset", "blocks"):
        for p in (10_000, 100_000, 1_000_000, 4_000_000):
            rows.append(
                {"draw": draw, "p": p, "kappa": 2000, "microseconds": step_time(p, 2000, draw)}
            )
        for kappa in (100, 1000, 10_000, 100_000):
            rows.append(
                {
                    "draw": draw,
                    "p": 1_000_000,
                    "kappa": kappa,
                    "microseconds": step_time(1_000_000, kappa, draw),
                }
            )
    return rows


def tables(_: Asked) -> Tables:
    yield f"Full passes; a copy runs at {copy_bandwidth():.1f} GB/s", passes()
    yield "Steps of stochastic Frank-Wolfe on columns of 20 entries", steps()
