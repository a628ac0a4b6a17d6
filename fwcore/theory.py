"""What the papers prove, as numbers: bounds on the suboptimality after so many steps from a = 0,
with their constants computed from the problem.

f(a) = sum_i l(x_i'a, y_i), a sum; L bounds l''. Of the l1 ball of radius delta the diameters are

    D_q = max ||X (u - v)||_q = 2 delta max_j ||x_j||_q,

since the norm is largest at opposite vertices, and the curvature constant of f is at most C = L
D_2^2 (exactly C for the squared loss), in Jaggi's (2013) convention, f(a + g (s - a)) <= f(a) + g
f'(a)'(s - a) + g^2 C / 2. A bound is an array whose entry k is that after k steps; entry 0 is f(0),
as f >= 0.
"""

from __future__ import annotations

import math

import numpy as np

from fwcore.design import largest_row_norm
from fwcore.errors import ParameterError
from fwcore.judging import image
from fwcore.kernels.types import Floats
from fwcore.problem import Problem


def diameter(problem: Problem, delta: float, order: float = 2.0) -> float:
    """D_q of the image of the ball, q = ``order``; a pass over the columns where it is not 2.

    >>> from fwcore import datasets
    >>> round(diameter(datasets.load("diabetes"), 1.0), 9)
    2.0
    """
    if order == 2.0:
        return 2.0 * delta * math.sqrt(float(problem.sqnorms.max()))
    one, widest = np.ones(1), 0.0
    for j in range(problem.p):
        column = image(problem.design, np.array([j]), one)
        widest = max(widest, float(np.linalg.norm(column, order)))
    return 2.0 * delta * widest


def curvature(problem: Problem, delta: float) -> float:
    """C, see above.

    Raises
    ------
    ParameterError
        The loss has no bound of its curvature.

    >>> from fwcore import datasets
    >>> round(curvature(datasets.load("diabetes"), 1.0), 9)
    4.0
    """
    return _bend(problem) * diameter(problem, delta) ** 2


def _bend(problem: Problem) -> float:
    """L, which all bounds need."""
    bend = float(problem.loss.curvature_bound)
    if not bend > 0.0:
        rule = "one with a bound of its curvature"
        raise ParameterError("loss", "fwcore.theory", rule, problem.loss.text)
    return bend


def frank_wolfe(problem: Problem, delta: float, steps: int, error: float = 0.0) -> Floats:
    """`fw` with a line search or the open-loop step: f - min f <= 2 C (1 + e) / (k + 2) (Jaggi
    2013, Theorem 1; Frandi et al. 2016, Proposition 1, whose constant is C / 2).

    e, ``error``, is 0 where the gradient is exact. Where no slope is wrong by more than e C / (2
    delta (k + 2)), a vertex is by at most e C / (k + 2) worse than the best one, as Jaggi asks: the
    error bound of Rakotomamonjy et al. (2016), eq. 17.

    Proposition 2 of Frandi et al. has the same number for a sampled column, in expectation. It is
    false where kappa / p is small: see `sampled_columns`.

    >>> from fwcore import datasets
    >>> frank_wolfe(datasets.load("diabetes"), 1.0, 3)[1:].round(3)
    array([...])
    """
    whole = 2.0 * (1.0 + error) * curvature(problem, delta)
    bound = np.asarray(whole / (np.arange(steps + 1) + 2.0))
    # It is of steps: what is known before the first is f >= 0.
    bound[0] = problem.f0
    return bound


def sampled_columns(problem: Problem, delta: float, steps: int, share: float) -> Floats:
    """`sfw` with a line search that looks at kappa = ``share`` * p columns: a bound on the mean of
    f - min f.

    The proof of Proposition 2 of Frandi et al. (2016) takes the slope along the vertex of the
    scaled gradient, (p / kappa) f'(a) on the sample, for that of f (eq. 25). What holds is this.
    The steepest column is in the sample with probability kappa / p, and then a step g gains at
    least g G - g^2 C / 2, G >= f - min f the Frank-Wolfe gap; else a line search loses nothing.
    The gain at the best g, phi(h) = h^2 / (2 C) for h <= C and h - C / 2 above, is convex in h,
    so that the means obey

        h_{k+1} <= h_k - (kappa / p) phi(h_k),  h_0 <= f(0):

    progress of at most kappa / p a step, and O(p / (kappa k)) in the end.

    Raises
    ------
    ParameterError
        The share is not in (0, 1], or the loss has no bound of its curvature.

    >>> from fwcore import datasets
    >>> problem = datasets.load("diabetes")
    >>> all_columns, half = (sampled_columns(problem, 1.0, 9, share) for share in (1.0, 0.5))
    >>> bool((half >= all_columns).all())
    True
    """
    if not 0.0 < share <= 1.0:
        raise ParameterError("share", "fwcore.theory", "a number in (0, 1]", share)
    c, bound = curvature(problem, delta), np.empty(steps + 1)
    bound[0] = problem.f0
    for k in range(steps):
        h = bound[k]
        bound[k + 1] = h - share * (h * h / (2.0 * c) if h <= c else h - 0.5 * c)
    return bound


def gradient_error(problem: Problem, delta: float, turns: int, batch: int = 1) -> Floats:
    """`sfw_rows`: a bound on the mean of ||alpha - l'(X a, y)||_1 = H_t, by the recursion of Lemmas
    2 and 3 of Négiar et al. (2020), from alpha = 0.

    H_t <= (1 - b / m) (H_{t-1} + g_{t-1} L D_1), g_t = 2 / (t + 2), times m in their scale.

    >>> from fwcore import datasets
    >>> problem = datasets.load("breast-cancer")
    >>> gradient_error(problem, 1.0, 3).shape
    (4,)
    """
    m, spread = problem.m, _bend(problem) * diameter(problem, delta, 1.0)
    bound, kept = np.empty(turns + 1), 1.0 - batch / m
    bound[0] = np.abs(problem.loss.derivative(np.zeros(m), problem.y)).sum()
    for t in range(1, turns + 1):
        bound[t] = kept * (bound[t - 1] + 2.0 / (t + 1.0) * spread)
    return bound


def stochastic_gap(problem: Problem, delta: float, turns: int, batch: int = 1) -> Floats:
    """`sfw_rows`: a bound on the mean of abs(true gap - stochastic gap), D_inf H_t (Négiar et al.
    2020, Proposition 1), by `gradient_error`.

    >>> from fwcore import datasets
    >>> problem = datasets.load("breast-cancer")
    >>> stochastic_gap(problem, 1.0, 3).shape
    (4,)
    """
    return diameter(problem, delta, np.inf) * gradient_error(problem, delta, turns, batch)


def sampled_rows(problem: Problem, delta: float, turns: int, batch: int = 1) -> Floats:
    """`sfw_rows` with its own steps: a bound on the mean of f - min f, by the recursion that
    Theorem 1 of Négiar et al. (2020) sums up.

    e_t <= (1 - g_t) e_{t-1} + g_t^2 C / 2 + g_t D_inf H_t (Lemma 1), with `gradient_error` for H_t
    and e_0 <= f(0). For one sample a turn it is below `theorem_1`, which rounds it up.

    >>> from fwcore import datasets
    >>> problem = datasets.load("breast-cancer")
    >>> bool(sampled_rows(problem, 1.0, 50)[-1] > 0)
    True
    """
    noise = stochastic_gap(problem, delta, turns, batch)
    c, bound = curvature(problem, delta), np.empty(turns + 1)
    bound[0] = problem.f0
    for t in range(1, turns + 1):
        g = 2.0 / (t + 2.0)
        bound[t] = (1.0 - g) * bound[t - 1] + 0.5 * g * g * c + g * noise[t]
    return bound


def theorem_1(problem: Problem, delta: float, turns: int) -> Floats:
    """Theorem 1 of Négiar et al. (2020) as printed, for one sample a turn and t >= 2; infinite
    before.

    m times 2 L (D_2^2 + 4 (m - 1) D_1 D_inf) / m t / ((t + 1) (t + 2)) + (2 e_0 + (2 D_inf H_0 +
    64 L D_1 D_inf) m^2) / ((t + 1) (t + 2)), e_0 and H_0 in their scale, means.

    >>> from fwcore import datasets
    >>> problem = datasets.load("breast-cancer")
    >>> bool(theorem_1(problem, 1.0, 50)[-1] > 0)
    True
    """
    m, bend = problem.m, _bend(problem)
    one, two, most = (diameter(problem, delta, order) for order in (1.0, 2.0, np.inf))
    first = gradient_error(problem, delta, 0)[0] / m
    t = np.arange(turns + 1, dtype=np.float64)
    lead = 2.0 * bend * (two * two + 4.0 * (m - 1) * one * most) / m * t
    rest = 2.0 * problem.f0 / m + (2.0 * most * first + 64.0 * bend * one * most) * m * m
    return np.where(t >= 2, m * (lead + rest) / ((t + 1.0) * (t + 2.0)), np.inf)


def coordinate_descent(problem: Problem, updates: int, solution: Floats) -> Floats:
    """`scd` with the update "bound" and a bound for each column: a bound on the mean of F - min F
    after so many updates, F = f + lam sum abs(a) (Shalev-Shwartz & Tewari 2009, Theorem 1).

    p (sum_j beta_j a*_j^2 + 2 f(0)) / T, beta_j = L ||x_j||^2, a* = ``solution`` of shape (p,). The
    paper prints half of it, d (...) / (2 T), with one of d weights drawn; Algorithm 2 draws one of
    2 d, and the proof then gives this. Its beta is the largest beta_j.

    >>> from fwcore import datasets
    >>> problem = datasets.load("breast-cancer")
    >>> coordinate_descent(problem, 3, np.zeros(problem.p)).shape
    (4,)
    """
    betas = _bend(problem) * problem.sqnorms
    whole = problem.p * (float(betas @ solution**2) + 2.0 * problem.f0)
    return np.minimum(problem.f0, whole / np.maximum(1.0, np.arange(updates + 1)))


def mirror_step(
    problem: Problem, exponent: float, updates: int, solution: Floats, slope: float = 1.0
) -> tuple[float, float]:
    """`smidas`: the step size of Theorem 2 of Shalev-Shwartz & Tewari (2009), and its bound on the
    mean of F at an iterate that is drawn uniformly from the T = ``updates``, minus min F.

    With q = ``exponent``, 1/q + 1/r = 1, and m abs(l') ||x_i||_q <= G: eta = ||a*||_r / (G sqrt((q
    - 1) T)) and the bound is ||a*||_r G sqrt((q - 1) / T). That is what the proof sums up to; the
    paper puts e^(1/2) max abs(x_ij) for ||x_i||_q, q = 2 ln d, and the l1 norm for ||a*||_r. In the
    paper's scale, of means, eta is m times as large.

    Parameters
    ----------
    solution : ndarray of shape (p,)
        a*, the minimum of F.
    slope : float
        A bound of abs(l'), 1 for the logistic loss.
    """
    if not exponent > 1.0:
        raise ParameterError("exponent", "fwcore.theory", "a number above 1", exponent)
    size = float(np.linalg.norm(solution, exponent / (exponent - 1.0)))
    steepest = (
        problem.m * slope * float(largest_row_norm(problem.rows, problem.m, problem.p, exponent))
    )
    root = math.sqrt((exponent - 1.0) * updates)
    return size / (steepest * root), size * steepest * root / updates
