"""Time to a certified path: 100 values of lam, the worst relative duality gap by our judge, outside
the clock.

Peers are run over a ladder of tolerances; their figure is the coarsest setting whose worst gap is
small enough. One that takes longer than a minute is not tried at finer ones, and a row says what it
reached. Ours stop by the gap, and are told the accuracy. All methods compute the same models: the
ball form gets the l1 norms of a reference solution at each lam.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from ladder import ACCURACIES, Method, measured, tell
from numpy_judge import NumpyJudge
from peers import PEERS, Peer, Timed, timed
from problems import CASES, Case, available
from report import Asked, Tables

from fwcore import Problem, Status, Walk, find_solver, walk_path, warmup
from fwcore.design import layout
from fwcore.solve import ROWS, Clock

POINTS = 100


def walked(
    problem: Problem,
    solver: str,
    grid: Any,
    options: dict[str, Any],
    seed: int = 0,
    anew: Callable[[], Problem] | None = None,
) -> tuple[Timed, Any]:
    """Our path without the judge, so that only the solver is timed; and its last state. ``anew``
    makes the problem once more, on the clock.
    """
    walk = Walk(problem, solver, grid, options, seed=seed)
    method, state = walk.solver, walk._state
    begun = time.perf_counter()
    warmup.ready(method, problem.design, walk.options, problem.loss)
    if (compiled := time.perf_counter() - begun) > 0.1:
        tell(f"  {solver}: compiled in {compiled:.1f} s")

    def run() -> Any:
        nonlocal state
        columns, grid = [], walk.grid
        seen = anew() if anew else problem
        clock = Clock.of(seen)
        state = method.init(seen, walk.options, seed)
        while len(columns) < grid.size:
            k, most, begun = len(columns), clock.points, time.monotonic()
            _, ended = method.walk_points(
                seen, state, walk.options, grid[k : k + most], k / (grid.size - 1), ROWS * most
            )
            columns += [end.support for end in ended]
            if ended:
                # As many points a call as those of `walk_path`, had it no judge to wait for.
                clock.charge_points(len(ended), time.monotonic() - begun)
            if method.outcome(state) == Status.RUNNING:
                while method.outcome(state) == Status.RUNNING:
                    method.advance(seen, state, 64)
                columns.append(method.coefficients(state))
        return columns

    def stored(columns: Any) -> Any:
        lengths = np.cumsum([0, *(indices.size for indices, _ in columns)])
        rows, values = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        return scipy.sparse.csc_array((values, rows, lengths), shape=(problem.p, len(columns)))

    if anew:
        # What a problem of its own compiles is nobody's time.
        run()
    return timed(run, stored), state


class Judges:
    """Ours, and at the worst point and in the middle of each path a second one, in NumPy: they must
    agree.
    """

    def __init__(self, problem: Problem, X: Any) -> None:
        self.problem, self.second = problem, NumpyJudge.of(problem, X=X)

    def worst_gap(self, form: str, grid: Any, coefs: Any) -> float:
        """Worst relative gap of a path; infinite where points are missing."""
        gaps = relative_gaps(self.problem, form, grid, coefs)
        for k in {int(np.argmax(gaps)), gaps.size // 2} if np.isfinite(gaps).all() else ():
            a = coefs[:, [k]].toarray()[:, 0]
            second = self.second.gap(a, form, grid[k]) / self.problem.f0
            if not abs(gaps[k] - second) <= 1e-9 * max(1.0, second):
                raise AssertionError(f"the judges say {gaps[k]} and {second}")
        return float(gaps.max())


def relative_gaps(problem: Problem, form: str, grid: Any, coefs: Any) -> Any:
    """The gap of each point over f(0); infinite where points are missing."""
    if coefs.shape[1] < len(grid):
        return np.array([np.inf])
    gaps = []
    for k, value in enumerate(grid):
        rows = coefs.indices[coefs.indptr[k] : coefs.indptr[k + 1]].astype(np.int64)
        gaps.append(
            problem.judge(
                rows, coefs.data[coefs.indptr[k] : coefs.indptr[k + 1]], form, value
            ).true_gap
        )
    return np.array(gaps) / problem.f0


def methods(
    case: Case, wants_peer: Callable[[str], bool], threads: tuple[int, ...] = (1, 2)
) -> list[Method]:
    """All of ours that can run on a case, and the peers that are wanted."""
    lam = np.geomspace(case.problem.lam_max, case.problem.lam_max / case.span, POINTS)
    radii = walk_path(case.problem, "certified", lam, tol=1e-8).points["l1"]
    radii = np.unique(radii[radii > 0])
    found, X = [], case.matrix()
    for stored, problem in case.stored.items():
        judges = Judges(problem, X if problem is case.problem else problem.design.exported()[0])
        for solver, grid in (("corrective_fw", radii), ("active_set", lam)):
            for n in threads:
                name = f"{solver}, {stored}, threads={n}"
                found.append(our_method(name, judges, solver, grid, n))
        if stored == next(iter(case.stored)):
            for solver, grid in (("certified", lam), ("certified_ball", radii), ("cd", lam)):
                found.append(our_method(f"{solver}, {stored}", judges, solver, grid))
            found.append(from_arrays(f"certified, {stored}", judges, case.given(), lam))
            for solver, grid in (("certified", lam), ("certified_ball", radii)):
                for engine in ("faces", "descent"):
                    name = f"{solver}, {stored}, engine={engine}"
                    found.append(our_method(name, judges, solver, grid, engine=engine))
    judges = Judges(case.problem, X)
    return found + peer_methods(PEERS, judges, X, lam, wants_peer)


def peer_methods(
    peers: tuple[Peer, ...], judges: Judges, X: Any, lam: Any, wants_peer: Callable[[str], bool]
) -> list[Method]:
    """The ``peers`` that are wanted, and installed."""
    found = []
    # A copy, since peers want arrays that could be written to.
    y = judges.problem.y.copy()
    small, labels = np.random.default_rng(0).standard_normal((9, 12)), (-1.0) ** np.arange(9)
    toy = scipy.sparse.csc_array(small) if scipy.sparse.issparse(X) else np.asfortranarray(small)
    for peer in peers:
        if not wants_peer(peer.name):
            continue
        if not peer.available():
            tell(f"{peer.name} is not installed: left out")
            continue
        # Compilation, and what a first call sets up, is nobody's time.
        begun = time.perf_counter()
        peer.run(toy, labels, np.array([1.0, 0.5]), 1e-2)
        tell(f"  {peer.name}: first call {time.perf_counter() - begun:.1f} s")
        found.append(
            Method(
                f"{peer.name} {peer.version}",
                peer.ladder,
                lambda tolerance, peer=peer: peer.run(X, y, lam, tolerance),
                lambda coefs: judges.worst_gap("penalty", lam, coefs),
            )
        )
    return found


def our_method(
    name: str,
    judges: Judges,
    solver: str,
    grid: Any,
    threads: int = 1,
    anew: Callable[[], Problem] | None = None,
    **options: Any,
) -> Method:
    """One of ours; ``threads`` of those that share passes, ``anew`` as `walked` takes it."""
    method, problem = find_solver(solver), judges.problem
    shared = {"threads": threads} if "threads" in method.Options.declared() else {}
    options = {"rule": "gap", **shared, **options}
    return Method(
        name,
        ACCURACIES,
        lambda tol: walked(problem, solver, grid, {**options, "tol": tol}, anew=anew)[0],
        lambda coefs: judges.worst_gap(method.form, grid, coefs),
        f"{method.form} {layout(problem.design)}",
    )


def from_arrays(name: str, judges: Judges, X: Any, lam: Any) -> Method:
    """`certified`, and on the clock what comes before a path of ours, as it is on that of peers."""
    problem = judges.problem
    anew = partial(Problem.from_arrays, X, problem.y.copy(), loss=problem.loss, standardize=False)
    return our_method(f"{name}, from arrays", judges, "certified", lam, anew=anew)


def tables(asked: Asked) -> Tables:
    """A table a case whose files are at hand."""
    for name, made in CASES.items():
        if available(name) and asked.wants_case(name):
            title = f"{name}: {POINTS} values of lam, worst relative gap at most the accuracy"
            yield title, measured(name, lambda made=made: methods(made(), asked.wants_peer))
