"""Step rules along a segment toward a vertex."""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True)
def exact_line_search(energy, correlation, gradient, image_dot, sqnorm, vertex):  # type: ignore[no-untyped-def]
    """Minimiser in [0, 1] of f((1 - l) a + l * vertex * e_i), for f(a) = 1/2 ||X a - y||^2 (Frandi et al. 2016, eq. 8).

    l = (S - d g - F) / (S - 2 d G + d^2 ||z_i||^2), with S = ||X a||^2 = ``energy``, F = y'X a = ``correlation``, g = f'(a)_i =
    ``gradient``, G = z_i'X a = ``image_dot``, ||z_i||^2 = ``sqnorm`` and d = ``vertex``, the vertex's only coordinate. The
    numerator is the Frank-Wolfe gap of the vertex; the denominator is ||X a - d z_i||^2, and where that is 0 so is the step.
    """
    numerator = energy - vertex * gradient - correlation
    denominator = energy - 2.0 * vertex * image_dot + vertex * vertex * sqnorm
    if numerator <= 0.0 or denominator <= 0.0:
        return 0.0
    return min(1.0, numerator / denominator)
