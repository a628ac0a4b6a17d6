"""The backtracking line search after a proximal Newton step (Lee, Sun & Saunders 2014)."""

from __future__ import annotations

from numba import njit

from fwcore.design import col_axpy, col_entries
from fwcore.kernels.unpenalised import complete
from fwcore.kernels.vectors import copy_into
from fwcore.losses import loss_and_residual

_SUFFICIENT = 1e-4
_SHORTEST = 1e-10
# Near the minimum slopes are still told apart where objectives are not: there a step is as good as
# its model.
_ROUNDING = 1e-14


@njit(nogil=True, cache=True)
def _loss_along(loss, y, image, change, step, out, residual):
    """f at X a + step * change, which is left in ``out``, and the ``residual`` there."""
    for i in range(y.size):
        out[i] = image[i] + step * change[i]
    return loss_and_residual(loss, out, y, residual)


@njit(nogil=True, cache=True)
def _penalty_along(before, coef, step, lam, ridge):
    """By how much the penalty grows from ``before`` a part of the way to ``coef``."""
    change = 0.0
    for k in range(coef.size):
        old, new = before[k], before[k] + step * (coef[k] - before[k])
        change += lam * (abs(new) - abs(old)) + 0.5 * ridge * (new * new - old * old)
    return change


@njit(nogil=True, inline="always")
def search(design, y, loss, engine, run):
    """Go along the change as far as it lowers the objective enough; the prediction and the residual
    there.
    """
    counters, it, size = run.counters[0], run.it[0], run.it[0].size
    coef, before = engine.coef[:size], engine.before[:size]
    engine.change[:] = 0.0
    for k in range(size):
        if coef[k] != before[k]:
            col_axpy(design, run.columns[k], coef[k] - before[k], engine.change)
            counters.entries += col_entries(design, run.columns[k])
    if run.free.coef.size > 0:
        complete(run.free, engine.weights, run.residual, engine.change)
    lam = run.it[0].level
    slope = _penalty_along(before, coef, 1.0, lam, counters.ridge)
    for i in range(y.size):
        slope -= run.residual[i] * engine.change[i]
    step = 2.0
    while True:
        step = 0.5 * step if step > _SHORTEST else 0.0
        loss_there = _loss_along(loss, y, run.image, engine.change, step, engine.left, run.residual)
        growth = _penalty_along(before, coef, step, lam, counters.ridge)
        least = it.loss + _SUFFICIENT * step * min(slope, 0.0) + _ROUNDING * it.loss
        if step == 0.0 or loss_there + growth <= least:
            break
    for k in range(size if step < 1.0 else 0):
        coef[k] = before[k] + step * (coef[k] - before[k])
    it.loss = loss_there
    copy_into(engine.left, run.image)
