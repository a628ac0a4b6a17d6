"""Parquet, by pyarrow, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.report import Parsed, ParseOptions
from fwcore.datasets.parsing.streams import Source
from fwcore.datasets.parsing.tables import collected, parsed_table

_BATCH_VALUES = 1 << 20


def read(source: Source, options: ParseOptions, limits: Limits) -> Parsed:
    """A Parquet file of flat columns.

    Raises
    ------
    DatasetError
        See `fwcore.datasets.parsing.tables.parsed_table`; also nested columns and a broken file.
    """
    with source.open() as stream:
        file = pa.parquet.ParquetFile(stream)
        _check(source, file.metadata, limits)
        # Text stays a dictionary: a short file may repeat a long text a million times.
        texts = [
            f.name
            for f in file.schema_arrow
            if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
        ]
        file = pa.parquet.ParquetFile(stream, read_dictionary=texts)
        table = collected(source.name, _batches(file), limits)
    return parsed_table(source.name, "Parquet", table, options, limits)


def _check(source: Source, metadata: Any, limits: Limits) -> None:
    """The file's own account of its size, before any of it is unpacked."""
    name, most = source.name, limits.unpacked(source.size)
    limits.check_table(name, metadata.num_rows, metadata.num_columns)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    unpacked = sum(max(0, group.total_byte_size) for group in groups)
    if unpacked > most:
        refuse(name, f"unpacks to {unpacked >> 20:,} MB, where at most {most >> 20:,} are read.")


def _batches(file: Any) -> Iterator[pa.RecordBatch]:
    width = max(1, file.metadata.num_columns)
    yield from file.iter_batches(batch_size=max(64, _BATCH_VALUES // width), use_threads=False)
