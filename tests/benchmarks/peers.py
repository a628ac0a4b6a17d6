"""The solvers that ours are measured against: each takes a matrix, a response, a lam grid and its
own tolerance.
"""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from threadpoolctl import threadpool_limits

from fwcore.solvers.external import adelie, celer, scikit_learn, skglm


class Timed(NamedTuple):
    """What a run took and found: coefficients in sparse columns, (p, points)."""

    cpu: float
    wall: float
    coefs: Any


@dataclass(frozen=True)
class Peer:
    """``ladder``: its tolerances, coarse to fine; ``package`` of Python or R that it belongs to."""

    name: str
    ladder: tuple[float, ...]
    run: Callable[[Any, Any, Any, float], Timed]
    available: Callable[[], bool]
    package: str
    version_of: Callable[[str], str] = importlib.metadata.version

    @property
    def version(self) -> str:
        """Of the package."""
        return self.version_of(self.package)


def timed(call: Callable[[], Any], stored: Callable[[Any], Any] = scipy.sparse.csc_array) -> Timed:
    """Run ``call`` on one thread: two of BLAS may wait for each other, and count as CPU seconds.
    What it returns is then ``stored`` in sparse columns, off the clock.
    """
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # Peers warn where a tolerance is missed; the judge sees that anyway.
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        found = call()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Timed(cpu, wall, stored(found))


def of_python(
    name: str, ladder: tuple[float, ...], call: Callable[..., Any], package: str | None = None
) -> Peer:
    """A peer in a package of Python, by default of its name, whose ``call`` is timed."""
    package = package or name

    def run(X: Any, y: Any, lam: Any, tolerance: float) -> Timed:
        return timed(lambda: call(X, y, lam, tolerance))

    def available() -> bool:
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return False
        return True

    return Peer(name, ladder, run, available, package)


def _ours_to_call(module: Any) -> Callable[..., Any]:
    return lambda *given: module.coefficients(*given, None, None)


def _glmnet(family: str, way: str, X: Any, y: Any, lam: Any, tolerance: float) -> Timed:
    """``way``: of the "gaussian" family "naive" or "covariance", its two ways to update slopes; of
    the "binomial" one "Newton" or "modified.Newton", its curvature or a bound of it.
    """
    sparse = scipy.sparse.issparse(X)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def write(what: str, array: Any, dtype: Any) -> None:
            np.asarray(array, dtype).ravel(order="F").tofile(folder / what)

        write("shape", [*X.shape, sparse], np.int32)
        write("values", X.data if sparse else X, np.float64)
        if sparse:
            write("rows", X.indices, np.int32)
            write("indptr", X.indptr, np.int32)
        write("y", y, np.float64)
        write("lambda", lam / y.size, np.float64)
        script = Path(__file__).with_name("glmnet.R")
        command = ["Rscript", str(script), name, str(tolerance), family, way]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        read = [np.fromfile(folder / f"beta_{part}", dtype) for part, dtype in _SPARSE]
    rows, indptr, values = read
    return Timed(
        float(told[0]),
        float(told[1]),
        scipy.sparse.csc_array((values, rows, indptr), shape=(X.shape[1], int(told[2]))),
    )


_SPARSE = (("rows", np.int32), ("indptr", np.int32), ("values", np.float64))

FINE = tuple(10.0**-k for k in range(6, 15))
"""A ladder of tolerances of squared steps."""


def halved(first: int, last: int) -> tuple[float, ...]:
    """A ladder of gaps or slopes from 10^-first to 10^-last: tenths, and half of each, since some
    scale their tolerance by twice the unit of the accuracies.
    """
    return tuple(share * 10.0**-k for k in range(first, last + 1) for share in (1.0, 0.5))


def _r_version(package: str) -> str:
    asked = f"cat(format(packageVersion('{package}')))"
    return subprocess.run(
        ["Rscript", "-e", asked], capture_output=True, text=True, check=True
    ).stdout


def glmnet(family: str, *ways: str) -> tuple[Peer, ...]:
    """A peer for each way that it has in a family of losses."""

    def available() -> bool:
        return shutil.which("Rscript") is not None

    return tuple(
        Peer(f"glmnet-{way}", FINE, partial(_glmnet, family, way), available, "glmnet", _r_version)
        for way in ways
    )


PEERS = (
    of_python("adelie", FINE, _ours_to_call(adelie)),
    *glmnet("gaussian", "naive", "covariance"),
    of_python("celer", halved(3, 6), _ours_to_call(celer)),
    of_python("skglm", halved(3, 7), _ours_to_call(skglm)),
    of_python("scikit-learn", halved(3, 5), _ours_to_call(scikit_learn)),
)
