"""A sparse matrix that is read row by row, and turned into columns at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numba import njit

from fwcore.arrays import DefaultNames
from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.report import Parsed, ParseOptions, Report
from fwcore.datasets.parsing.responses import response


class SparseRows:
    """Rows so far; `add` refuses them as soon as they exceed a limit."""

    def __init__(self, name: str, kind: str, limits: Limits) -> None:
        self._name, self._kind, self._limits = name, kind, limits
        self._chunks: list[tuple[Any, Any, Any]] = []
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
        narrow = np.int32 if self._most < 2**31 - 1 else np.int64
        self._chunks.append((counts, indices.astype(narrow), values))
        self._labels.append(labels)

    def matrix(self, numbers: Any = None, width: int | None = None) -> Any:
        """Compressed columns; column j is ``numbers_j`` where that is given. The rows are used up.

        Columns count from 1 unless a 0 occurred; there are ``width``, or as many as are used.
        """
        if self._rows == 0:
            refuse(self._name, "no rows.")
        if self._entries == 0:
            refuse(self._name, "no values.")
        least = (
            min(int(indices.min(initial=1)) for _, indices, _ in self._chunks)
            if numbers is None
            else int(numbers.min())
        )
        first = min(1, least)
        columns = (self._most if numbers is None else int(numbers.max())) + 1 - first
        if width is not None:
            if columns > width:
                refuse(self._name, f"column {columns:,} of {width:,}.")
            columns = width
        self._limits.check_sparse(self._name, self._rows, columns, self._entries)
        X = self._by_columns(
            columns, np.arange(self._most + 1) if numbers is None else numbers, first
        )
        X.sum_duplicates()
        return X

    def _by_columns(self, columns: int, numbers: Any, first: int) -> Any:
        """Counted, then put in place chunk by chunk: there are never more than two copies of an
        entry.
        """
        indptr = np.zeros(columns + 1, np.int64)
        for _, indices, _ in self._chunks:
            _count(indices, numbers, first, indptr)
        np.cumsum(indptr, out=indptr)
        rows, values = np.empty(self._entries, np.int32), np.empty(self._entries)
        place, row = indptr[:-1].copy(), 0
        while self._chunks:
            counts, indices, entries = self._chunks.pop(0)
            row = _scatter(counts, indices, entries, numbers, first, row, place, rows, values)
        indptr = indptr.astype(np.int32 if self._entries < 2**31 else np.int64)
        return scipy.sparse.csc_array((values, rows, indptr), shape=(self._rows, columns))

    def parsed(
        self, options: ParseOptions, names: Sequence[str] | None = None, numbers: Any = None
    ) -> Parsed:
        """The matrix, the labels as a response, and the report."""
        labels = (
            np.concatenate([np.zeros(0), *self._labels])
            if options.labels is None
            else np.asarray(options.labels)
        )
        if labels.size != self._rows:
            refuse(self._name, f"{labels.size:,} labels for {self._rows:,} rows.")
        y, task, classes = response(self._name, labels, None, options)
        X = self.matrix(numbers, options.columns if names is None else None)
        return sparse_parsed(self._name, self._kind, X, y, task, classes, names)


@njit(cache=True)
def _count(indices, numbers, first, indptr):
    """Add the entries of each column to what follows its place in ``indptr`` (columns + 1,)."""
    for k in range(indices.size):
        indptr[numbers[indices[k]] - first + 1] += 1


@njit(cache=True)
def _scatter(counts, indices, entries, numbers, first, row, place, rows, values):
    """Put the entries of a few rows at the next ``place`` (columns,) of their columns; returns the
    row after them.
    """
    k = 0
    for i in range(counts.size):
        for _ in range(counts[i]):
            j = numbers[indices[k]] - first
            rows[place[j]], values[place[j]] = row + i, entries[k]
            place[j] += 1
            k += 1
    return row + counts.size


def sparse_parsed(
    name: str,
    kind: str,
    X: Any,
    y: Any,
    task: str,
    classes: dict[str, int],
    names: Sequence[str] | None,
    target: str = "label",
) -> Parsed:
    """What a sparse format returns; empty columns count as constant."""
    m, p = X.shape
    constant = int((np.diff(X.indptr) == 0).sum())
    report = Report(
        name, kind, m, p, int(X.nnz), constant=constant, target=target, task=task, classes=classes
    )
    return Parsed(X, y, DefaultNames(p) if names is None else names, report)
