"""What a notebook gives to the Explorer: arrays, a data frame or a dataset, and runs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse

from app import shelf
from app.controls.run import take_run
from app.settings import Settings
from fwcore import DEFAULT_LOSS, LOSSES, ParameterError, Problem, all_solvers, datasets

_OWNER = "Explorer"
GivenRun: TypeAlias = str | tuple[str, Mapping[str, Any]]


def _known(name: str, value: Any, known: Iterable[str]) -> str:
    """The value, if it is one of the names.

    Raises
    ------
    ParameterError
        It is none; names the nearest.
    """
    names = [*known]
    if value in names:
        return str(value)
    near = difflib.get_close_matches(str(value), names, 1)
    hint = f"a name that is known; the nearest is {near[0]!r}" if near else f"one of {names}"
    raise ParameterError(name, _OWNER, hint, value)


def settings_of(
    X: Any = None,
    y: Any = None,
    *,
    test: tuple[Any, Any] | None = None,
    test_fraction: float | None = None,
    feature_names: Sequence[str] | None = None,
    target: str | None = None,
    dataset: str | None = None,
    loss: str | None = None,
    runs: Sequence[GivenRun] | None = None,
) -> Settings:
    """Settings of what was given; see `app.explorer.Explorer`.

    Raises
    ------
    ParameterError
        Something does not fit, and what.
    """
    settings = Settings()
    if runs is not None:
        settings.clear()
    if X is None:
        for name, value in (("y", y), ("test", test), ("target", target)):
            if value is not None:
                raise ParameterError(name, _OWNER, "left out without X", "one")
    if X is not None and dataset is not None:
        raise ParameterError("dataset", _OWNER, "left out where X is given", dataset)
    if dataset is not None:
        names = [entry.name for entry in datasets.DATASETS]
        settings.dataset = _known("dataset", dataset, names)
    if loss is not None:
        _known("loss", loss.partition(":")[0], LOSSES)
    if X is not None:
        X, y = _with_target(X, y, target)
        share = 0.25 if test_fraction is None else test_fraction
        settings.bring(_own(X, y, test, share, feature_names, loss or DEFAULT_LOSS))
    elif test_fraction is not None:
        settings.param.update(test_fraction=test_fraction)
    if loss is not None:
        settings.loss = loss
    for run in runs or ():
        _add(settings, run)
    return settings


def _with_target(X: Any, y: Any, target: str | None) -> tuple[Any, Any]:
    """The columns of a data frame, and the one that is the response."""
    if target is None:
        if y is None:
            raise ParameterError("y", _OWNER, "given with X, or else target", None)
        return X, y
    if y is not None:
        raise ParameterError("target", _OWNER, "left out where y is given", target)
    columns = getattr(X, "columns", None)
    if columns is None:
        rule = "left out where X has no named columns"
        raise ParameterError("target", _OWNER, rule, target)
    _known("target", target, [str(column) for column in columns])
    return X.drop(columns=[target]), X[target]


def _own(
    X: Any,
    y: Any,
    test: tuple[Any, Any] | None,
    share: float,
    names: Sequence[str] | None,
    loss: str,
) -> shelf.Own:
    """The data, checked now: what does not fit is told in the cell, not at the first Run."""
    if names is None:
        names = getattr(X, "columns", None)
    names = None if names is None else [str(name) for name in names]
    if test is not None or not share:
        problem = Problem.from_arrays(X, y, loss=loss, test=test, feature_names=names)
        return shelf.own_problem(problem, "Your data")
    chosen = np.random.default_rng(0).permutation(len(y))[: round(share * len(y))]
    held = np.zeros(len(y), bool)
    held[chosen] = True
    # Compressed columns have no quick rows.
    matrix = scipy.sparse.csr_array(X) if scipy.sparse.issparse(X) else np.asarray(X)
    values = np.asarray(y)
    if matrix.ndim != 2 or matrix.shape[0] != len(values):
        rule = f"of length {matrix.shape[0]}, the number of rows of X"
        raise ParameterError("y", _OWNER, rule, len(values))
    problem = Problem.from_arrays(
        matrix[~held],
        values[~held],
        loss=loss,
        test=(matrix[held], values[held]),
        feature_names=names,
    )
    return shelf.own_problem(problem, "Your data")


def _add(settings: Settings, run: GivenRun) -> None:
    name, options = (run, {}) if isinstance(run, str) else run
    names = [solver.name for solver in all_solvers()]
    spec = settings.add(_known("runs", name, names))
    for option, value in options.items():
        known = spec.options.declared()
        _known("runs", option, [*known, "seed", "repeats"])
        if option in known and not isinstance(value, str):
            value = known[option].write(value)
        take_run(spec, settings, option, str(value))
