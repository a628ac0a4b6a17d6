"""Missing values: refused, their rows dropped, or the mean put in their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fwcore.datasets.parsing.limits import refuse
from fwcore.datasets.parsing.report import ParseOptions
from fwcore.kernels.types import Floats

_SHOWN = 8


def listed(names: Sequence[str]) -> str:
    """``columns 'a', 'b' and 3 more``."""
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{'columns' if len(names) > 1 else 'column'} {shown}{more}"


class Settled(NamedTuple):
    """``X`` (p, rows that stay); ``rows`` (m,): which do; how many values were missing, and how
    many of them imputed.
    """

    X: Floats
    rows: Any
    missing: int
    imputed: int


def settled(
    name: str,
    X: Floats,
    names: Sequence[str],
    lost: dict[str, Any],
    required: str,
    options: ParseOptions,
) -> Settled:
    """``X`` (p, m) without NaN. ``lost``: for columns that are not in X, which rows (m,) have no
    value there.

    Rows without a value of the ``required`` one of those, the target, cannot be imputed and are
    dropped.

    Raises
    ------
    DatasetError
        Infinite values; missing values where they are refused; no row left.
    """
    holed: list[int] = np.flatnonzero(~np.isfinite(X).all(axis=1)).tolist()
    infinite = [names[j] for j in holed if np.isinf(X[j]).any()]
    if infinite:
        refuse(name, f"infinite values in {listed(infinite)}.")
    counts = {names[j]: int(np.isnan(X[j]).sum()) for j in holed} | {
        key: int(rows.sum()) for key, rows in lost.items()
    }
    missing = sum(counts.values())
    rows = ~lost[required]
    if missing and options.missing == "refuse":
        where = listed([key for key, count in counts.items() if count])
        refuse(
            name,
            f"{missing:,} values are missing in {where}. Choose to drop such rows (missing: "
            "drop) or to put the mean "
            "(missing: mean).",
        )
    if options.missing == "drop":
        for other in lost.values():
            rows &= ~other
        rows &= ~np.isnan(X[holed]).any(axis=0)
    if not rows.any():
        refuse(name, "no row is without missing values.")
    X, imputed = X if rows.all() else np.ascontiguousarray(X[:, rows]), 0
    for j in holed:
        holes = np.isnan(X[j])
        imputed += int(holes.sum())
        X[j, holes] = X[j, ~holes].mean() if not holes.all() else 0.0
    return Settled(X, rows, missing, imputed)
