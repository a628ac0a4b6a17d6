"""The one primitive of every oracle."""

from __future__ import annotations

from fwcore.kernels.dispatch import compiled_only


def steepest(oracle, design, sigma, scale, image, image_sum, kappa, positive, least):
    """The steepest column that the oracle sees: (index, gradient, dot products spent, matrix
    entries touched).

    gradient_j = -sigma_j + z_j'(X a), with X a = ``scale`` times the image whose stored part is
    ``image`` (m,), of sum ``image_sum``. With ``positive`` only descent along +e_j counts
    (`fwcore.kernels.steepness`). ``kappa`` is the number of columns that a sampling oracle looks
    at. Where no column that it sees is as steep as ``least``, the answer may be any of them. A
    primitive of compiled kernels.
    """
    raise compiled_only("steepest")
