"""The primitives; each storage adds its own implementation, picked by type when a kernel is
compiled.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST, compiled_only, otherwise
from fwcore.kernels.vectors import multiply


def col_dot(design, j, v, v_sum):
    """z_j' w for an image w whose stored part is ``v`` (m,) with sum ``v_sum``."""
    raise compiled_only("col_dot")


def col_axpy(design, j, c, v):
    """Add c * scale_j * x_j to ``v`` (m,) in place; return by how much the sum of v grows if
    offset_j is the mean of x_j.
    """
    raise compiled_only("col_axpy")


def col_entries(design, j):
    """Entries of column j that a dot product touches."""
    raise compiled_only("col_entries")


def col_row(design, j, k):
    """Row of the k-th of the `col_entries` entries of column j."""
    raise compiled_only("col_row")


def col_value(design, j, k):
    """Value of the k-th of the `col_entries` entries of the stored column x_j."""
    raise compiled_only("col_value")


def col_moments(design, j):
    """Mean of the stored column x_j, and l2 norm of x_j minus its mean."""
    raise compiled_only("col_moments")


def col_place(design, j):
    """Ask memory for what says where column j is, for `col_fetch` a few columns later."""
    raise compiled_only("col_place")


def col_fetch(design, j):
    """Ask memory for the beginning of column j."""
    raise compiled_only("col_fetch")


def col_reach(design, j, v):
    """Ask memory for the entries of ``v`` (m,) that the beginning of column j, fetched a few
    columns ago, will meet.
    """
    raise compiled_only("col_reach")


def col_head(design, j):
    """Ask memory for what `most_steep` reads of column j."""
    raise compiled_only("col_head")


@otherwise(col_head)
def _col_head(design, j):
    return None


def most_steep(design, j, scale, image_sum):
    """What abs(scale * col_dot(design, j, image, image_sum) - sigma_j) is at most, for the image
    and the sigma that a run has in this ``design``; infinity where nothing is known without a dot
    product.
    """
    raise compiled_only("most_steep")


@otherwise(most_steep)
def _most_steep(design, j, scale, image_sum):
    return np.inf


def gradient_above(design, j, scale, image, image_sum, sigma, least):
    """(scale * col_dot(design, j, image, image_sum) - sigma_j, entries touched) for the image that
    a run has in this ``design``; a 0 stands for what is smaller than ``least``, if that is known
    for less.
    """
    raise compiled_only("gradient_above")


@otherwise(gradient_above)
def _gradient_above(design, j, scale, image, image_sum, sigma, least):
    return scale * col_dot(design, j, image, image_sum) - sigma[j], col_entries(design, j)


def support_dots(design, support, coef, image, image_sum, out):
    """out_k = col_dot(design, support_k, image, image_sum) for the image that a run has in this
    ``design``, that of the coefficients ``coef`` (p,), which are 0 outside of ``support`` (n,).
    Returns the entries touched.
    """
    raise compiled_only("support_dots")


def first_met(design, image):
    """The vector (m,) that `gradient_above` meets first, for `col_reach`."""
    raise compiled_only("first_met")


@otherwise(first_met)
def _first_met(design, image):
    return image


def scale_image(design, image, factor):
    """Multiply the image that a run has in this ``design``, (m,), in place."""
    raise compiled_only("scale_image")


@otherwise(scale_image)
def _scale_image(design, image, factor):
    multiply(image, factor)


@njit(nogil=True, cache=True, fastmath=FAST)
def moments(column):
    """Mean of a vector, and l2 norm of it minus its mean."""
    mean, square = 0.0, 0.0
    for i in range(column.size):
        mean += column[i]
    mean /= column.size
    for i in range(column.size):
        square += (column[i] - mean) ** 2
    return mean, np.sqrt(square)


def column_dots(design, columns, v, v_sum, out):
    """out_k = col_dot(design, columns_k, v, v_sum) for every k, but for rounding; returns the
    entries touched.
    """
    raise compiled_only("column_dots")


def range_dots(design, v, v_sum, first, out):
    """out_k = col_dot(design, first + k, v, v_sum) for every k, but for rounding; the same bits
    however the columns are split into ranges.
    """
    raise compiled_only("range_dots")


def single_dots(design, v, v_sum, first, out):
    """The same into float32, of designs that have a ``single_error(sqnorms)``: what it errs by, at
    most, as a multiple of ||x_j|| ||w|| of the stored columns; 0 where it costs no less. Those are
    the squared l2 norms (p,) of columns as solvers see them.
    """
    raise compiled_only("single_dots")


@otherwise(single_dots)
def _single_dots(design, v, v_sum, first, out):
    return None
