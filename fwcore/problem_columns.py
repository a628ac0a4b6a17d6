"""A problem and its columns: which matter at a point, and which equal others."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from fwcore.design import sealed
from fwcore.kernels.types import Floats, Ints

# Sums in another order differ by less than this share of them.
_TIE = 1e-9


class ProblemColumns:
    """The part of `fwcore.problem.Problem` that tells columns apart."""

    @cached_property
    def distinct(self: Any) -> tuple[Any, Ints | None]:
        """(The problem without columns that equal others, nor names, which of these they are); the
        same problem and None where there are none, or none are looked for. Where signs are free,
        minus a column equals it.
        """
        look = getattr(self.design, "distinct", None)
        if look is None or (found := look(self.positive)) is None:
            return self, None
        design, columns = found
        kept = replace(
            self,
            design=design,
            sigma=self.sigma[columns],
            sqnorms=self.sqnorms[columns],
            test_design=None,
            test_y=None,
            feature_names=(),
        )
        sealed((*design, kept.sigma, kept.sqnorms))
        return kept, columns

    def hit(self: Any, indices: Ints, coefficients: Floats, answer: Ints) -> float:
        """The share of the columns ``answer`` (k,) that are among the k steepest at a, ties
        included; a pass over X.
        """
        slopes = np.abs(self.gradient(self.residual(indices, coefficients)))
        least = np.partition(slopes, slopes.size - answer.size)[slopes.size - answer.size]
        return float((slopes[answer[answer >= 0]] >= (1.0 - _TIE) * least).sum() / answer.size)
