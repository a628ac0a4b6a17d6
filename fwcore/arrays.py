"""What a Problem is made from, checked before anything is computed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
import scipy.sparse

from fwcore import design as designs
from fwcore.design import Design, mapped
from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.losses import Loss, Weighted, find_loss, is_weighted

# Products of two that solvers see stay within float32, which screening uses; squares of what is
# given stay within float64.
_LEAST_SEEN, _MOST_SEEN = 1e-15, 1e15
_LEAST_GIVEN, _MOST_GIVEN = 1e-140, 1e140
_DTYPES = ("float64", "float32", designs.PATTERN)


class DefaultNames(Sequence[str]):
    """x1 ... xp, made when asked for."""

    def __init__(self, p: int) -> None:
        self._range = range(1, p + 1)

    def __len__(self) -> int:
        return len(self._range)

    def __getitem__(self, j: Any) -> Any:
        return [f"x{i}" for i in self._range[j]] if isinstance(j, slice) else f"x{self._range[j]}"


class ChosenNames(Sequence[str]):
    """The names of some of the columns, made when asked for."""

    def __init__(self, base: Sequence[str], columns: Any) -> None:
        self.base = base
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, j: Any) -> Any:
        chosen = self.columns[j]
        return (
            [self.base[int(k)] for k in chosen] if isinstance(j, slice) else self.base[int(chosen)]
        )


def require(holds: Any, name: str, rule: str, got: Any) -> None:
    if not holds:
        raise ParameterError(name, "Problem", rule, got)


def checked_names(names: Sequence[str] | None, X: Any) -> Sequence[str]:
    """One name for each column of X, or for each base feature of a design of products."""
    n = X.base_features if designs.is_design(X) else X.shape[1]
    names = DefaultNames(n) if names is None else names
    require(
        len(names) == n, "feature_names", f"of length {n}, the number of columns of X", len(names)
    )
    return names


def checked_matrix(name: str, X: Any) -> Any:
    if designs.is_design(X):
        return X
    if scipy.sparse.issparse(X):
        X = scipy.sparse.csc_array(X)
        values = X.data
    else:
        try:
            X = values = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(name, "Problem", "a matrix of numbers", type(X).__name__) from None
        require(X.ndim == 2, name, "a matrix of two dimensions", f"{X.ndim} dimensions")
    require(min(X.shape) > 0, name, "a matrix with rows and columns", f"shape {X.shape}")
    require_given(name, values)
    return X


def require_given(name: str, values: Any) -> None:
    """Raise `ParameterError` where a value is not finite, or the largest is out of range."""
    largest = _largest(values)
    require(math.isfinite(largest), name, "free of NaN and infinity", "some")
    _require_size(name, largest, _LEAST_GIVEN, _MOST_GIVEN)


def _largest(values: Any) -> float:
    """max abs(values), NaN where one is, without a copy; 0 of none."""
    return max(float(values.max()), -float(values.min())) if values.size else 0.0


def _require_size(
    name: str, largest: float, least: float, most: float, those: str = "of values whose"
) -> None:
    """Raise `ParameterError` where ``largest`` is not 0 and far too small or too large."""
    rule = f"{those} largest is between {least:g} and {most:g} in size: scale it"
    require(largest == 0.0 or least <= largest <= most, name, rule, largest)


def checked_vector(name: str, y: Any) -> Floats:
    try:
        y = np.array(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, "Problem", "a vector of numbers", type(y).__name__) from None
    require(y.ndim == 1, name, "a vector", f"{y.ndim} dimensions")
    require_given(name, y)
    return np.asarray(y)


def require_seen(y: Floats, design: Design, sqnorms: Floats) -> None:
    """Raise `ParameterError` where y, or a column, is far too small or too large as it is seen."""
    finite = bool(np.isfinite(design.scale).all() and np.isfinite(sqnorms).all())
    rule = "of columns whose norms, and the inverse of these, are in the range of float64"
    require(finite, "X", rule, "others")
    _require_size("y", _largest(y), _LEAST_SEEN, _MOST_SEEN)
    those = "such that of the norms of its columns the"
    _require_size("X", math.sqrt(_largest(sqnorms)), _LEAST_SEEN, _MOST_SEEN, those)


def require_weights_seen(loss: Loss, y: Floats) -> None:
    """Raise `ParameterError` where weights make the slopes of the losses too small or too large."""
    if is_weighted(loss):
        largest = _largest(loss.derivative(np.zeros(y.size), y))
        those = "such that of the slopes w_i l'(0, y_i) the"
        _require_size("weights", largest, _LEAST_SEEN, _MOST_SEEN, those)


def checked_test(
    test: tuple[Any, Any] | None, train: Design
) -> tuple[Design | None, Floats | None]:
    if test is None:
        return None, None
    X, y = checked_matrix("test", test[0]), checked_vector("test", test[1])
    p = train.base_features
    require(X.shape[1] == p, "test", f"a matrix of {p} columns, as X", X.shape[1])
    require(X.shape[0] == y.size, "test", f"(X_test, y_test) with {X.shape[0]} rows each", y.size)
    return train.with_rows(X), y


def checked_weights(weights: Any, y: Floats) -> Floats | None:
    if weights is None:
        return None
    found = checked_vector("weights", weights)
    require(found.size == y.size, "weights", f"of length {y.size}, as y", found.size)
    rule = "positive: leave out the rows without weight"
    require(bool((found > 0.0).all()), "weights", rule, float(found.min()))
    return found


def require_slope(loss: Loss, y: Floats, sigma: Floats, design: Design, free: bool) -> None:
    """Raise `ParameterError` where no column descends from 0; ``sigma`` = X'y. What is ``free`` of
    a penalty may leave another slope than that.
    """

    def correlate(v: Floats) -> Floats:
        out = np.empty(sigma.size)
        designs.full_pass(design, v, float(v.sum()), out)
        return out

    slope = loss.initial_slope(sigma, y, correlate) if is_weighted(loss) else sigma
    require(free or slope.any(), "y", "not orthogonal to every column of X", "X'y = 0")


def checked_kind(
    loss: Any, positive: Any, dtype: Any, weights: Floats | None, unpenalised: Any
) -> Loss:
    """What kind of problem is asked for; the loss."""
    intercept = unpenalised.intercept
    loss = find_loss(loss) if isinstance(loss, str) else loss
    require(hasattr(loss, "curvature_bound"), "loss", "the name of a loss, or a Loss", loss)
    if weights is None and unpenalised.indices.size and loss.closed_line_search:
        # Parabolas are minimised over penalised columns only.
        weights = np.ones(unpenalised.columns.shape[0])
    loss = loss if weights is None else Weighted.of(loss, weights)
    require(isinstance(positive, bool), "positive", "True or False", positive)
    require(isinstance(intercept, bool), "intercept", "True or False", intercept)
    rule = f'False: with the {loss.name} loss standardize=True or "centre" implies one'
    require(not (intercept and loss.closed_line_search), "intercept", rule, intercept)
    require(dtype in _DTYPES, "dtype", f"one of {list(_DTYPES)}", dtype)
    return cast(Loss, loss)


def digest_of(kind: str, arrays: Iterable[Any]) -> str:
    """Hex digest of words and arrays."""
    digest = hashlib.blake2b(kind.encode(), digest_size=16)
    for array in arrays:
        digest.update(str((array.shape, array.dtype.str)).encode())
        for piece in mapped.pieces(array):
            digest.update(np.ascontiguousarray(piece).data)
    return digest.hexdigest()


def require_response(loss: Loss, X: Any, y: Floats, intercept: bool) -> None:
    """Raise `ParameterError` where a loss does not take the response or the stored design."""
    require(loss.takes(y), "y", f"{loss.response}, for the {loss.name} loss", _odd(y))
    # The best intercept of one class alone is infinite, and a constant needs no columns.
    alone = intercept and np.ptp(y) == 0
    require(not alone, "y", "not constant, with an intercept", float(y[0]))
    centred = designs.is_design(X) and bool(X.offset.any()) and not loss.centred
    rule = f"a design without offsets, for the {loss.name} loss"
    require(not centred, "X", rule, "centred columns")


def _odd(y: Floats) -> float:
    """A value of y that is no label."""
    wrong = y[np.abs(y) != 1.0]
    return float(wrong[0]) if wrong.size else float(y[0])


def scaled(
    design: Design, y: Floats, loss: Loss, standardize: bool | str
) -> tuple[Design, Floats, float, float]:
    """The design in the solvers' scale, the squared norms of its columns, and offset and scale of
    the response.
    """
    rule = 'True, False or "centre"'
    require(standardize in (True, False, "centre"), "standardize", rule, standardize)
    plain = not standardize or not is_weighted(loss)
    rule = (
        "False with weights or unpenalised columns, of which means and norms would know nothing: "
        "ask for an intercept"
    )
    require(plain, "standardize", rule, standardize)
    if not standardize:
        sqnorms = designs.sqnorms(design)
        orthogonal = not (y.any() and sqnorms.any())
        rule = "not orthogonal to every column of X"
        require(not orthogonal, "y", rule, "zeros in X or y")
        return design, sqnorms, 0.0, 1.0
    if standardize == "centre":
        require(
            loss.centred, "standardize", f"True or False with the {loss.name} loss", standardize
        )
        require(bool(np.ptp(y) > 0), "y", "not constant", float(y[0]))
        design, sqnorms = designs.centred(design)
        rule = "a design with a column that is not constant"
        require(bool(sqnorms.any()), "X", rule, "constant columns only")
        return design, sqnorms, float(y.mean()), 1.0
    offset, scale = loss.units(y)
    constant = offset != 0.0 and np.ptp(y) == 0
    require(not constant, "y", "not constant", float(y[0]))
    design = designs.standardized(design, centre=loss.centred)
    rule = "a design with a column that is not constant"
    require(bool(design.scale.any()), "X", rule, "constant columns only")
    return design, (design.scale > 0).astype(np.float64), offset, scale
