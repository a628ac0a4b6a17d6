"""What the page says: the problem in words, and the status line of each run."""

from __future__ import annotations

import html
import time

from app.runs import Run, RunState, Session
from app.settings import Experiment
from app.theme import DASHES, STATE_COLOURS, run_style
from fwcore import FORMS, datasets, find_loss, find_solver, warmup

_LINE = "display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center;padding:2px 0"
_FORMS = {
    "ball": "min <i>f</i>(<i>a</i>) subject to ‖<i>a</i>‖₁ ≤ <i>δ</i>",
    "penalty": "min <i>f</i>(<i>a</i>) + <i>λ</i>‖<i>a</i>‖₁",
    "support": "min <i>f</i>(<i>a</i>) subject to at most <i>k</i> coefficients ≠ 0",
}


def headline(experiment: Experiment, *, changed: bool) -> str:
    """What is solved; ``changed``: whether something else is set by now."""
    dataset = datasets.find(experiment.dataset)
    solver, *others = (find_solver(name) for name, _ in experiment.solvers)
    held_out = round(experiment.test_fraction * dataset.rows)
    train = f"{dataset.rows - held_out:,} rows to learn from" + (
        f", {held_out:,} to test on" if held_out else ", none held out"
    )
    beside = f", beside {', '.join(other.title for other in others)}" if others else ""
    news = ' <b class="changed">Settings changed – Run to apply.</b>' if changed else ""
    return (
        f"{_FORMS[solver.form]}, with {find_loss(experiment.loss).formula}, by "
        f"<b>{html.escape(solver.title)}</b>"
        f"{html.escape(beside)}, on <b>{html.escape(dataset.title)}</b>: {dataset.columns:,} "
        f"columns, {train}. "
        f"{experiment.points} points. <span "
        f"style='opacity:.75'>{html.escape(solver.reference)}.</span>{news}"
    )


def status_line(k: int, run: Run) -> str:
    """Where the k-th run is."""
    state = run.state
    pill = (
        '<span class="state" '
        f'style="background:{STATE_COLOURS[state.value]};color:#fff;border-radius:9px;padding:1px '
        "9px;"
        f'font-size:12px;font-weight:600">{state.value}</span>'
    )
    colour, dash = run_style(k)
    chip = (
        '<svg class="chip" width="26" height="11" aria-hidden="true"><line x1="0" x2="26" y1="6" '
        f'y2="6" stroke="{colour}" stroke-width="3" stroke-dasharray="{DASHES[dash]}"/></svg>'
    )
    figures = _figures(run)
    message = f'<span class="message">{html.escape(run.message)}</span>' if run.message else ""
    return (
        f'<div class="run" data-solver="{run.solver.name}" data-state="{state.value}" '
        f'style="{_LINE}">'
        f"{chip}<b>{html.escape(run.solver.title)}</b>{pill}{figures}{message}</div>"
    )


def _figures(run: Run) -> str:
    walk, latest = run.walk, run.latest
    if walk is None or latest is None or run.started_at is None or run.last_row_at is None:
        return ""
    row, total, now = latest.rows[-1], walk.grid.size, time.monotonic()
    symbol = FORMS[run.solver.form].symbol
    point = walk.reached if run.state.over else latest.point + 1
    parts = [f"point <b>{point}</b> of {total}", f"{symbol} = {latest.value:.4g}"]
    steps = f"<span class='steps'>{int(row['step']):,}</span>"
    if run.solver.counts:
        parts += [
            f"{steps} steps",
            f"{row['step'] / max(run.walked_seconds, 1e-3):,.0f} steps/s",
            f"{row['grads']:,.0f} derivatives"
            if run.solver.draws == "rows"
            else f"{int(row['dots']):,} dot products",
        ]
    else:
        parts.append(
            f"{steps} calls of the library, a point each; it shows no steps and counts no dot "
            "products"
        )
    if row["empty"] > 0:
        parts.append(f"{int(row['empty']):,} empty draws")
    parts.append(f"{row['seconds']:.2f} s in the solver")
    parts.append(f"elapsed {(run.last_row_at if run.state.over else now) - run.started_at:.1f} s")
    if run.state is RunState.RUNNING:
        if walk.reached:
            left = run.walked_seconds / walk.reached * (total - walk.reached)
            parts.append(f"about {left:.1f} s left")
        parts.append(f"last row {now - run.last_row_at:.1f} s ago")
    return f"<span style='font-variant-numeric:tabular-nums'>{' · '.join(parts)}</span>"


def status(session: Session) -> str:
    """A line for each run."""
    if not session.runs:
        return (
            '<div class="run" data-state="empty">Nothing has been run yet. Press <b>Run</b>, and '
            "each step is drawn as it is made; <b>Step</b> makes a single one."
            f"{compiling()}</div>"
        )
    return "".join(status_line(k, run) for k, run in enumerate(session.runs))


def compiling() -> str:
    """What the server is still compiling, if anything."""
    done, total = warmup.progress()
    if done == total:
        return ""
    return (
        f' <span class="compiling" style="opacity:.75">Solvers are being compiled: {done} of '
        f"{total} are ready. The one you run is compiled first.</span>"
    )
