"""What the page says, as plain text: the problem, and where each run is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

from app import shelf
from app.pace import counted
from app.runs import Run, RunState
from app.session import most_active
from app.settings import Experiment, formula_of
from fwcore import FORMS, find_solver, warmup

_LONG_SECONDS = 3.0
_LONG_WAIT_SECONDS = 20.0
_HELD_SECONDS = 1.5
# Kernels, before a time that is left is told.
_ENOUGH = 3
_asked: dict[str, tuple[float, int]] = {}
"""When somebody first asked what is compiled, and how much was."""


def headline(experiment: Experiment, solvers: Sequence[str]) -> str:
    """What is solved by the runs that are shown."""
    dataset = shelf.find(experiment.dataset)
    held_out = round(experiment.test_fraction * dataset.rows)
    train = f"{dataset.rows - held_out:,} rows to learn from" + (
        f", {held_out:,} to test on" if held_out else ", none held out"
    )
    forms = dict.fromkeys(FORMS[find_solver(name).form].problem for name in solvers)
    formula = formula_of(experiment.loss)
    return f"{dataset.title}: {train}. {experiment.points} points. {'; '.join(forms)}. {formula}."


def row(runs: Sequence[Run]) -> dict[str, Any]:
    """Where a run and its repeats are: the two or three figures that stand in the row, which are
    medians over those that have begun, and the rest of the first.
    """
    state = most_active(runs)
    if state is None:
        return {"state": "empty", "figures": "not run yet", "more": "", "message": "", "part": 0.0}
    run = runs[0]
    told = {"state": run.label or state.value, "message": _message(run)}
    if not run.reached and run.latest is None:
        return told | {"figures": "", "more": "", "part": 0.0}
    part = sum(one.reached / max(1, one.total) for one in runs) / len(runs)
    more = _more(run) + (f" · the first of {len(runs)} seeds" if len(runs) > 1 else "")
    left = _left(run) if state is RunState.RUNNING else ""
    return told | {"figures": _figures(runs), "more": more, "part": round(part, 4), "left": left}


def _message(run: Run) -> str:
    if run.state is RunState.PREPARING and run.waiting_seconds >= _LONG_SECONDS:
        return f"{run.message} {run.waiting_seconds:.0f} s so far."
    if run.repeated is None:
        return run.message or run.note
    if run.repeated:
        return f"Walked on: its first {len(run.before):,} points are those that were saved."
    return "Its points differ from those that were saved: by other versions, or another processor."


def _figures(runs: Sequence[Run]) -> str:
    """What was spent, and what came of it."""
    cost = _spent([run for run in runs if run.reached or run.latest is not None])
    reached = [run for run in runs if run.reached]
    if not reached:
        return cost
    known = [run.points["test_error"] for run in reached]
    errors = [float(np.nanmin(found)) for found in known if np.isfinite(found).any()]
    parts = [f"error {median(errors):.3g}"] if errors else []
    active = median([int(run.points["nnz"][-1]) for run in reached])
    return " · ".join([cost, *parts, f"{active:,.0f} active"])


def _spent(begun: Sequence[Run]) -> str:
    rows = [run.latest.rows[-1] if run.latest is not None else run.points[-1] for run in begun]

    def spent(unit: str) -> float:
        return median([float(row[unit]) for row in rows])

    first = begun[0]
    if not first.solver.counts:
        return f"{spent('seconds'):.2g} s"
    if first.solver.draws == "rows":
        return f"{counted(spent('grads'))} derivatives"
    if not first.counts("dots"):
        return f"{counted(spent('entries'))} entries"
    return f"{counted(spent('dots'))} dots"


def _left(run: Run) -> str:
    """How long the pace holds the next step back, or how long it goes on at least, where somebody
    would rather know than wait: later points of a path seldom take less than earlier ones.
    """
    if (held := run.held_seconds) >= _HELD_SECONDS:
        return f"held by the pace, {held:.0f} s"
    seconds = run.seconds_left
    if seconds is None or seconds < _LONG_WAIT_SECONDS:
        return ""
    if seconds < 90:
        return f"over {10 * int(seconds / 10)} s left"
    minutes = int(seconds / 60)
    return f"over {minutes} min left" if minutes < 120 else f"over {minutes // 60} h left"


def _more(run: Run) -> str:
    """The rest of the figures, which a row shows when asked."""
    symbol, total = FORMS[run.solver.form].symbol, run.total
    if run.latest is None:
        last = run.points[-1]
        steps, value, seconds = int(last["steps"]), float(last["value"]), float(last["seconds"])
        return f"point {run.reached} of {total} · {steps:,} steps · {seconds:.2f} s in the solver"
    last, value = run.latest.rows[-1], run.latest.value
    point = run.reached if run.state.over else run.latest.point + 1
    parts = [f"point {point} of {total}", f"{symbol} = {value:.4g}"]
    calls = "steps" if run.solver.counts else "calls of the library, which shows no steps"
    parts.append(f"{int(last['step']):,} {calls}")
    if last["empty"] > 0:
        parts.append(f"{int(last['empty']):,} draws without a descent direction")
    if run.ended_by_chance:
        parts.append(f"{run.ended_by_chance} points ended by chance")
    parts.append(f"{last['seconds']:.2f} s in the solver")
    if run.state is RunState.RUNNING and run.reached:
        silent = time.monotonic() - (run.last_row_at or 0.0)
        parts.append(f"last step {silent:.0f} s ago" if silent >= 2.0 else "")
    return " · ".join(part for part in parts if part)


def compiling() -> str:
    """What the server is still compiling, if anything, and for how long."""
    done, total = warmup.progress()
    if done == total:
        _asked.clear()
        return ""
    now = time.monotonic()
    at, before = _asked.setdefault("first", (now, done))
    told = f"Compiling solvers: {done} of {total}"
    if done - before < _ENOUGH:
        return f"{told}."
    return f"{told}, about {(now - at) / (done - before) * (total - done):.0f} s left."
