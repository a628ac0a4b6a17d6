"""Results as Parquet files, and how they are read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from fwcore.status import Status

if TYPE_CHECKING:
    from fwcore.path_result import PathResult

RENAMED_COLUMNS = {"train_mse": "train_error", "test_mse": "test_error"}
"""Columns of older files, and what they are called now."""


def write_points(result: PathResult, file: str | Path | BinaryIO) -> None:
    """Write the points with their coefficients (columns ``indices``, ``coefficients``) and the
    settings as metadata.

    The same run writes the same bytes, except for the column ``seconds``.
    """
    import pyarrow as pa
    import pyarrow.parquet

    names = result.points.dtype.names or ()
    columns: dict[str, Any] = {name: pa.array(result.points[name]) for name in names}
    statuses = [Status(s).name.lower() for s in result.points["status"]]
    columns["status"] = pa.array(statuses, pa.string())
    offsets = pa.array(result.coefs.indptr, pa.int32())
    for name, values, kind in (
        ("indices", result.coefs.indices, pa.int64()),
        ("coefficients", result.coefs.data, pa.float64()),
    ):
        columns[name] = pa.ListArray.from_arrays(offsets, pa.array(values, kind))
    facts: dict[str, Any] = {
        "dataset": result.problem,
        "solver": result.solver,
        "form": result.form,
        "settings": result.settings,
        "seed": result.seed,
        "status": result.status.name.lower(),
        "versions": result.versions,
    }
    metadata = {"fwcore": json.dumps(facts, sort_keys=True)}
    table = pa.table(columns).replace_schema_metadata(metadata)
    # Statistics would carry the extremes of ``seconds`` into the footer of a file that is
    # otherwise reproducible.
    plain = {"write_statistics": False, "use_dictionary": False, "compression": "NONE"}
    pyarrow.parquet.write_table(table, str(file) if isinstance(file, Path) else file, **plain)


def write_trace(result: PathResult, file: str | Path) -> None:
    """Write the trace, a row a step."""
    import pyarrow as pa
    import pyarrow.parquet

    table = pa.table({name: result.trace[name] for name in result.trace.dtype.names or ()})
    pyarrow.parquet.write_table(table, str(file), write_statistics=False)


def dataframe(result: PathResult) -> Any:
    """The points as a pandas data frame; statuses are words."""
    import pandas

    columns: dict[str, Any] = {
        name: result.points[name] for name in result.points.dtype.names or ()
    }
    columns["status"] = [Status(s).name.lower() for s in result.points["status"]]
    return pandas.DataFrame(columns).set_index("value")


def dataset(result: PathResult) -> Any:
    """The points as an xarray dataset over "value", with ``coefficient`` over "value" and those
    features that have one anywhere.
    """
    import xarray

    rows = dataframe(result)
    features = np.unique(result.coefs.indices)
    table = result.coefs.tocsr()[features].toarray().T
    held: dict[str, Any] = {name: ("value", rows[name].to_numpy()) for name in rows.columns}
    held["coefficient"] = (("value", "feature"), table)
    where = {"value": rows.index.to_numpy(), "feature": features}
    return xarray.Dataset(held, where, {"solver": result.solver, "problem": result.problem})


def combined(frames: Mapping[str, Any], of: str, along: str) -> Any:
    """Data frames below each other, indexed by what they are ``of`` and the row ``along`` them."""
    import pandas

    return pandas.concat(frames, names=[of, along])


def read_points(file: str | Path) -> Any:
    """The table of a file that `write_points` wrote, of any version, under today's column names.

    Returns
    -------
    pyarrow.Table
        With the settings as JSON in the schema's metadata, under ``fwcore``.

    >>> import tempfile
    >>> from fwcore import datasets, read_points, walk_path
    >>> result = walk_path(datasets.load("diabetes"), "cd", tol=1e-2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.to_parquet(f"{folder}/path.parquet")
    ...     table = read_points(f"{folder}/path.parquet")
    >>> len(table["test_error"])
    100
    """
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(str(file))
    return table.rename_columns([RENAMED_COLUMNS.get(name, name) for name in table.column_names])
