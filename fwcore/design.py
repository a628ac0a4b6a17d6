"""How the design X (m x p) is stored, and the few primitives that kernels may use on it.

The only file that knows storage. Values are kept as given; centring and scaling are implicit, so that a sparse matrix stays
sparse. Column j of the design that a solver sees is

    z_j = scale_j * (x_j - offset_j * 1)

with x_j the stored column; ``scale_j`` is 0 for a constant column. A kernel that accumulates images keeps the *stored* part

    v = sum_j c_j * scale_j * x_j,     v_sum = sum_i v_i

and leaves the multiple of the vector of ones out. Where ``offset`` is the column mean, z_j is orthogonal to that vector and
``col_dot(design, j, v, v_sum)`` equals z_j' (sum_k c_k z_k) exactly; where nothing is centred, ``offset`` is 0 and there is
nothing to leave out.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse
from numba import njit
from numba.extending import overload
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


class Dense(NamedTuple):
    """Columns one after the other: ``values`` of shape (p, m), C-contiguous; ``offset`` and ``scale`` of shape (p,)."""

    values: Floats
    offset: Floats
    scale: Floats


class Csc(NamedTuple):
    """Compressed columns: ``indptr`` (p + 1,), ``rows`` and ``values`` (non-zeros,), ``m`` rows in all."""

    indptr: Ints
    rows: NDArray[np.int32]
    values: Floats
    m: int
    offset: Floats
    scale: Floats


Design: TypeAlias = Dense | Csc
STORAGES: tuple[type[Dense] | type[Csc], ...] = (Dense, Csc)

# Sums may be reordered (SIMD), but NaN and infinity keep their meaning.
_FAST = {"reassoc", "contract", "nsz"}
_OVERLOAD: Any = {"jit_options": {"fastmath": _FAST, "nogil": True}, "strict": False}


def from_matrix(X: Any) -> Design:
    """The stored form of a float64 matrix, neither centred nor scaled; ``X`` is ndarray or scipy sparse of shape (m, p)."""
    m, p = X.shape
    offset, scale = np.zeros(p), np.ones(p)
    if scipy.sparse.issparse(X):
        csc = scipy.sparse.csc_array(X, dtype=np.float64)
        csc.sum_duplicates()
        return Csc(csc.indptr.astype(np.int64), csc.indices.astype(np.int32), csc.data, int(m), offset, scale)
    return Dense(np.ascontiguousarray(np.asarray(X, dtype=np.float64).T), offset, scale)


def shape(design: Design) -> tuple[int, int]:
    """(m, p)."""
    m = design.m if isinstance(design, Csc) else design.values.shape[1]
    return int(m), int(design.offset.size)


def stored_arrays(design: Design) -> tuple[NDArray[Any], ...]:
    """The arrays that hold the values, for hashing."""
    if isinstance(design, Csc):
        return design.indptr, design.rows, design.values
    return (design.values,)


def standardized(design: Design) -> Design:
    """The same values with each column centred and scaled to unit l2 norm; constant columns become zero."""
    m, p = shape(design)
    offset, norm = np.empty(p), np.empty(p)
    column_moments(design, offset, norm)
    # A column whose spread is rounding error of its own mean is constant.
    varies = norm > 1e-12 * np.sqrt(m) * np.abs(offset)
    scale = np.divide(1.0, norm, out=np.zeros(p), where=varies & (norm > 0))
    return design._replace(offset=offset, scale=scale)


def _is(design: Any, storage: type) -> bool:
    return getattr(design, "instance_class", None) is storage


def _compiled_only(name: str) -> TypeError:
    return TypeError(f"{name} is a primitive of compiled kernels: call it from a function under numba.njit")


def col_dot(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    """z_j' w for an image w whose stored part is ``v`` (m,) with sum ``v_sum``."""
    raise _compiled_only("col_dot")


def col_axpy(design, j, c, v):  # type: ignore[no-untyped-def]
    """Add c * scale_j * x_j to ``v`` (m,) in place; return by how much the sum of v grows if offset_j is the mean of x_j."""
    raise _compiled_only("col_axpy")


def col_entries(design, j):  # type: ignore[no-untyped-def]
    """Stored entries of column j."""
    raise _compiled_only("col_entries")


def col_moments(design, j):  # type: ignore[no-untyped-def]
    """Mean of the stored column x_j, and l2 norm of x_j minus its mean."""
    raise _compiled_only("col_moments")


@overload(col_dot, **_OVERLOAD)
def _col_dot(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    if _is(design, Dense):

        def dense(design, j, v, v_sum):  # type: ignore[no-untyped-def]
            column = design.values[j]
            total = 0.0
            for i in range(column.size):
                total += column[i] * v[i]
            return design.scale[j] * (total - design.offset[j] * v_sum)

        return dense
    if _is(design, Csc):

        def csc(design, j, v, v_sum):  # type: ignore[no-untyped-def]
            total = 0.0
            for k in range(design.indptr[j], design.indptr[j + 1]):
                total += design.values[k] * v[design.rows[k]]
            return design.scale[j] * (total - design.offset[j] * v_sum)

        return csc
    return None


@overload(col_axpy, **_OVERLOAD)
def _col_axpy(design, j, c, v):  # type: ignore[no-untyped-def]
    if _is(design, Dense):

        def dense(design, j, c, v):  # type: ignore[no-untyped-def]
            column = design.values[j]
            c = c * design.scale[j]
            for i in range(column.size):
                v[i] += c * column[i]
            return c * column.size * design.offset[j]

        return dense
    if _is(design, Csc):

        def csc(design, j, c, v):  # type: ignore[no-untyped-def]
            c = c * design.scale[j]
            for k in range(design.indptr[j], design.indptr[j + 1]):
                v[design.rows[k]] += c * design.values[k]
            return c * design.m * design.offset[j]

        return csc
    return None


@overload(col_entries, **_OVERLOAD)
def _col_entries(design, j):  # type: ignore[no-untyped-def]
    if _is(design, Dense):
        return lambda design, j: design.values.shape[1]
    if _is(design, Csc):
        return lambda design, j: design.indptr[j + 1] - design.indptr[j]
    return None


@overload(col_moments, **_OVERLOAD)
def _col_moments(design, j):  # type: ignore[no-untyped-def]
    if _is(design, Dense):

        def dense(design, j):  # type: ignore[no-untyped-def]
            column = design.values[j]
            mean = column.sum() / column.size
            square = 0.0
            for i in range(column.size):
                square += (column[i] - mean) ** 2
            return mean, np.sqrt(square)

        return dense
    if _is(design, Csc):

        def csc(design, j):  # type: ignore[no-untyped-def]
            start, stop = design.indptr[j], design.indptr[j + 1]
            mean = design.values[start:stop].sum() / design.m
            square = (design.m - (stop - start)) * mean * mean
            for k in range(start, stop):
                square += (design.values[k] - mean) ** 2
            return mean, np.sqrt(square)

        return csc
    return None


@njit(nogil=True, cache=True)
def column_moments(design, mean, norm):  # type: ignore[no-untyped-def]
    """Fill ``mean`` (p,) and ``norm`` (p,): mean and centred l2 norm of every stored column."""
    for j in range(mean.size):
        mean[j], norm[j] = col_moments(design, j)


@njit(nogil=True, cache=True)
def all_dots(design, v, v_sum, out):  # type: ignore[no-untyped-def]
    """The full pass: out_j = z_j' w for every column, ``out`` of shape (p,)."""
    for j in range(out.size):
        out[j] = col_dot(design, j, v, v_sum)


@njit(nogil=True, cache=True)
def combine(design, indices, coefficients, out):  # type: ignore[no-untyped-def]
    """out (m,) = stored part of sum_k coefficients_k z_{indices_k}; return the multiple of ones left out (to be added)."""
    out[:] = 0.0
    ones = 0.0
    for k in range(indices.size):
        j = indices[k]
        col_axpy(design, j, coefficients[k], out)
        ones -= coefficients[k] * design.scale[j] * design.offset[j]
    return ones
