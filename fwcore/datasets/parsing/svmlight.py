"""LIBSVM text, by scikit-learn's loader, a block of lines at a time; and lists of indices, which
are LIBSVM text without values.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_svmlight_file

from fwcore.datasets.parsing.limits import Limits
from fwcore.datasets.parsing.report import Parsed, ParseOptions
from fwcore.datasets.parsing.sparse import SparseRows
from fwcore.datasets.parsing.streams import Source, line_chunks

_COMMENTS = re.compile(rb"(?m)^[ \t]*(#.*)?\r?$\n?")
_INDEX = re.compile(rb"(?<!\S)(\d+)(?!\S)")
_LINE = re.compile(rb"(?m)^(?=[^\n])")


def read(source: Source, options: ParseOptions, limits: Limits) -> Parsed:
    """LIBSVM text: ``label index:value ...`` a row, indices counted from 1 unless a 0 occurs.

    Raises
    ------
    DatasetError
        A line that is not of this form, indices that do not grow, or a limit.
    """
    return _read(source, options, limits, line_chunks(source, limits), "LIBSVM").parsed(options)


def read_indices(source: Source, options: ParseOptions, limits: Limits) -> Parsed:
    """Rows of indices of ones, counted from 1, as UCI has DOROTHEA; the labels come with the
    options.

    Raises
    ------
    DatasetError
        A line that holds anything else, or a limit.
    """
    chunks = (
        _LINE.sub(b"0 ", _INDEX.sub(rb"\1:1", chunk)) for chunk in line_chunks(source, limits)
    )
    return _read(source, options, limits, chunks, "indices").parsed(options)


def _read(
    source: Source, options: ParseOptions, limits: Limits, chunks: Iterator[bytes], kind: str
) -> SparseRows:
    rows = SparseRows(source.name, kind, limits)
    for chunk in chunks:
        if chunk.lstrip().startswith(b"#"):
            # Its loader takes a text of comments alone for a broken one.
            chunk = _COMMENTS.sub(b"", chunk)
        if not chunk.strip():
            continue
        X, y = load_svmlight_file(io.BytesIO(chunk), zero_based=True)
        rows.add(np.diff(X.indptr), X.indices, X.data, y)
    return rows
