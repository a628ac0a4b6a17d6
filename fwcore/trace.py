"""The columns that every run records: one schema for all methods.

A column that a method cannot fill is NaN.

========== =========================================================================================
point      index of the path point, from 0
step       steps made since the start of the path, this one included
seconds    CPU seconds of the worker's thread spent in kernels; evaluation and compilation excluded,
           interpolated linearly between the rows of one kernel call
dots       column dot products so far, those of X'y included (p where a method needs X'y), and
           those that a bound made needless
entries    matrix entries touched so far
grads      derivatives of single samples so far
objective f(a) after the step, as the method tracks it, with the ridge of an elastic net; an
estimate of
           ``smidas`` and ``truncgrad``: the mean loss of the samples of the step before they were
           learnt, and of those that sample batches, ``sfw_rows`` and the like: that of the batch
           before the step
gap        the method's own gap before the step: sampled gap of ``sfw``, full gap of ``fw``, ``cd``;
           stochastic gap of ``sfw_rows`` and the like, from derivatives that may be stale;
           for those on working sets an upper bound of the true gap after the step
true_gap   gap over all columns after the step, by the judge; NaN except at checkpoints and at the
           ends of points
l1         sum of abs(a) after the step
nnz        non-zero coefficients after the step
moved      largest absolute change of a coefficient
empty      draws so far whose columns held no descent vertex
hit        share of the columns that an oracle on a part of the rows answered with that are
           among as many steepest, by the judge, off the clock; NaN elsewhere, and where it did not
           look
certain    1 where the oracle knew that, else 0; NaN where ``hit`` is
========== =========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

TRACE = np.dtype(
    [
        ("point", np.int64),
        ("step", np.int64),
        ("seconds", np.float64),
        ("dots", np.int64),
        ("entries", np.int64),
        ("grads", np.float64),
        ("objective", np.float64),
        ("gap", np.float64),
        ("true_gap", np.float64),
        ("l1", np.float64),
        ("nnz", np.int64),
        ("moved", np.float64),
        ("empty", np.float64),
        ("hit", np.float64),
        ("certain", np.float64),
    ]
)

Rows = NDArray[np.void]


_BLANK = np.zeros(1, TRACE)
for _name in TRACE.names or ():
    if TRACE[_name].kind == "f":
        _BLANK[_name] = np.nan
_BLANK_BYTES = bytearray(_BLANK.tobytes())


def new_rows(n: int) -> Rows:
    """``n`` rows with NaN in every column of floats."""
    # Small problems ask for rows every few microseconds, and this is how numpy makes them fastest.
    return np.ndarray(n, TRACE, _BLANK_BYTES * n)


def join_rows(blocks: Iterable[Rows]) -> Rows:
    """The rows of all ``blocks``, one after another, as a copy."""
    # numpy would work out the columns anew for each, a hundred times slower.
    whole = b"".join(block.tobytes() for block in blocks)
    return np.ndarray(len(whole) // TRACE.itemsize, TRACE, bytearray(whole))
