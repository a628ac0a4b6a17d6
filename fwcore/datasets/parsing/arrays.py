"""The variables of MATLAB and .npz files: which is the design, which the response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse

from fwcore.arrays import DefaultNames
from fwcore.datasets.parsing.limits import refuse
from fwcore.datasets.parsing.missing import settled
from fwcore.datasets.parsing.report import Parsed, ParseOptions, Report
from fwcore.datasets.parsing.responses import response
from fwcore.datasets.parsing.sparse import sparse_parsed

TARGETS = ("y", "Y", "target", "label", "labels", "classid", "y_train", "Y_train")
MATRICES = ("X", "x", "data", "dtm", "A", "fea", "X_train")


def chosen(
    name: str, shapes: Mapping[str, tuple[int, ...]], options: ParseOptions
) -> tuple[str, str | None]:
    """The names of the design, which has two dimensions, and of the response, None for the last
    column of the design.

    Raises
    ------
    DatasetError
        No variable of such a name or shape.
    """
    shown = ", ".join(f"{key} {shape}" for key, shape in [*shapes.items()][:20]) or "none"
    for wanted in (options.matrix, options.target):
        if wanted is not None and wanted not in shapes:
            refuse(name, f"no variable {wanted!r} of numbers; there are: {shown}.")
    wide = {key for key, shape in shapes.items() if len(shape) == 2 and min(shape) > 1}
    matrix = (
        options.matrix
        or next((key for key in MATRICES if key in wide), None)
        or (wide.pop() if len(wide) == 1 else None)
    )
    if matrix is None:
        refuse(
            name,
            f"which variable is the matrix is not clear; there are: {shown}. Choose one (matrix).",
        )
    if len(shapes[matrix]) != 2:
        refuse(name, f"{matrix!r} has shape {shapes[matrix]}, where a matrix is needed.")
    if options.labels is not None:
        return matrix, None
    target = options.target or next(
        (key for key in TARGETS if key in shapes and key != matrix), None
    )
    return matrix, target


def parsed_arrays(
    name: str, kind: str, X: Any, y: Any, target: str, options: ParseOptions
) -> Parsed:
    """What a file of variables returns; ``y`` None takes the last column of X.

    Raises
    ------
    DatasetError
        Lengths that do not fit, values that are missing without a choice what to do about them, or
        infinite.
    """
    y = None if y is None else np.asarray(y)
    if np.iscomplexobj(X) or (y is not None and np.iscomplexobj(y)):
        refuse(name, "complex numbers, where real ones are needed.")
    X = _checked(name, X)
    if y is None:
        if X.shape[1] < 2:
            refuse(name, "a single column, and nothing else that could be the response.")
        last = X[:, [-1]]
        X, y, target = (
            X[:, :-1],
            last.toarray() if scipy.sparse.issparse(last) else last,
            f"column {X.shape[1]}",
        )
    y = np.asarray(y).ravel()
    if y.dtype.kind == "S":
        y = np.char.decode(y, "utf-8")
    if y.size != X.shape[0]:
        refuse(
            name, f"the response {target!r} has {y.size:,} values, the matrix {X.shape[0]:,} rows."
        )
    text = y.dtype.kind in "US"
    if scipy.sparse.issparse(X):
        if not np.isfinite(X.data).all():
            refuse(name, "values that are not finite in a sparse matrix.")
        y, task, classes = _response(name, y, text, options)
        return sparse_parsed(name, kind, X, y, task, classes, None, target)
    names, lost = (
        DefaultNames(X.shape[1]),
        {target: np.zeros(y.size, bool) if text else np.isnan(y)},
    )
    held = settled(name, np.ascontiguousarray(X.T), names, lost, target, options)
    y, task, classes = _response(name, y[held.rows], text, options)
    report = Report(
        name,
        kind,
        rows=y.size,
        columns=len(names),
        nonzeros=int(np.count_nonzero(held.X)),
        constant=int((np.ptp(held.X, axis=1) == 0).sum()),
        missing=held.missing,
        imputed=held.imputed,
        dropped_rows=int(held.rows.size - y.size),
        target=target,
        task=task,
        classes=classes,
    )
    return Parsed(held.X.T, y, names, report)


def _checked(name: str, X: Any) -> Any:
    """The matrix in columns, of float64."""
    if scipy.sparse.issparse(X):
        try:
            # Indices out of range would be followed blindly by compiled code.
            X.check_format(full_check=True)
        except ValueError as error:
            refuse(name, f"a broken sparse matrix ({error}).")
        X = scipy.sparse.csc_array(X).astype(np.float64)
        X.sum_duplicates()
    else:
        X = np.asfortranarray(X, dtype=np.float64)
    if X.ndim != 2 or min(X.shape) == 0:
        refuse(name, f"the matrix has shape {X.shape}.")
    return X


def _response(name: str, y: Any, text: bool, options: ParseOptions) -> Any:
    if not text:
        return response(name, y, None, options)
    labels, codes = np.unique(y, return_inverse=True)
    return response(name, codes, [str(label).strip() for label in labels], options)
