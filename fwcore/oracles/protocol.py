"""The one primitive of every oracle."""

from __future__ import annotations

from fwcore.dispatch import compiled_only


def steepest(oracle, design, sigma, scale, image, image_sum, kappa):  # type: ignore[no-untyped-def]
    """The steepest column that the oracle sees: (index, gradient, dot products spent, matrix entries touched).

    gradient_j = -sigma_j + z_j'(X a), with X a = ``scale`` times the image whose stored part is ``image`` (m,), of sum
    ``image_sum``. ``kappa`` is the number of columns a sampling oracle looks at. A primitive of compiled kernels.
    """
    raise compiled_only("steepest")
