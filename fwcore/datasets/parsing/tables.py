"""From the columns of a table (CSV, Parquet, ARFF) to a matrix: missing values, text, target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.missing import listed, settled
from fwcore.datasets.parsing.report import Parsed, ParseOptions, Report
from fwcore.datasets.parsing.responses import response
from fwcore.kernels.types import Floats

_MISSING = "(missing)"


@dataclass(eq=False)
class _Column:
    """A column: ``values`` (m,), numbers in Arrow's hands, or codes of ``labels`` with -1 where
    there is none.
    """

    name: str
    values: Any
    labels: tuple[str, ...] | None

    def move(self, out: Floats) -> None:
        """Put the numbers into ``out`` (m,), NaN where one is missing, and keep none."""
        chunks, self.values, at = self.values.chunks, None, 0
        for chunk in chunks:
            out[at : at + len(chunk)] = chunk.cast(pa.float64(), safe=False).to_numpy(
                zero_copy_only=False
            )
            at += len(chunk)


Table = list[tuple[str, pa.ChunkedArray]]
"""Names and columns. A reader hands it over: columns are taken out as they are copied, so that
there are never three copies.
"""


def collected(name: str, batches: Iterable[pa.RecordBatch], limits: Limits) -> Table:
    """The batches as one table, refused as soon as they exceed a limit."""
    kept: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        limits.check_table(name, rows, batch.num_columns)
        if sum(column.nbytes for column in batch.columns) > limits.memory:
            refuse(
                name,
                f"values take more than the {limits.memory >> 20:,} MB that a matrix may take.",
            )
        kept.append(batch)
    if rows == 0:
        refuse(name, "no rows.")
    table = pa.Table.from_batches(kept)
    return [*zip(table.column_names, table.columns, strict=True)]


def parsed_table(
    name: str, kind: str, table: Table, options: ParseOptions, limits: Limits
) -> Parsed:
    """The matrix and the response of a table.

    Raises
    ------
    DatasetError
        No such target, no column of numbers, text or missing values without a choice what to do
        about them, a limit.
    """
    columns = _columns(name, table)
    target = _target(name, columns, options)
    columns.remove(target)
    texts = [column for column in columns if column.labels is not None]
    if texts and options.categorical == "refuse":
        refuse(
            name,
            f"text in {listed([c.name for c in texts])}. Choose to encode such columns "
            "(categorical: one-hot) or to drop them "
            "(categorical: drop).",
        )
    if options.categorical == "drop":
        columns = [column for column in columns if column.labels is None]
    width = sum(1 if column.labels is None else len(column.labels) + 1 for column in columns)
    m = len(target.values)
    limits.check_table(name, m, width)
    if not columns:
        refuse(name, f"no column of numbers besides the target {target.name!r}.")
    lost = {
        column.name: column.values < 0 for column in [*columns, target] if column.labels is not None
    }
    if target.labels is None:
        values = np.empty(m)
        target.move(values)
        target.values, lost[target.name] = values, np.isnan(values)
    X, names = _matrix(columns, m)
    X, rows, missing, imputed = settled(name, X, names, lost, target.name, options)
    y, task, classes = response(name, target.values[rows], target.labels, options)
    report = Report(
        name,
        kind,
        rows=X.shape[1],
        columns=len(names),
        nonzeros=int(np.count_nonzero(X)),
        constant=int((np.ptp(X, axis=1) == 0).sum()),
        missing=missing,
        dropped_rows=int(rows.size - rows.sum()),
        imputed=imputed,
        encoded={c.name: c.labels for c in texts if c.labels is not None}
        if options.categorical == "one-hot"
        else {},
        dropped_columns=tuple(c.name for c in texts) if options.categorical == "drop" else (),
        target=target.name,
        task=task,
        classes=classes,
    )
    return Parsed(X.T, y, names, report)


def _columns(name: str, table: Table) -> list[_Column]:
    """The columns of a table, which is empty afterwards."""
    columns = []
    for j in range(1, len(table) + 1):
        label, column = table.pop(0)
        if column.null_count == len(column) and label.strip() in ("", f"x{j}"):
            # A separator at the end of each line makes a nameless column of nothing.
            continue
        columns.append(_column(name, label, column))
    return columns


def _column(name: str, label: str, column: Any) -> _Column:
    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    numeric = any(
        test(column.type)
        for test in (
            pa.types.is_integer,
            pa.types.is_floating,
            pa.types.is_decimal,
            pa.types.is_null,
        )
    )
    if not numeric:
        return _coded(name, label, column)
    return _Column(label, column, None)


def _coded(name: str, label: str, column: Any) -> _Column:
    """A column of text as codes, its categories sorted."""
    if pa.types.is_nested(column.type):
        refuse(name, f"column {label!r} holds nested values ({column.type}).")
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column.cast(pa.string()))
    merged = column.unify_dictionaries().combine_chunks()
    merged = merged.chunk(0) if isinstance(merged, pa.ChunkedArray) else merged
    labels = [str(value) for value in merged.dictionary.to_pylist()]
    codes = merged.indices.fill_null(-1).to_numpy().astype(np.int64)
    used = sorted({labels[code] for code in np.unique(codes[codes >= 0])})
    place = {text: i for i, text in enumerate(used)}
    recoded = np.array([place.get(text, -1) for text in labels] + [-1])
    return _Column(label, recoded[codes], tuple(used))


def _target(name: str, columns: list[_Column], options: ParseOptions) -> _Column:
    if options.target is None:
        return columns[-1]
    for column in columns:
        if column.name == options.target:
            return column
    refuse(name, f"no column {options.target!r}; there are {listed([c.name for c in columns])}.")


def _matrix(columns: list[_Column], m: int) -> tuple[Floats, list[str]]:
    """X (p, m) and the names of its rows; a category is 1 where it holds. The numbers are moved
    there.
    """
    rows: list[tuple[str, _Column, int]] = []
    for column in columns:
        if column.labels is None:
            rows.append((column.name, column, 0))
            continue
        rows += [
            (f"{column.name}={label}", column, code) for code, label in enumerate(column.labels)
        ]
        if (column.values < 0).any():
            rows.append((f"{column.name}={_MISSING}", column, -1))
    X = np.empty((len(rows), m))
    for at, (_, column, code) in enumerate(rows):
        if column.labels is None:
            column.move(X[at])
        else:
            X[at] = column.values == code
    return X, [name for name, _, _ in rows]
