"""Results to take away: CSV, JSON, Parquet, and a report that opens without a server."""

from __future__ import annotations

import csv
import io
import json
import pickle
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from fwcore import DatasetError, PathResult

About: TypeAlias = Mapping[str, Any]
"""What is said besides the results: see `app.taking`."""
Pictures: TypeAlias = Callable[[], list[dict[str, Any]]]
"""Gathers what is on screen: see `app.onscreen`."""
_REPORT_SECONDS = 120
# Each is a process of its own, with HoloViews in it.
_reports = threading.Semaphore(2)


def to_csv(results: Mapping[str, PathResult], about: About, pictures: Pictures) -> bytes:
    """The points of all runs, a row each."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    names = next(iter(results.values())).points.dtype.names or ()
    writer.writerow(["run", *names])
    for name, result in results.items():
        # Of a cell that begins so, a spreadsheet would make a formula.
        safe = f"'{name}" if name[:1] in ("=", "+", "-", "@") else name
        writer.writerows([safe, *(row[n].item() for n in names)] for row in result.points)
    return held.getvalue().encode()


def to_json(results: Mapping[str, PathResult], about: About, pictures: Pictures) -> bytes:
    """Everything about the runs but their steps; what is not finite is null."""
    runs = []
    for name, result in results.items():
        points = {n: _plain(result.points[n].tolist()) for n in result.points.dtype.names or ()}
        ends = result.coefs.indptr
        coefficients = [
            {
                "indices": result.coefs.indices[a:b].tolist(),
                "values": _plain(result.coefs.data[a:b].tolist()),
            }
            for a, b in pairwise(ends.tolist())
        ]
        told = {"name": name, "digest": result.digest(), **result.summary()}
        runs.append(told | {"points_table": points, "coefficients": coefficients})
    return json.dumps({**about, "runs": runs}, allow_nan=False, default=float).encode()


def _plain(column: list[Any]) -> list[Any]:
    return [None if isinstance(x, float) and not np.isfinite(x) else x for x in column]


def to_parquet(results: Mapping[str, PathResult], about: About, pictures: Pictures) -> bytes:
    """A ZIP archive with a Parquet file a run: points, coefficients and settings."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for k, (name, result) in enumerate(results.items(), 1):
            file = io.BytesIO()
            result.to_parquet(file)
            plain = "".join(c if c.isalnum() or c in "-_. " else "_" for c in name)
            archive.writestr(f"{k} {plain}.parquet", file.getvalue())
    return held.getvalue()


def to_html(results: Mapping[str, PathResult], about: About, pictures: Pictures) -> bytes:
    """A report of one file, made in a process of its own: HoloViews takes long to begin, and no
    page has to wait for it.

    Raises
    ------
    DatasetError
        The process failed.
    """
    # A report shows no steps, which are most of a result.
    light = {name: replace(result, trace=result.trace[:0]) for name, result in results.items()}
    with _reports:
        done = subprocess.run(
            [sys.executable, "-m", "app.report"],
            input=pickle.dumps((light, {**about, "pictures": pictures()})),
            capture_output=True,
            check=False,
            timeout=_REPORT_SECONDS,
        )
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise DatasetError(f"The report could not be made: {' '.join(why)}")
    return done.stdout


@dataclass(frozen=True)
class Format:
    """The name and the type of a file, and what makes it; ``whole``: of runs whose every point is
    at hand, as those that were recorded in short are not.
    """

    name: str
    mime: str
    make: Callable[..., bytes]
    whole: bool = True


FORMATS = {
    "csv": Format("points.csv", "text/csv", to_csv),
    "json": Format("runs.json", "application/json", to_json),
    "parquet": Format("runs.zip", "application/zip", to_parquet),
    "html": Format("report.html", "text/html", to_html, whole=False),
}
"""What can be taken away; a new one is a function and a line here."""
