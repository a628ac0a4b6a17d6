"""A result as the Python and the shell line that make it again, and the digest that shows it."""

from __future__ import annotations

import hashlib
import shlex
from typing import TYPE_CHECKING, Any

import numpy as np

from fwcore import grids
from fwcore.forms import FORMS
from fwcore.options import build
from fwcore.solvers import find_solver

if TYPE_CHECKING:
    from fwcore.path_result import PathResult

_DIGESTED = (
    "point",
    "value",
    "l1",
    "nnz",
    "objective",
    "true_gap",
    "train_error",
    "test_error",
    "steps",
    "dots",
    "entries",
    "grads",
    "empty",
    "status",
)


def digest_of(result: PathResult) -> str:
    """SHA-256 of the points, seconds left out, and of the coefficients."""
    found = hashlib.sha256()
    coefs = result.coefs
    columns = (*(result.points[name] for name in _DIGESTED), coefs.indptr, coefs.indices)
    for array in (*columns, coefs.data):
        found.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
    return found.hexdigest()


def _options(result: PathResult) -> dict[str, Any]:
    """What was chosen besides the defaults; a share of columns is always said, since it may be the
    dataset's.
    """
    solver = find_solver(result.solver)
    options = build(solver.Options, type(solver).__name__, result.settings)
    return {name: v for name, v in options.settings().items() if name == "sampling"} | (
        options.changed()
    )


def _regular(result: PathResult) -> bool:
    """Whether the grid is the usual one, by its ends and its length."""
    first, last, points = float(result.grid[0]), float(result.grid[-1]), result.grid.size
    if FORMS[result.form].whole:
        usual = np.arange(1.0, points + 1.0)
    elif FORMS[result.form].increasing:
        usual = grids.delta_grid(last, points)
    else:
        usual = np.geomspace(first, first / grids.SPAN, points)
    # Powers differ between processors by rounding, and results travel.
    return usual.size == points and bool(np.allclose(usual, result.grid, rtol=1e-14, atol=0.0))


def _grid_code(result: PathResult) -> str:
    if not _regular(result):
        return repr(result.grid.tolist())
    if FORMS[result.form].whole:
        return f"grids.support_grid(problem, {result.grid.size})"
    if FORMS[result.form].increasing:
        return f"grids.delta_grid({float(result.grid[-1])!r}, {result.grid.size})"
    return f"grids.lam_grid(problem, {result.grid.size})"


def code_of(result: PathResult) -> str:
    """Python that makes the result again, bit for bit on the same versions and processor.

    Where the problem was not a dataset's, it is for the reader to put it in the place of ``...``.
    """
    source = dict(result.source)
    lines = ["from fwcore import datasets, grids, walk_path", ""]
    if source:
        name = source.pop("dataset")
        given = "".join(f", {key}={value!r}" for key, value in source.items())
        lines.append(f"problem = datasets.load({name!r}{given})")
    else:
        lines.append(f"problem = ...  # {result.problem}")
    lines.append(f"grid = {_grid_code(result)}")
    chosen = "".join(f", {key}={value!r}" for key, value in _options(result).items())
    lines.append(
        f"result = walk_path(problem, {result.solver!r}, grid, seed={result.seed}{chosen})"
    )
    return "\n".join(lines) + "\n"


def command_of(result: PathResult) -> str:
    """The shell line that makes the result again.

    Raises
    ------
    ValueError
        The problem was made from arrays, or no flags describe the grid.
    """
    if not result.source:
        raise ValueError("A shell line needs a dataset. This problem was made from arrays.")
    if not _regular(result):
        raise ValueError("A shell line needs the usual grid. This one has other points.")
    source = dict(result.source)
    words = ["fwcore", "path", "--dataset", source.pop("dataset"), "--solver", result.solver]
    if source.pop("positive"):
        words.append("--nonnegative")
    flags: dict[str, Any] = source | {"points": result.grid.size, "seed": result.seed}
    if result.form == "ball":
        flags["delta_max"] = float(result.grid[-1])
    for name, value in (flags | _options(result)).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        words += [f"--{name.replace('_', '-')}", text]
    return shlex.join(words)
