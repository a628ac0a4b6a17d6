"""What a notebook gives to the Explorer: arrays, a data frame or a dataset, and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse

from app import shelf
from app.controls.run import take_run
from app.settings import Settings
from fwcore import DEFAULT_LOSS, LOSSES, ParameterError, Problem, all_solvers, datasets

_OWNER = "Explorer"
_TITLE = "Your data"
GivenRun: TypeAlias = str | tuple[str, Mapping[str, Any]]


def _refuse(name: str, rule: str, got: Any) -> ParameterError:
    """What does not fit, told in the one form."""
    return ParameterError(name, _OWNER, rule, got)


def _check_name(name: str, value: Any, names: Iterable[str]) -> str:
    names = [*names]
    if not isinstance(value, str) or value not in names:
        raise ParameterError.unknown(name, _OWNER, value, names)
    return value


def given_settings(X: Any, y: Any, given: Mapping[str, Any]) -> Settings | None:
    """Settings of the arguments of an Explorer; None where there are none.

    Raises
    ------
    ParameterError
        An argument that is unknown, or does not fit.
    """
    for name in given:
        _check_name("argument", name, signature(settings_of).parameters)
    nothing = X is None and y is None and not given
    return None if nothing else settings_of(X, y, **given)


def settings_of(
    X: Any = None,
    y: Any = None,
    *,
    test: tuple[Any, Any] | None = None,
    test_fraction: float | None = None,
    feature_names: Sequence[str] | None = None,
    target: Any = None,
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
    if isinstance(X, str):
        raise _refuse("X", f"a matrix or a data frame; of the catalogue dataset={X!r}", X)
    if X is None:
        for name, value in (("y", y), ("test", test), ("target", target)):
            if value is not None:
                raise _refuse(name, "left out without X", "one")
    elif dataset is not None:
        raise _refuse("dataset", "left out where X is given", dataset)
    if test_fraction is not None:
        _check_share(test_fraction)
    if loss is not None:
        _check_name("loss", str(loss).partition(":")[0], LOSSES)
    if dataset is not None:
        _choose(settings, dataset)
    if X is not None:
        X, y = _with_target(X, y, target)
        share = 0.25 if test_fraction is None else test_fraction
        settings.bring(_own(X, y, test, share, feature_names, loss or DEFAULT_LOSS))
    elif test_fraction is not None:
        settings.param.update(test_fraction=test_fraction)
    if loss is not None:
        settings.loss = loss
    if runs is not None:
        _set_runs(settings, runs)
    return settings


def _check_share(share: Any) -> None:
    number = isinstance(share, (int, float)) and not isinstance(share, bool)
    if not (number and 0.0 <= share <= 0.9):
        raise _refuse("test_fraction", "a number in [0, 0.9]", share)


def _choose(settings: Settings, dataset: Any) -> None:
    if not (isinstance(dataset, str) and datasets.made.is_made(dataset)):
        _check_name("dataset", dataset, [entry.name for entry in datasets.all_datasets()])
    settings.choose(dataset)


def _with_target(X: Any, y: Any, target: Any) -> tuple[Any, Any]:
    """The columns of a data frame, and the one that is the response."""
    if target is None:
        if y is None:
            raise _refuse("y", "given with X, or else target", None)
        return X, y
    if y is not None:
        raise _refuse("target", "left out where y is given", target)
    columns = getattr(X, "columns", None)
    if columns is None:
        raise _refuse("target", "left out where X has no named columns", target)
    by_name = {str(column): column for column in columns}
    column = by_name[_check_name("target", str(target), by_name)]
    return X.drop(columns=[column]), X[column]


def _own(
    X: Any,
    y: Any,
    test: tuple[Any, Any] | None,
    share: float,
    names: Sequence[str] | None,
    loss: str,
) -> shelf.Own:
    """The data, checked now: what does not fit is told in the cell, not at the first Run."""
    if isinstance(names, str):
        raise _refuse("feature_names", "a sequence of names", names)
    if names is None:
        names = getattr(X, "columns", None)
    names = None if names is None else [str(name) for name in names]
    matrix, values = _matrix("X", X), _vector("y", y, X)
    if test is None:
        matrix, values, test = datasets.split(matrix, values, share)
    elif isinstance(test, (tuple, list)) and len(test) == 2:
        test = _matrix("test", test[0]), _vector("test", test[1], test[0])
    else:
        raise _refuse("test", "(X_test, y_test)", type(test).__name__)
    problem = Problem.from_arrays(matrix, values, loss=loss, test=test, feature_names=names)
    return shelf.own_problem(problem, _TITLE)


def _matrix(name: str, X: Any) -> Any:
    """Numbers of shape (m, p), sparse ones as compressed columns; a column of a data frame that
    holds none is named.
    """
    if scipy.sparse.issparse(X):
        numbers: Any = scipy.sparse.csc_array(X)
    else:
        numbers = _frame(name, X) if hasattr(X, "iloc") else np.asarray(X)
    if numbers.ndim != 2:
        raise _refuse(name, "a matrix of two dimensions", f"{numbers.ndim}")
    if numbers.dtype.kind not in "fiub":
        raise _refuse(name, "of real numbers", f"values of type {numbers.dtype}")
    return numbers.astype(np.float64, copy=False)


def _frame(name: str, X: Any) -> Any:
    """The numbers of a pandas data frame."""
    for k, column in enumerate(map(str, X.columns)):
        held = X.iloc[:, k]
        if getattr(held.dtype, "kind", "") not in "fiub":
            raise _refuse(name, f"of numbers; column {column!r} holds others", str(held.dtype))
        missing = int(held.isna().sum())
        if missing:
            rule = f"free of NaN; column {column!r} misses values"
            raise _refuse(name, rule, f"{missing:,} of {len(held):,}")
    return np.asarray(X, dtype=np.float64)


def _vector(name: str, y: Any, X: Any) -> Any:
    try:
        values = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise _refuse(name, "a vector of numbers", y if isinstance(y, str) else type(y)) from None
    rows = np.shape(X)[0]
    if values.ndim != 1 or values.size != rows:
        raise _refuse(
            name, f"a vector of length {rows}, the number of rows", f"shape {values.shape}"
        )
    return values


def _set_runs(settings: Settings, runs: Any) -> None:
    if isinstance(runs, (str, bytes, Mapping)) or not isinstance(runs, Iterable):
        raise _refuse("runs", "a list, such as [('sfw', {'sampling': '1%'}), 'fw']", runs)
    settings.clear()
    for run in runs:
        _add(settings, run)


def _add(settings: Settings, run: Any) -> None:
    name, options = (run, {}) if isinstance(run, str) else _pair(run)
    spec = settings.add(_check_name("runs", name, [solver.name for solver in all_solvers()]))
    for option, value in options.items():
        declared = spec.options.declared()
        _check_name("runs", option, [*declared, "seed", "repeats"])
        take_run(spec, settings, option, _written(declared.get(option), option, value))


def _pair(run: Any) -> tuple[Any, Mapping[str, Any]]:
    if isinstance(run, (tuple, list)) and len(run) == 2 and isinstance(run[1], Mapping):
        return run[0], run[1]
    raise _refuse("runs", "of names, or pairs of a name and its options", run)


def _written(declared: Any, option: str, value: Any) -> str:
    """A value as the page's field would have it."""
    if declared is None or isinstance(value, str):
        return str(value)
    try:
        return str(declared.write(value))
    except (AttributeError, TypeError, ValueError):
        raise _refuse(
            "runs", f"a value of {option!r} as the page shows it, in text", value
        ) from None
