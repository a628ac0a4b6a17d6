"""CSV, TSV and the like, by pyarrow, a block at a time."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from fwcore.datasets.parsing.limits import Limits, refuse, refusing
from fwcore.datasets.parsing.report import Parsed, ParseOptions
from fwcore.datasets.parsing.streams import Source, unpacked
from fwcore.datasets.parsing.tables import Table, collected, parsed_table
from fwcore.kernels.types import Floats

_BLOCK = 1 << 20
_LOOKED_AT = 1 << 18
_DELIMITERS = (",", ";", "\t", "|", " ")
NULLS = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?", "#N/A"]
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE)
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class _Layout:
    """What the beginning of a file shows."""

    delimiter: str
    names: list[str]
    header: bool
    decimal: str


def read(source: Source, options: ParseOptions, limits: Limits) -> Parsed:
    """A delimited file.

    Raises
    ------
    DatasetError
        See `fwcore.datasets.parsing.tables.parsed_table`; also rows of unequal length, text in a
        column of numbers, no UTF-8.
    """
    table = _table(source, options, limits)
    if options.labels is not None:
        rows = len(table[0][1])
        if len(options.labels) != rows:
            refuse(source.name, f"{len(options.labels):,} labels for {rows:,} rows.")
        table.append(("label", pa.chunked_array([pa.array(options.labels)])))
    return parsed_table(source.name, "delimited text", table, options, limits)


def read_labels(source: Source, limits: Limits) -> Floats:
    """A number a row, as ARCENE and DOROTHEA have their labels."""
    limits.check(source.name, "bytes", source.size)
    with refusing(source.name, "a number a row"), unpacked(source, limits) as stream:
        return np.loadtxt(stream, ndmin=1)


def _table(source: Source, options: ParseOptions, limits: Limits) -> Table:
    head = _head(source, limits)
    layout = _layout(source.name, head, options, limits)
    parse = pa.csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=b'"' in head)
    # Lines up to the header, which is known already; those that are blank count.
    skipped = head[: len(head) - len(head.lstrip())].count(b"\n") + 1 if layout.header else 0
    # A block must hold a line.
    block = max(_BLOCK, 4 * max(map(len, head.split(b"\n"))))
    read_options = pa.csv.ReadOptions(
        block_size=block, column_names=layout.names, skip_rows=skipped
    )
    convert = pa.csv.ConvertOptions(
        column_types=_types(head, layout, parse, skipped),
        null_values=NULLS,
        strings_can_be_null=True,
        decimal_point=layout.decimal,
        true_values=["true", "True", "TRUE"],
        false_values=["false", "False", "FALSE"],
    )
    with (
        unpacked(source, limits) as stream,
        pa.csv.open_csv(stream, read_options, parse, convert) as reader,
    ):
        return collected(source.name, _batches(reader), limits)


def _head(source: Source, limits: Limits) -> bytes:
    """Whole lines from the beginning."""
    with unpacked(source, limits) as stream:
        head = stream.read(_LOOKED_AT)
        head += stream.readline(limits.line + 1)
    if len(head) > limits.line:
        refuse(source.name, f"a line of more than {limits.line:,} bytes.")
    head = head.removeprefix(b"\xef\xbb\xbf")
    if not head.strip():
        refuse(source.name, "empty.")
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse(
            source.name,
            f"not in UTF-8 ({error.reason} at byte {error.start:,}). Save it with that encoding.",
        )
    return head


def _batches(reader: Any) -> Iterator[pa.RecordBatch]:
    yield from reader


def _layout(name: str, head: bytes, options: ParseOptions, limits: Limits) -> _Layout:
    lines = [line for line in head.split(b"\n") if line.strip()][:20]
    # Counted before it is taken apart, which takes far more memory than the line itself.
    delimiter = options.delimiter or _delimiter(lines)
    limits.check(name, "columns", lines[0].count(delimiter.encode()))
    rows = [
        *csv.reader(io.StringIO(b"\n".join(lines).decode("utf-8", "replace")), delimiter=delimiter)
    ]
    first = [cell.strip() for cell in rows[0]]
    header = options.header
    if header is None:
        header = not any(_NUMBER.fullmatch(cell) for cell in first) and any(first)
    decimal = options.decimal or _decimal(rows[1:] if header else rows, delimiter)
    names = _different(first) if header else [f"x{i}" for i in range(1, len(first) + 1)]
    return _Layout(delimiter, names, header, decimal)


def _different(names: list[str]) -> list[str]:
    """Names of their own for columns that share one."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    counts: dict[str, int] = {}
    result = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        result.append(f"{name} ({counts[name]})" if name and seen[name] > 1 else name)
    return result


def _delimiter(lines: list[bytes]) -> str:
    """The one that cuts every line into as many pieces as the first, and into the most."""

    def pieces(delimiter: str) -> tuple[bool, int]:
        counts = [line.strip(b"\r\n").count(delimiter.encode()) for line in lines]
        return counts[0] > 0 and min(counts) == max(counts), max(counts) if min(counts) > 0 else 0

    return max(_DELIMITERS, key=pieces)


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    cells = [cell.strip() for row in rows for cell in row]
    return "," if delimiter != "," and any(_COMMA_NUMBER.fullmatch(cell) for cell in cells) else "."


def _types(head: bytes, layout: _Layout, parse: Any, skipped: int) -> dict[str, pa.DataType]:
    """Types inferred from the beginning: every number may turn out to have a fraction further down,
    text is kept as categories.
    """
    convert = pa.csv.ConvertOptions(
        null_values=NULLS,
        strings_can_be_null=True,
        decimal_point=layout.decimal,
        timestamp_parsers=["%Y-%m-%dT%H:%M:%S"],
    )
    whole = pa.csv.ReadOptions(
        column_names=layout.names, block_size=len(head) + 1, skip_rows=skipped
    )
    table = pa.csv.read_csv(io.BytesIO(head), whole, parse, convert)
    types: dict[str, pa.DataType] = {}
    for field in table.schema:
        if pa.types.is_boolean(field.type):
            types[field.name] = pa.bool_()
        elif (
            pa.types.is_integer(field.type)
            or pa.types.is_floating(field.type)
            or pa.types.is_null(field.type)
        ):
            types[field.name] = pa.float64()
        else:
            types[field.name] = pa.dictionary(pa.int32(), pa.string())
    return types
