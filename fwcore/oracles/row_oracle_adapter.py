"""An oracle on a part of the rows in the place of one on columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fwcore.design import col_dot, col_entries
from fwcore.kernels.dispatch import implements
from fwcore.kernels.types import Floats
from fwcore.oracles.protocol import steepest
from fwcore.oracles.rows import steepest_of_rows


class RowOracleAdapter(NamedTuple):
    """r = target - scale * image, and the slope of the column that ``oracle`` answers with, by one
    dot product.

    ``target``, ``residual`` (m,); ``barred`` (p,): nothing. ``centred`` (1,): whether images leave
    out a multiple of ones, so that theirs is a mean of 0. ``entries`` (1,): those of the design.
    """

    oracle: Any
    rows: Any
    target: Floats
    residual: Floats
    barred: NDArray[np.bool_]
    centred: NDArray[np.bool_]
    entries: NDArray[np.int64]


@implements(steepest, RowOracleAdapter)
def _steepest(oracle, design, sigma, scale, image, image_sum, kappa, positive, least):
    left_out = image_sum / image.size if oracle.centred[0] else 0.0
    for i in range(image.size):
        oracle.residual[i] = oracle.target[i] - scale * (image[i] - left_out)
    j, _, _, touched, dots, _ = steepest_of_rows(
        oracle.oracle, design, oracle.rows, oracle.entries[0], oracle.residual, oracle.barred
    )
    j = max(j, 0)
    return (
        j,
        scale * col_dot(design, j, image, image_sum) - sigma[j],
        dots + 1,
        touched + col_entries(design, j),
    )
