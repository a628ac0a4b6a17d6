"""What a run is at its coefficients, from scratch."""

from __future__ import annotations

from numba import njit

from fwcore.design import image_of
from fwcore.kernels.unpenalised import add_best
from fwcore.kernels.vectors import dot
from fwcore.losses import is_parabola, loss_and_residual
from fwcore.solvers.working_set._conjugate import has_free


@njit(nogil=True, cache=True)
def refit(design, y, loss, it, fit, chosen, values):
    """What has no penalty, image and residual of the coefficients ``values`` of the columns
    ``chosen``, from scratch.
    """
    image_of(design, chosen, values, fit[1])
    complete_fit(y, loss, it, fit)


@njit(nogil=True, inline="always")
def complete_fit(y, loss, it, fit):
    """The same where the image of the coefficients is known."""
    free, image, residual = fit
    if has_free(loss, free):
        add_best(loss, y, free, image)
    it.loss = loss_and_residual(loss, image, y, residual)
    if is_parabola(loss):
        it.product = dot(image, residual) + 2.0 * it.loss
