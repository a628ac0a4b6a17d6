"""Time to a certified path: 100 values of lam, the worst relative duality gap by our judge, outside
the clock.

Every method is run over a ladder of tolerances; its figure is the fastest setting whose worst gap
is small enough. All methods compute the same models: the ball form gets the l1 norms of a reference
solution at each lam.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from peers import PEERS, Timed, timed
from problems import CASES, Case, available
from report import Asked, Rows, Tables
from rich.console import Console

from fwcore import Problem, Status, Walk, find_solver, walk_path, warmup
from fwcore.solve import ROWS, Clock

ACCURACIES = (1e-3, 1e-5)
POINTS = 100
# Paths that take less than a tenth of a second are timed more often: of milliseconds the median of
# three is the machine's as much as the method's.
REPEATS, OFTEN, _SHORT = 3, 15, 0.1
# A method that took longer than this is not tried at finer tolerances.
_PATIENCE = 20.0
_OURS = ACCURACIES
_tell = Console(stderr=True).print


@dataclass(frozen=True)
class Method:
    """``run(tolerance)`` walks the path; ``judge(coefs)`` gives its worst relative gap."""

    name: str
    ladder: tuple[float, ...]
    run: Callable[[float], Timed]
    judge: Callable[[Any], float]
    ours: bool


def walked(
    problem: Problem, solver: str, grid: Any, options: dict[str, Any], seed: int = 0
) -> tuple[Timed, Any]:
    """Our path without the judge, so that only the solver is timed; and its last state."""
    walk = Walk(problem, solver, grid, options, seed=seed)
    method, state = walk.solver, walk._state
    begun = time.perf_counter()
    warmup.ready(method, problem.design, walk.options)
    if (compiled := time.perf_counter() - begun) > 0.1:
        _tell(f"  {solver}: compiled in {compiled:.1f} s")

    def run() -> Any:
        columns, grid, clock = [], walk.grid, Clock()
        while len(columns) < grid.size:
            k, most = len(columns), clock.points
            _, ended = method.walk_points(
                problem, state, walk.options, grid[k : k + most], k / (grid.size - 1), ROWS * most
            )
            columns += [end.support for end in ended]
            if method.outcome(state) == Status.RUNNING:
                while method.outcome(state) == Status.RUNNING:
                    method.advance(problem, state, 64)
                columns.append(method.coefficients(state))
            # As many points a call as those of `walk_path`, had it no judge to wait for.
            clock.charge_points(most, 0.0)
        return columns

    def stored(columns: Any) -> Any:
        lengths = np.cumsum([0, *(indices.size for indices, _ in columns)])
        rows, values = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        return scipy.sparse.csc_array((values, rows, lengths), shape=(problem.p, len(columns)))

    return timed(run, stored), state


def worst_gap(problem: Problem, form: str, grid: Any, coefs: Any) -> float:
    """Worst relative gap of a path; infinite where points are missing."""
    if coefs.shape[1] < len(grid):
        return float("inf")
    gaps = []
    for k, value in enumerate(grid):
        rows = coefs.indices[coefs.indptr[k] : coefs.indptr[k + 1]].astype(np.int64)
        gaps.append(
            problem.judge(
                rows, coefs.data[coefs.indptr[k] : coefs.indptr[k + 1]], form, value
            ).true_gap
        )
    return max(gaps) / problem.f0


def methods(
    case: Case, wants_peer: Callable[[str], bool], threads: tuple[int, ...] = (1, 2)
) -> list[Method]:
    """All of ours that can run on a case, and the peers that are wanted."""
    lam = np.geomspace(case.problem.lam_max, case.problem.lam_max / case.span, POINTS)
    reference = "active_set" if case.faces else "certified"
    radii = walk_path(case.problem, reference, lam, tol=1e-8).points["l1"]
    radii = np.unique(radii[radii > 0])
    found = []
    for stored, problem in case.stored.items():
        on_faces = (("corrective_fw", radii), ("active_set", lam)) if case.faces else ()
        for solver, grid in on_faces:
            for n in threads:
                found.append(
                    our_method(
                        f"{solver}, {stored}, threads={n}", problem, solver, grid, {"threads": n}
                    )
                )
        if stored == next(iter(case.stored)):
            for solver, grid in (("certified", lam), ("certified_ball", radii), ("cd", lam)):
                found.append(our_method(f"{solver}, {stored}", problem, solver, grid, {}))
    # Copies, since peers want arrays that could be written to.
    X, y = case.matrix(), case.problem.y.copy()
    small = np.random.default_rng(0).standard_normal((9, 12))
    toy = scipy.sparse.csc_array(small) if scipy.sparse.issparse(X) else np.asfortranarray(small)
    for peer in PEERS:
        if not wants_peer(peer.name):
            continue
        if not peer.available():
            _tell(f"{peer.name} is not installed: left out")
            continue
        # Compilation, and what a first call sets up, is nobody's time.
        begun = time.perf_counter()
        peer.run(toy, small[:, 0].copy(), np.array([1.0, 0.5]), 1e-2)
        _tell(f"  {peer.name}: first call {time.perf_counter() - begun:.1f} s")
        found.append(
            Method(
                f"{peer.name} {peer.version}",
                peer.ladder,
                lambda tolerance, peer=peer: peer.run(X, y, lam, tolerance),
                lambda coefs: worst_gap(case.problem, "penalty", lam, coefs),
                ours=False,
            )
        )
    return found


def our_method(
    name: str, problem: Problem, solver: str, grid: Any, options: dict[str, Any]
) -> Method:
    return Method(
        name,
        _OURS,
        lambda tolerance: walked(
            problem, solver, grid, {"rule": "gap", "tol": tolerance, **options}
        )[0],
        lambda coefs: worst_gap(problem, find_solver(solver).form, grid, coefs),
        ours=True,
    )


def settings(method: Method) -> dict[float, tuple[float, float]]:
    """accuracy -> (tolerance, worst gap): the first rung of the ladder that is accurate enough."""
    chosen: dict[float, tuple[float, float]] = {}
    for tolerance in method.ladder:
        try:
            run = method.run(tolerance)
        except Exception as error:
            _tell(
                f"  {method.name} at {tolerance:g} failed: {type(error).__name__}: "
                f"{str(error)[:200]}"
            )
            break
        gap = method.judge(run.coefs)
        _tell(
            f"  {method.name} at {tolerance:g}: {run.cpu:.3f} s CPU, {run.wall:.3f} s wall, "
            f"worst gap {gap:.1e}"
        )
        for accuracy in ACCURACIES:
            if gap <= accuracy:
                chosen.setdefault(accuracy, (tolerance, gap))
        if len(chosen) == len(ACCURACIES) or run.wall > _PATIENCE:
            break
    return chosen


def measured(name: str, made: Callable[[], list[Method]]) -> Rows:
    """The table of the methods that ``made`` gives."""
    _tell(f"[bold]{name}[/bold]")
    begun = time.perf_counter()
    running = made()
    chosen = {method.name: settings(method) for method in running}
    wanted = sorted({(m.name, t) for m in running for t, _ in chosen[m.name].values()})
    by_name = {method.name: method for method in running}
    times: dict[tuple[str, float], list[Timed]] = {key: [] for key in wanted}
    for repeat in range(OFTEN):
        for key in wanted:
            most = _PATIENCE / 4 if repeat < REPEATS else _SHORT
            if not times[key] or times[key][0].wall < most:
                times[key].append(by_name[key[0]].run(key[1])._replace(coefs=None))
    rows = []
    for accuracy in ACCURACIES:
        these = []
        for method in running:
            if accuracy not in chosen[method.name]:
                continue
            tolerance, gap = chosen[method.name][accuracy]
            runs = times[method.name, tolerance]
            cpu, wall = (
                statistics.median(getattr(run, what) for run in runs) for what in ("cpu", "wall")
            )
            these.append({"problem": name, "accuracy": accuracy, "method": method.name,
                          "tolerance": tolerance, "worst gap": gap,
                          "cpu": cpu, "wall": wall, "ours": method.ours})  # fmt: skip
        best = min(
            (row for row in these if not row["ours"]), key=lambda row: row["wall"], default=None
        )
        for row in these:
            row["best peer / this (CPU)"] = best["cpu"] / row["cpu"] if best else float("nan")
            row["best peer / this (wall)"] = best["wall"] / row["wall"] if best else float("nan")
        rows += these
    _tell(f"  {time.perf_counter() - begun:.0f} s in all")
    return rows


def tables(asked: Asked) -> Tables:
    """A table a case whose files are at hand."""
    for name, made in CASES.items():
        if available(name) and asked.wants_case(name):
            title = f"{name}: {POINTS} values of lam, worst relative gap at most the accuracy"
            yield title, measured(name, lambda made=made: methods(made(), asked.wants_peer))
