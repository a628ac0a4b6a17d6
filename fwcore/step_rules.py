"""Step rules: how far a step goes along a segment, each a type and one function.

A step moves from a along d, a <- a + g d with g in [0, most]; ``most`` is 1 toward a vertex. With
phi(g) = f(a + g d), ``descent`` = -phi'(0) > 0 is the Frank-Wolfe gap of the direction. What a rule
may know of phi is a *curve*: `Parabola` where f is quadratic, `Segment` where phi has to be summed
over the samples, or a family's own.

A new rule is a NamedTuple with a ``name``, an implementation of `step_length`, and a name in
`STEP_RULES`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit

from fwcore.errors import ParameterError
from fwcore.kernels.dispatch import compiled_only, implements
from fwcore.kernels.types import Floats
from fwcore.losses import Loss, curvature_at, loss_at, negative_derivative_at

_NEWTON_STEPS, _NEWTON_TOLERANCE = 50, 1e-12
# A backtracking test that fails by less than this share of its terms fails by rounding.
_ROUNDING = 1e-12
# Of the bound: along a line without curvature an estimate would shrink until it is zero.
_LEAST_ESTIMATE = 1e-15


def step_length(rule, curve, descent, planned, length, most, memory):
    """The step g in [0, most] by ``rule`` along ``curve``.

    ``descent`` = -phi'(0); ``planned`` is the open-loop step of the method's paper; ``length`` =
    ||d||^2; ``memory`` is a record with a field ``estimate``, the rule's to keep, 0 at first.
    """
    raise compiled_only("step_length")


def needs_curve(rule):
    """Whether the rule looks at the curve; known when a kernel is compiled."""
    raise compiled_only("needs_curve")


def curvature_of(curve):
    """A bound of phi'' over [0, 1], exact of a parabola."""
    raise compiled_only("curvature_of")


def change_at(curve, descent, g):
    """phi(g) - phi(0)."""
    raise compiled_only("change_at")


def minimum_of(curve, descent, most):
    """The minimiser of phi in [0, most]."""
    raise compiled_only("minimum_of")


class Parabola(NamedTuple):
    """phi(g) = phi(0) - descent g + curvature g^2 / 2."""

    curvature: float


class Segment(NamedTuple):
    """phi(g) = sum_i l(u_i + g v_i, y_i) + linear g + square g^2 / 2, u = image, v = toward."""

    loss: Any
    y: Floats
    image: Floats
    toward: Floats
    linear: float
    square: float


class _ExactLineSearchFields(NamedTuple):
    """What kernels read."""


class ExactLineSearch(_ExactLineSearchFields):
    """g = min(most, descent / phi''), the minimum of a parabola (Frandi et al. 2016, eq. 8)."""

    __slots__ = ()

    name = "line-search"
    title = "exact line search"

    def fits(self, loss: Loss, parabola: bool) -> bool:
        """Whether it knows the curves of a loss, which are parabolas or not."""
        return parabola


class _NewtonLineSearchFields(NamedTuple):
    """What kernels read."""


class NewtonLineSearch(_NewtonLineSearchFields):
    """g = argmin phi over [0, most], by bracketed Newton steps (`minimum_on_segment`)."""

    __slots__ = ()

    name = "line-search"
    title = "line search by Newton steps"

    def fits(self, loss: Loss, parabola: bool) -> bool:
        """Whether it knows the curves of a loss, which are parabolas or not."""
        return not parabola and bool(loss.curvature_bound)


class _OpenLoopFields(NamedTuple):
    """What kernels read."""


class OpenLoop(_OpenLoopFields):
    """g = 2 / (t + 2), t = 0, 1, ... (Jaggi 2013, Algorithm 1), or what a method's paper has."""

    __slots__ = ()

    name = "open-loop"
    title = "open loop, of the method's paper"

    def fits(self, loss: Loss, parabola: bool) -> bool:
        """Whether it knows the curves of a loss, which are parabolas or not."""
        return True


class _ShortStepFields(NamedTuple):
    """What kernels read."""


class ShortStep(_ShortStepFields):
    """g = min(most, descent / L), L a bound of phi'' along the segment (Demyanov & Rubinov 1970).

    The bound is curvature_bound * ||X d||^2, of a method that samples rows the mean of what the
    batches of a pass say.
    """

    __slots__ = ()

    name = "short"
    title = "short step, by a bound of the curvature"

    def fits(self, loss: Loss, parabola: bool) -> bool:
        """Whether it knows the curves of a loss, which are parabolas or not."""
        return bool(loss.curvature_bound)


class _AdaptiveFields(NamedTuple):
    """What kernels read."""

    decrease: float = 0.9
    increase: float = 2.0


class Adaptive(_AdaptiveFields):
    """g = min(most, descent / (M ||d||^2)), M a local estimate of the Lipschitz constant of f'.

    M begins at ``decrease`` times that of the last step, and grows by ``increase`` until phi(g) <=
    phi(0) - g descent + g^2 M ||d||^2 / 2 (Pedregosa, Negiar, Askari & Jaggi 2020, Algorithm 2),
    or M ||d||^2 is at least the bound of phi'', which makes it a short step.
    """

    __slots__ = ()

    name = "adaptive"
    title = "adaptive, by backtracking on a local Lipschitz estimate"

    def fits(self, loss: Loss, parabola: bool) -> bool:
        """Whether it knows the curves of a loss, which are parabolas or not."""
        return bool(loss.curvature_bound)


STEP_RULES: list[Any] = [
    ExactLineSearch(),
    NewtonLineSearch(),
    OpenLoop(),
    ShortStep(),
    Adaptive(),
]
"""All step rules; of those with the same name the first that fits a loss is taken."""


def find_step_rule(name: str, loss: Loss, parabola: bool | None = None) -> Any:
    """The rule of that name for a loss, whose curves a method may see otherwise than as parabolas.

    Raises
    ------
    ParameterError
        There is none.
    """
    closed = loss.closed_line_search if parabola is None else parabola
    fitting = [rule for rule in STEP_RULES if rule.fits(loss, closed)]
    for rule in fitting:
        if rule.name == name:
            return rule
    names = [*dict.fromkeys(rule.name for rule in fitting)]
    raise ParameterError("step", "fwcore", f"one of {names} for the {loss.name} loss", name)


@implements(step_length, ExactLineSearch)
def _exact(rule, curve, descent, planned, length, most, memory):
    curvature = curvature_of(curve)
    return min(most, descent / curvature) if descent > 0.0 and curvature > 0.0 else 0.0


@implements(step_length, NewtonLineSearch)
def _newton(rule, curve, descent, planned, length, most, memory):
    return minimum_of(curve, descent, most)


@implements(step_length, OpenLoop)
def _open_loop(rule, curve, descent, planned, length, most, memory):
    return min(most, planned)


@implements(step_length, ShortStep)
def _short(rule, curve, descent, planned, length, most, memory):
    bound = curvature_of(curve)
    return min(most, descent / bound) if descent > 0.0 and bound > 0.0 else 0.0


@implements(step_length, Adaptive)
def _adaptive(rule, curve, descent, planned, length, most, memory):
    bound = curvature_of(curve)
    if not (descent > 0.0 and length > 0.0 and bound > 0.0):
        return 0.0
    # With the bound itself the test holds up to rounding, and for a batch that ascends where the
    # estimate of the gradient descends.
    most_needed, estimate = bound / length, rule.decrease * memory.estimate
    estimate = most_needed if estimate <= 0.0 else max(estimate, _LEAST_ESTIMATE * most_needed)
    step = min(most, descent / (estimate * length))
    while estimate < most_needed:
        model = step * (0.5 * step * estimate * length - descent)
        if change_at(curve, descent, step) <= model + _ROUNDING * step * descent:
            break
        estimate *= rule.increase
        step = min(most, descent / (estimate * length))
    memory.estimate = estimate
    return step


@implements(needs_curve, ExactLineSearch)
@implements(needs_curve, NewtonLineSearch)
@implements(needs_curve, ShortStep)
@implements(needs_curve, Adaptive)
def _needs_it(rule):
    return True


@implements(needs_curve, OpenLoop)
def _needs_none(rule):
    return False


@implements(curvature_of, Parabola)
def _curvature_of_parabola(curve):
    return curve.curvature


@implements(change_at, Parabola)
def _change_on_parabola(curve, descent, g):
    return g * (0.5 * g * curve.curvature - descent)


@implements(curvature_of, Segment)
def _curvature_of_segment(curve):
    bound = curve.square
    for i in range(curve.y.size):
        bound += curve.loss.curvature_bound * curve.toward[i] * curve.toward[i]
    return bound


@implements(change_at, Segment)
def _change_on_segment(curve, descent, g):
    change = g * (curve.linear + 0.5 * g * curve.square)
    for i in range(curve.y.size):
        u, y = curve.image[i], curve.y[i]
        change += loss_at(curve.loss, u + g * curve.toward[i], y) - loss_at(curve.loss, u, y)
    return change


@implements(minimum_of, Segment)
def _minimum_of_segment(curve, descent, most):
    linear, square = curve.linear, curve.square
    return minimum_on_segment(
        curve.loss, curve.y, curve.image, curve.toward, linear, square, descent, most
    )


@njit(nogil=True, cache=True)
def gap_and_curvature(energy, correlation, gradient, image_dot, sqnorm, vertex):
    """(-phi'(0), phi'') toward d e_i for f(a) = 1/2 ||X a - y||^2 (Frandi et al. 2016, eq. 8).

    S - d g - F and S - 2 d G + d^2 ||z_i||^2, with S = ||X a||^2 = ``energy``, F = y'X a =
    ``correlation``, g = f'(a)_i = ``gradient``, G = z_i'X a = ``image_dot``, ||z_i||^2 =
    ``sqnorm`` and d = ``vertex``, the vertex's only coordinate.
    """
    gap = energy - vertex * gradient - correlation
    return gap, energy - 2.0 * vertex * image_dot + vertex * vertex * sqnorm


@njit(nogil=True, cache=True)
def minimum_on_segment(loss, y, image, toward, linear, square, descent, most):
    """Minimiser in [0, most] of phi(g) = sum_i l(u_i + g v_i, y_i) + linear g + square g^2 / 2.

    By Newton steps, kept inside a bracket that halves where one leaves it; ``image`` = u,
    ``toward`` = v, and ``descent`` = -phi'(0) is positive.
    """
    low, high, g = 0.0, most, square
    for i in range(y.size):
        g += loss.curvature_bound * toward[i] * toward[i]
    if g <= 0.0:
        return 0.0
    # The first step minimises the curvature bound.
    g = min(most, descent / g)
    for _ in range(_NEWTON_STEPS):
        slope, curvature = linear + g * square, square
        for i in range(y.size):
            v = toward[i]
            u = image[i] + g * v
            r = negative_derivative_at(loss, u, y[i])
            slope -= r * v
            curvature += v * v * curvature_at(loss, u, y[i], r)
        if slope > 0.0:
            high = g
        else:
            low = g
        if (
            abs(slope) <= _NEWTON_TOLERANCE * descent
            or high - low <= _NEWTON_TOLERANCE * most
            or (slope <= 0.0 and g == most)
        ):
            return g
        newton = g - slope / curvature if curvature > 0.0 else 2.0 * most
        g = (
            newton
            if low < newton < high
            else most
            if newton >= most and high == most
            else 0.5 * (low + high)
        )
    return g
