"""Step rules along a segment toward a vertex."""

from __future__ import annotations

from numba import njit

from fwcore.losses import descent_at

_NEWTON_STEPS, _NEWTON_TOLERANCE = 50, 1e-12


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


@njit(nogil=True, cache=True)
def minimum_on_segment(loss, y, image, toward, linear, square, descent):  # type: ignore[no-untyped-def]
    """Minimiser in [0, 1] of phi(g) = sum_i l(u_i + g v_i, y_i) + linear g + square g^2 / 2.

    By Newton steps, kept inside a bracket that halves where one leaves it; ``image`` = u, ``toward`` = v, and ``descent`` =
    -phi'(0) is positive.
    """
    low, high, g = 0.0, 1.0, square
    for i in range(y.size):
        g += loss.curvature * toward[i] * toward[i]
    if g <= 0.0:
        return 0.0
    # The first step minimises the curvature bound.
    g = min(1.0, descent / g)
    for _ in range(_NEWTON_STEPS):
        slope, curvature = linear + g * square, square
        for i in range(y.size):
            v = toward[i]
            r = descent_at(loss, image[i] + g * v, y[i])
            slope -= r * v
            # l'' of the logistic loss is q (1 - q) with q = abs(r), that of the squared loss is 1.
            curvature += v * v * (1.0 if loss.curvature == 1.0 else abs(r) * (1.0 - abs(r)))
        if slope > 0.0:
            high = g
        else:
            low = g
        if abs(slope) <= _NEWTON_TOLERANCE * descent or high - low <= _NEWTON_TOLERANCE or (slope <= 0.0 and g == 1.0):
            return g
        newton = g - slope / curvature if curvature > 0.0 else 2.0
        g = newton if low < newton < high else 1.0 if newton >= 1.0 and high == 1.0 else 0.5 * (low + high)
    return g
