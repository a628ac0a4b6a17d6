"""A sparse matrix that is read row by row, and turned into columns at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from fwcore.arrays import DefaultNames
from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.report import Parsed, ParseOptions, Report
from fwcore.datasets.parsing.responses import response


class SparseRows:
    """Rows so far; `add` refuses them as soon as they exceed a limit."""

    def __init__(self, name: str, kind: str, limits: Limits) -> None:
        self._name, self._kind, self._limits = name, kind, limits
        self._counts: list[Any] = []
        self._indices: list[Any] = []
        self._values: list[Any] = []
        self._labels: list[Any] = []
        self._rows = self._entries = 0
        self._most = 0

    def add(self, counts: Any, indices: Any, values: Any, labels: Any) -> None:
        """Rows of ``counts`` entries each, with their labels."""
        self._rows += counts.size
        self._entries += values.size
        if indices.size:
            self._most = max(self._most, int(indices.max()))
        self._limits.check_sparse(self._name, self._rows, self._most, self._entries)
        if not np.isfinite(values).all():
            refuse(self._name, "values that are not finite.")
        self._counts.append(counts)
        self._indices.append(indices.astype(np.int32 if self._most < 2**31 - 1 else np.int64))
        self._values.append(values)
        self._labels.append(labels)

    def matrix(self, numbers: Any = None, width: int | None = None) -> Any:
        """Compressed columns; column j is ``numbers_j`` where that is given. The rows are used up.

        Columns count from 1 unless a 0 occurred; there are ``width``, or as many as are used.
        """
        if self._rows == 0:
            refuse(self._name, "no rows.")
        if self._entries == 0:
            refuse(self._name, "no values.")
        indptr = np.concatenate([[0], np.cumsum(np.concatenate(self._counts))])
        indices = np.concatenate(self._indices)
        self._indices.clear()
        values = np.concatenate(self._values)
        self._values.clear()
        if numbers is not None:
            indices = numbers[indices]
        first = min(1, int(indices.min()))
        columns = int(indices.max()) + 1 - first
        if width is not None:
            if columns > width:
                refuse(self._name, f"column {columns:,} of {width:,}.")
            columns = width
        self._limits.check_sparse(self._name, self._rows, columns, self._entries)
        X = scipy.sparse.csr_array((values, indices - first, indptr), shape=(self._rows, columns)).tocsc()
        X.sum_duplicates()
        return X

    def parsed(self, options: ParseOptions, names: Sequence[str] | None = None, numbers: Any = None) -> Parsed:
        """The matrix, the labels as a response, and the report."""
        labels = np.concatenate([np.zeros(0), *self._labels]) if options.labels is None else np.asarray(options.labels)
        if labels.size != self._rows:
            refuse(self._name, f"{labels.size:,} labels for {self._rows:,} rows.")
        y, task, classes = response(self._name, labels, None, options)
        X = self.matrix(numbers, options.columns if names is None else None)
        return sparse_parsed(self._name, self._kind, X, y, task, classes, names)


def sparse_parsed(
    name: str, kind: str, X: Any, y: Any, task: str, classes: dict[str, int], names: Sequence[str] | None, target: str = "label"
) -> Parsed:
    """What a sparse format returns; empty columns count as constant."""
    m, p = X.shape
    constant = int((np.diff(X.indptr) == 0).sum())
    report = Report(name, kind, m, p, int(X.nnz), constant=constant, target=target, task=task, classes=classes)
    return Parsed(X, y, DefaultNames(p) if names is None else names, report)
