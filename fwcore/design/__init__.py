"""How the design X (m x p) is stored, and the few primitives that kernels may use on it.

The only package that knows storage, one way a file. Values are kept as given; centring and scaling
are implicit, so that a sparse matrix stays sparse. Column j of the design that a solver sees is

    z_j = scale_j * (x_j - offset_j * 1)

with x_j the stored column; ``scale_j`` is 0 for a constant column. A kernel that accumulates images
keeps the *stored* part

    v = sum_j c_j * scale_j * x_j,     v_sum = sum_i v_i

and leaves the multiple of the vector of ones out. Where ``offset`` is the column mean, z_j is
orthogonal to that vector and ``col_dot(design, j, v, v_sum)`` equals z_j' (sum_k c_k z_k) exactly;
where nothing is centred, ``offset`` is 0 and there is nothing to leave out.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse

from fwcore.design import csc, dense
from fwcore.design.common import sealed
from fwcore.design.csc import Csc
from fwcore.design.dense import Dense
from fwcore.design.folder import open_folder, save
from fwcore.design.given_back import Lent, dots_in_parts
from fwcore.design.passes import (
    all_dots,
    column_moments,
    combine,
    cpu_seconds,
    full_pass,
    image_of,
    in_one_part,
    largest_entry,
    some_dots,
    threads_for,
)
from fwcore.design.pattern import Pattern
from fwcore.design.prefetch import AHEAD, FAR, LINE, REACH, prefetch
from fwcore.design.primitives import (
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_head,
    col_moments,
    col_place,
    col_reach,
    col_row,
    col_value,
    first_met,
    gradient_above,
    most_steep,
    scale_image,
    single_dots,
    support_dots,
)
from fwcore.design.product_names import ProductNames
from fwcore.design.product_passes import materialized
from fwcore.design.products import Products, product_count
from fwcore.design.registry import STORAGES, is_design, register_storage, unregister_storage
from fwcore.design.ridged import Ridged
from fwcore.design.rows import (
    kappa_share,
    largest_row_norm,
    row,
    row_entries,
    row_entry,
    rows_are_full,
    rows_are_stored,
)
from fwcore.design.weighted import weighted_axpy, weighted_square
from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats, Ints

__all__ = [
    "AHEAD",
    "FAR",
    "LINE",
    "PATTERN",
    "REACH",
    "STORAGES",
    "Csc",
    "Dense",
    "Design",
    "Floats",
    "Ints",
    "Lent",
    "Pattern",
    "ProductNames",
    "Products",
    "Ridged",
    "all_dots",
    "centred",
    "col_axpy",
    "col_dot",
    "col_entries",
    "col_fetch",
    "col_head",
    "col_moments",
    "col_place",
    "col_reach",
    "col_row",
    "col_value",
    "column_moments",
    "combine",
    "cpu_seconds",
    "dots_in_parts",
    "first_met",
    "from_matrix",
    "full_pass",
    "gradient_above",
    "image_of",
    "in_one_part",
    "is_design",
    "kappa_share",
    "largest_entry",
    "largest_row_norm",
    "layout",
    "materialized",
    "most_steep",
    "open_folder",
    "prefetch",
    "product_count",
    "register_storage",
    "row",
    "row_entries",
    "row_entry",
    "rows_are_full",
    "rows_are_stored",
    "save",
    "scale_image",
    "sealed",
    "single_dots",
    "some_dots",
    "sqnorms",
    "standardized",
    "support_dots",
    "threads_for",
    "unregister_storage",
    "weighted_axpy",
    "weighted_square",
]

PATTERN = "pattern"
"""In place of a dtype: values are not stored."""

Design: TypeAlias = Any
"""A NamedTuple of one of `STORAGES`; see `fwcore.design.registry.Storage` for what all have."""


def from_matrix(X: Any, dtype: Any = np.float64) -> Design:
    """The stored form of a matrix, neither centred nor scaled; ``X`` is ndarray or scipy sparse of
    shape (m, p), ``dtype`` that of its values, or ``"pattern"`` for `Pattern`.
    """
    if dtype == PATTERN:
        return Pattern.of(X)
    # What a type can't hold is told with the norms of the columns.
    with np.errstate(over="ignore"):
        return csc.store(X, dtype) if scipy.sparse.issparse(X) else dense.store(X, dtype)


def sqnorms(design: Design) -> Floats:
    """Squared l2 norms of the columns, centred and scaled as the design says."""
    m, _ = design.shape
    mean, norm = _finite_moments(design)
    return np.asarray(design.scale**2 * (norm**2 + m * (mean - design.offset) ** 2))


def _finite_moments(design: Design) -> tuple[Floats, Floats]:
    mean, norm = column_moments(design)
    if not np.isfinite(norm).all():
        rule = "free of NaN, in the range of their type, their squares in that of float64"
        raise ParameterError("X", "Problem", rule, "larger values, or NaN")
    return mean, norm


def layout(design: Design) -> tuple[Any, ...]:
    """What kernels are compiled for: the storage and the types of its arrays."""
    return (type(design), *design.layout)


def centred(design: Design) -> tuple[Design, Floats]:
    """The same values with each column centred and not scaled, and the squared norms of these;
    constant columns become zero, constant products go.
    """
    m, _ = design.shape
    offset, norm = _finite_moments(design)
    varies = norm > 1e-12 * np.sqrt(m) * np.abs(offset)
    # Norms stand for scales until it is known which columns stay.
    kept = design._replace(offset=offset, scale=norm * varies).without(~varies)
    return kept._replace(scale=(kept.scale > 0.0).astype(np.float64)), kept.scale**2


def standardized(design: Design, *, centre: bool = True) -> Design:
    """The same values with each column centred, by default, and scaled to unit l2 norm.

    Constant columns become zero, constant products go; without centring only columns of zeros do.
    """
    m, p = design.shape
    offset, norm = _finite_moments(design)
    if centre:
        # A column whose spread is rounding error of its own mean is constant.
        varies = norm > 1e-12 * np.sqrt(m) * np.abs(offset)
    else:
        norm, offset = np.hypot(norm, np.sqrt(m) * offset), np.zeros(p)
        varies = np.ones(p, np.bool_)
    varies &= norm > 0
    scale = np.divide(1.0, norm, out=np.zeros(p), where=varies)
    return design._replace(offset=offset, scale=scale).without(~varies)
