"""What a solution is worth beside its objective."""

from __future__ import annotations

from fwcore.kernels.types import Floats


def f_measure(coef: Floats, truth: Floats, threshold: float = 1e-3) -> float:
    """How well the support of ``coef`` is that of ``truth``, both of shape (p,): 2 |S and T| / (|S|
    + |T|), in [0, 1].

    S and T are the indices of entries larger than ``threshold`` in size. Rakotomamonjy, Koco &
    Ralaivola (2016) print the union of S and T in the numerator, with which it would be at least 1;
    it is the intersection here. 1 where both are empty.

    >>> import numpy as np
    >>> f_measure(np.array([1.0, 2.0, 0.0]), np.array([3.0, 0.0, 0.0]))
    0.666...
    """
    found, true = abs(coef) > threshold, abs(truth) > threshold
    total = int(found.sum() + true.sum())
    return 2.0 * int((found & true).sum()) / total if total else 1.0


def relative_error(y: Floats, prediction: Floats) -> float:
    """||y - prediction|| / ||y||, both of shape (m,).

    >>> import numpy as np
    >>> relative_error(np.array([3.0, 4.0]), np.array([3.0, 4.0]))
    0.0
    """
    return float(((y - prediction) @ (y - prediction)) ** 0.5 / (y @ y) ** 0.5)


def accuracy(y: Floats, prediction: Floats) -> float:
    """The share of the labels y, -1 or +1, whose sign the prediction has; a prediction of 0 has
    none.

    >>> import numpy as np
    >>> accuracy(np.array([1.0, -1.0]), np.array([0.3, 0.2]))
    0.5
    """
    return float((y * prediction > 0.0).mean())
