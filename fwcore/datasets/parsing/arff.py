"""ARFF, by scipy, a block of lines at a time."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.io.arff

from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.missing import listed
from fwcore.datasets.parsing.report import Parsed, ParseOptions
from fwcore.datasets.parsing.streams import Source, line_chunks
from fwcore.datasets.parsing.tables import collected, parsed_table

# Its reader makes Python objects of every value.
_CHUNK = 1 << 20
_HEADER = 4 << 20
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


def read(source: Source, options: ParseOptions, limits: Limits) -> Parsed:
    """An ARFF file of numeric and nominal attributes.

    Raises
    ------
    DatasetError
        See `fwcore.datasets.parsing.tables.parsed_table`; also attributes of other types, sparse
        rows and a broken file.
    """
    table = collected(source.name, _batches(source, limits), limits)
    return parsed_table(source.name, "ARFF", table, options, limits)


def _batches(source: Source, limits: Limits) -> Iterator[pa.RecordBatch]:
    header, pending = "", ""
    for chunk in line_chunks(source, limits, _CHUNK):
        text = chunk.decode("utf-8", "replace")
        if not header:
            pending += text
            header, text = _cut_header(source.name, pending, limits)
            if not header:
                continue
        if text.strip():
            yield _batch(source.name, header, text)
    if not header:
        refuse(source.name, "no @data line.")


def _cut_header(name: str, text: str, limits: Limits) -> tuple[str, str]:
    """What comes up to the @data line and after it; nothing if it is yet to come."""
    columns = end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        word = line.lstrip()[:10].lower()
        columns += word.startswith("@attribute")
        limits.check(name, "columns", columns)
        if word.startswith("@data"):
            return text[:end], text[end:]
    if len(text) > _HEADER:
        refuse(name, f"no @data line in the first {_HEADER:,} characters.")
    return "", ""


def _batch(name: str, header: str, text: str) -> pa.RecordBatch:
    # Its arrays of names hold bytes: other letters than those of ASCII go through it as escapes.
    packed = (header + text).encode("ascii", "backslashreplace").decode("ascii")
    values, meta = scipy.io.arff.loadarff(io.StringIO(packed))
    dates = [attribute for attribute in meta.names() if values.dtype[attribute].kind == "M"]
    if dates:
        refuse(name, f"dates in {listed(dates)}, which are not read.")
    columns = [_column(np.atleast_1d(values)[attribute]) for attribute in meta.names()]
    return pa.RecordBatch.from_arrays(columns, names=[*meta.names()])


def _unescaped(value: bytes) -> str:
    return _ESCAPE.sub(
        lambda found: chr(int(next(filter(None, found.groups())), 16)),
        value.decode("ascii", "replace"),
    )


def _column(values: Any) -> pa.Array:
    if values.dtype.kind == "S":
        texts = [None if value == b"?" else _unescaped(value) for value in values.tolist()]
        return pa.array(texts, pa.string()).dictionary_encode()
    return pa.array(values.astype(np.float64), from_pandas=True)
