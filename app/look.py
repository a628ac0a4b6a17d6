"""A look at data before anything is solved: some rows, the response, where the entries are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from fwcore import datasets

_ROWS, _COLUMNS = 6, 8
_BINS = 24
_GRID = (24, 60)
_MOST_ENTRIES = 5_000_000
_LONGEST = 40


def look_at(X: Any, y: Any, names: Sequence[str]) -> dict[str, Any]:
    """What the page shows of a design (m, p) and a response (m,), ready for JSON."""
    m, p = X.shape
    rows, columns = min(_ROWS, m), min(_COLUMNS, p)
    corner = X[:rows, :columns]
    corner = corner.toarray() if scipy.sparse.issparse(corner) else np.asarray(corner)
    counts, edges = np.histogram(y, bins=min(_BINS, max(2, len(np.unique(y)))))
    nonzeros = X.nnz if scipy.sparse.issparse(X) else int(np.count_nonzero(X))
    share = datasets.kappa_share(X) if nonzeros <= _MOST_ENTRIES else float("nan")
    return {
        "head": ["y", *(str(names[j])[:_LONGEST] for j in range(columns))],
        "rows": [[f"{y[i]:.4g}", *(f"{value:.4g}" for value in corner[i])] for i in range(rows)],
        "more": [int(m - rows), int(p - columns)],
        "counts": counts.tolist(),
        "ends": [f"{edges[0]:.4g}", f"{edges[-1]:.4g}"],
        "density": nonzeros / (m * p),
        "grid": _pattern(X),
        "kappa": share if np.isfinite(share) else None,
    }


def _pattern(X: Any) -> list[list[float]]:
    """The share of non-zeros in each cell of a coarse grid over the matrix."""
    m, p = X.shape
    shape = min(_GRID[0], m), min(_GRID[1], p)
    if scipy.sparse.issparse(X):
        held = scipy.sparse.coo_array(X)
        i, j = held.coords
    else:
        i, j = np.nonzero(X)
    step = max(1, len(i) // _MOST_ENTRIES)
    i, j = i[::step], j[::step]
    cells, _, _ = np.histogram2d(
        np.asarray(i) * shape[0] // m,
        np.asarray(j) * shape[1] // p,
        bins=[np.arange(shape[0] + 1) - 0.5, np.arange(shape[1] + 1) - 0.5],
    )
    sizes = np.outer(*(np.bincount(np.arange(n) * k // n, minlength=k)
                       for n, k in zip((m, p), shape, strict=True)))  # fmt: skip
    shares: list[list[float]] = np.round(np.minimum(1.0, step * cells / sizes), 3).tolist()
    return shares
