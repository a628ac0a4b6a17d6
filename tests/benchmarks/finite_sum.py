"""Frank-Wolfe on sampled rows: the time of a step against p and n at 20 entries a row, and against
copt's.
"""

from __future__ import annotations

import importlib.util
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse
from report import Asked, Rows, Tables
from threadpoolctl import threadpool_limits

from fwcore import Problem, Walk, datasets, warmup
from fwcore.experiments import race
from fwcore.experiments.solver_spec import parse_specs

ENTRIES = 20
_NAMES = ("sfw_rows", "sfw_mokhtari", "sfw_lu_freund")
_FIGURE_1 = (
    ("breast-cancer-original", "logistic", 5.0, 200, 1.0),
    ("rcv1-sample", "logistic", 100.0, 100, 1.0),
    ("california-ratios", "squared", 0.1, 1000, 1e5),
)


def sparse_problem(n: int, p: int) -> tuple[Problem, Any, Any]:
    """n rows of 20 entries in random columns of p, classes by some of them."""
    random = np.random.default_rng(0)
    columns = random.integers(0, p, (n, ENTRIES)).ravel()
    X = scipy.sparse.csr_array(
        (random.standard_normal(n * ENTRIES), columns, np.arange(0, n * ENTRIES + 1, ENTRIES)),
        shape=(n, p),
    )
    X.sum_duplicates()
    y = np.where(
        X @ (random.standard_normal(p) * (np.arange(p) % 7 == 0)) + 0.1 * random.standard_normal(n)
        > 0,
        1.0,
        -1.0,
    )
    return Problem.from_arrays(X.tocsc(), y, loss="logistic", standardize=False), X, y


def step_time(problem: Problem, name: str, steps: int = 100_000) -> float:
    """Microseconds of a step of one sample."""
    walk = Walk(
        problem, name, [50.0], {"batch": "1", "rule": "moved", "tol": 1e-14, "max_steps": 10**9}
    )
    solver, state = walk.solver, walk._state
    warmup.ready(solver, problem.design, walk.options, problem.loss)
    solver.set_point(problem, state, walk.options, 50.0, 0.0)
    solver.advance(problem, state, steps)
    begun = time.process_time()
    solver.advance(problem, state, steps)
    return 1e6 * (time.process_time() - begun) / steps


def steps() -> Rows:
    """A step against p at n = 20,000, and against n at p = 100,000."""
    sizes = [(20_000, 10**k) for k in range(4, 8)] + [(10**k, 100_000) for k in range(3, 7)]
    rows = []
    for n, p in sizes:
        problem = sparse_problem(n, p)[0]
        rows.append(
            {"n": n, "p": p} | {f"{name} (us)": step_time(problem, name) for name in _NAMES}
        )
    return rows


def figure_1(seeds: int = 20) -> Rows:
    """Figure 1 of Negiar et al. (2020): batches of n / 100, medians of the seeds, at equal
    derivatives.
    """
    rows = []
    for name, loss, delta, passes, unit in _FIGURE_1:
        if not datasets.available(datasets.find(name)):
            continue
        read = datasets.read(name)
        problem = Problem.from_arrays(read.X, read.y / unit, loss=loss, standardize=False)
        least = race.certified_minimum(problem, "ball", delta)
        for solver in parse_specs(",".join(_NAMES)):
            budget = passes * problem.m
            curves = [
                race.race(problem, [solver], delta, grads=budget, seed=seed)[0]
                for seed in range(seeds)
            ]
            left = [
                (curve.at(budget, "grads") - least) / (curve.objective[0] - least)
                for curve in curves
            ]
            slope = float(np.median([curve.slope(least) for curve in curves]))
            found = {"(f - min) / (max - min)": float(np.median(left)), "slope": slope}
            rows.append({"dataset": name, "passes": passes, "solver": solver.text} | found)
    return rows


def against_copt(n: int = 20_000, p: int = 100_000) -> Rows:
    """Microseconds a sampled derivative, and what was reached after ten passes; batches of one and
    of n / 100.
    """
    if importlib.util.find_spec("copt") is None:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import copt
        import copt.constraint
        import copt.loss

    problem, X, y = sparse_problem(n, p)
    delta, rows = 50.0, []
    ball, loss = (
        copt.constraint.L1Ball(delta),
        copt.loss.LogLoss(scipy.sparse.csr_matrix(X), (y + 1) / 2),
    )
    for batch, passes in ((1, 1), (n // 100, 10)):

        def run(batch: int = batch, passes: int = passes) -> Any:
            begun = time.process_time()
            matrix = scipy.sparse.csr_matrix(X)
            found = copt.minimize_sfw(
                loss.partial_deriv,
                matrix,
                (y + 1) / 2,
                np.zeros(p),
                ball.lmo,
                batch_size=batch,
                max_iter=passes,
                tol=0,
                variant="SAG",
            )
            return time.process_time() - begun, found.x

        with threadpool_limits(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run()
            seconds, a = run()
        (curve,) = race.race(
            problem, parse_specs(f"sfw_rows:batch={batch}"), delta, grads=passes * n
        )
        theirs = problem.loss.value(X @ a, y)
        rows.append(
            {
                "batch": batch,
                "passes": passes,
                "ours (us a derivative)": 1e6 * curve.seconds[-1] / curve.grads[-1],
                "copt (us a derivative)": 1e6 * seconds / (passes * n),
                "copt / ours": seconds / curve.seconds[-1],
                "our objective / f(0)": curve.objective[-1] / problem.f0,
                "copt's": theirs / problem.f0,
            }
        )
    return rows


def tables(_: Asked) -> Tables:
    yield "Steps on rows of 20 entries, one sample a step", steps()
    yield "Figure 1 of Negiar et al., medians of 20 seeds", figure_1()
    yield "Against copt, 20,000 x 100,000, 20 entries a row", against_copt()
