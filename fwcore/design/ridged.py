"""The dots of an elastic net: those of a design, plus a multiple of a run's own coefficients."""

from __future__ import annotations

from typing import Any, NamedTuple

from fwcore.design.primitives import (
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_place,
    col_reach,
)
from fwcore.kernels.dispatch import implements
from fwcore.kernels.types import Floats, Ints


class Ridged(NamedTuple):
    """``design``, whose `col_dot` adds ``weight``[0] * ``coef``[``columns``[j]].

    So X'v + weight * a, the gradient of a sum of a loss and a multiple of ||a||^2, is read as X'v
    is; ``coef`` (p,) and ``weight`` (1,) belong to the run. ``columns`` (p,) says which coefficient
    is whose, for a design in another order.
    """

    design: Any
    coef: Floats
    weight: Floats
    columns: Ints

    def permuted(self, columns: Any) -> Ridged:
        """A copy with the columns in another order; ``columns`` (p,) says which goes where."""
        return self._replace(design=self.design.permuted(columns), columns=self.columns[columns])


@implements(col_dot, Ridged)
def _col_dot(design, j, v, v_sum):
    return col_dot(design.design, j, v, v_sum) + design.weight[0] * design.coef[design.columns[j]]


@implements(col_axpy, Ridged)
def _col_axpy(design, j, c, v):
    return col_axpy(design.design, j, c, v)


@implements(col_entries, Ridged)
def _col_entries(design, j):
    return col_entries(design.design, j)


@implements(col_place, Ridged)
def _col_place(design, j):
    return col_place(design.design, j)


@implements(col_fetch, Ridged)
def _col_fetch(design, j):
    return col_fetch(design.design, j)


@implements(col_reach, Ridged)
def _col_reach(design, j, v):
    return col_reach(design.design, j, v)
