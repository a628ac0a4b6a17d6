"""What came of a walk, or of as much of it as was reached."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fwcore.display import result_html
from fwcore.kernels.types import Floats
from fwcore.plotting import drawn
from fwcore.reproduce import code_of, command_of, digest_of
from fwcore.result_files import dataframe, dataset, write_points, write_trace
from fwcore.status import Status
from fwcore.trace import Rows


@dataclass(frozen=True)
class PathResult:
    """A path, or as much of it as was reached.

    Attributes
    ----------
    grid : ndarray
        All values that were asked for; ``points`` and ``coefs`` hold those that were reached.
    points : structured array
        One row a point, see `POINT`.
    coefs : scipy.sparse.csc_array of shape (p, points)
        Coefficients in the solvers' scale (columns of unit norm when standardised).
    trace : structured array
        One row a step, see `fwcore.trace`.
    notes : dict
        What the solver found out besides, such as a step size.
    source : tuple of (str, value)
        What `fwcore.datasets.load` was called with; empty where the problem was made from arrays.

    >>> from fwcore import datasets, walk_path
    >>> result = walk_path(datasets.load("diabetes"), "active_set", tol=1e-6)
    >>> result
    PathResult('diabetes', 'active_set', 100 of 100 points, SMALL_GAP)
    >>> result.max_relative_gap < 1e-6
    True
    >>> result.coefs.shape
    (1000, 100)
    """

    problem: str
    solver: str
    form: str
    settings: dict[str, Any]
    seed: int
    status: Status
    f0: float
    grid: Floats
    points: NDArray[np.void]
    coefs: scipy.sparse.csc_array[np.float64]
    trace: Rows
    versions: dict[str, str]
    notes: dict[str, Any]
    source: tuple[tuple[str, Any], ...] = ()
    pictures: ClassVar[str] = "paths"

    def __repr__(self) -> str:
        reached = f"{len(self.points)} of {len(self.grid)} points"
        return f"PathResult({self.problem!r}, {self.solver!r}, {reached}, {self.status.name})"

    @property
    def max_relative_gap(self) -> float:
        """Largest true gap of a point, relative to f(0); NaN if no point was reached."""
        return float(self.points["true_gap"].max() / self.f0) if self.points.size else float("nan")

    @property
    def hit_rate(self) -> float:
        """Mean ``hit`` of the steps where the judge looked; NaN if it never did."""
        hits = self.trace["hit"][np.isfinite(self.trace["hit"])]
        return float(hits.mean()) if hits.size else float("nan")

    @property
    def ended_by_chance(self) -> int:
        """Points that a draw without a descent vertex ended; see the option ``empty``."""
        return int((self.points["status"] == Status.EMPTY_DRAW).sum())

    def summary(self) -> dict[str, Any]:
        """The path in a few figures, ready for JSON; what is not known is None.

        >>> from fwcore import datasets, walk_path
        >>> told = walk_path(datasets.load("diabetes"), "cd", tol=1e-2).summary()
        >>> told["points"], told["status"]
        (100, 'small_move')
        """
        points = self.points
        last = self.trace[-1] if self.trace.size else None
        tested = points["test_error"][np.isfinite(points["test_error"])]
        return {
            "dataset": self.problem,
            "solver": self.solver,
            "settings": self.settings,
            "seed": self.seed,
            "status": self.status.name.lower(),
            "message": self.status.sentence,
            "points": int(points.size),
            "points_asked": int(self.grid.size),
            "steps": int(last["step"]) if last is not None else 0,
            "dots": int(last["dots"]) if last is not None else 0,
            "entries": int(last["entries"]) if last is not None else 0,
            "grads": _number(last["grads"]) if last is not None else None,
            "empty_draws": _number(last["empty"]) if last is not None else None,
            "points_ended_by_chance": self.ended_by_chance,
            "hit_rate": _number(self.hit_rate),
            "seconds": float(last["seconds"]) if last is not None else 0.0,
            "value_max": float(self.grid.max()),
            "mean_active": float(points["nnz"].mean()) if points.size else None,
            "best_test_error": float(tested.min()) if tested.size else None,
            "max_relative_gap": _number(self.max_relative_gap),
            "notes": self.notes,
            "versions": self.versions,
        }

    def digest(self) -> str:
        """SHA-256 of the points, seconds left out, and of the coefficients, in hexadecimal.

        >>> from fwcore import datasets, walk_path
        >>> problem = datasets.load("diabetes")
        >>> first, again = (walk_path(problem, "sfw", seed=3) for _ in range(2))
        >>> first.digest() == again.digest()
        True
        """
        return digest_of(self)

    def to_code(self) -> str:
        """Python that makes the result again; see `fwcore.reproduce`.

        >>> from fwcore import datasets, walk_path
        >>> result = walk_path(datasets.load("diabetes"), "cd")
        >>> "walk_path" in result.to_code()
        True
        """
        return code_of(self)

    def to_command(self) -> str:
        """The shell line that makes the result again; see `fwcore.reproduce`.

        Raises
        ------
        ValueError
            The problem was made from arrays, or no flags describe the grid.

        >>> from fwcore import datasets, walk_path
        >>> result = walk_path(datasets.load("diabetes"), "cd")
        >>> result.to_command().split()[:4]
        ['fwcore', 'path', '--dataset', 'diabetes']
        """
        return command_of(self)

    def to_parquet(self, file: str | Path | BinaryIO) -> None:
        """Write the points with their coefficients; see `fwcore.result_files.write_points`."""
        write_points(self, file)

    def trace_to_parquet(self, file: str | Path) -> None:
        """Write the trace, a row a step."""
        write_trace(self, file)

    def to_dataframe(self) -> Any:
        """The points as a pandas data frame, a row a point, the value of δ, λ or k as the index.

        >>> from fwcore import datasets, walk_path
        >>> frame = walk_path(datasets.load("diabetes"), "cd").to_dataframe()
        >>> frame.shape[0], frame.index.name
        (100, 'value')
        """
        return dataframe(self)

    def to_xarray(self) -> Any:
        """The points and the non-zero coefficients as an xarray dataset, where xarray is
        installed.
        """
        return dataset(self)

    def plot(self, kind: str = "path", **given: Any) -> Any:
        """A picture of the result, by what is installed for that: with the page, HoloViews.

        Parameters
        ----------
        kind : str
            Of `app.plots.plot`: "path", "error", "active", "gap", "race", "oracle", "overlap", or
            "residuals", which also takes the ``problem``.

        Raises
        ------
        ParameterError
            Nothing is installed that draws, or there is no such kind.

        >>> from fwcore import datasets, walk_path
        >>> walk_path(datasets.load("diabetes"), "cd").plot("gap").get(0).label
        'cd'
        """
        return drawn(self, kind, given)

    def _repr_html_(self) -> str:
        return result_html(self)


def versions() -> dict[str, str]:
    """Versions of what a result depends on."""
    return {"python": platform.python_version()} | _versions()


@cache
def _versions() -> dict[str, str]:
    # Each is read from a file of its package, which takes longer than many a path.
    packages = ("frank-wolfe-explorer", "numpy", "scipy", "numba", "scikit-learn")
    return {name: importlib.metadata.version(name) for name in packages}


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
