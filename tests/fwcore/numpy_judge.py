"""A second judge, in NumPy and SciPy: it shares the numbers of a problem with the package, and none
of its formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
import scipy.special


@dataclass(frozen=True)
class NumpyJudge:
    """min sum_i w_i l(x_i'a + z_i'c, y_i) + (r / 2) ||a||^2 + lam ||a||_1, or subject to
    ||a||_1 <= delta; z_i are 1, if there is an ``intercept``, and the entries of what is ``free``
    (m, k) of a penalty, and c is the best for a.

    ``loss`` is "squared", (u - y)^2 / 2; "logistic", log(1 + exp(-y u)); or "huber", the squared
    loss up to abs(u - y) = ``threshold`` and linear beyond. ``X`` (m, p) may be sparse.
    """

    X: Any
    y: Any
    loss: str = "squared"
    threshold: float = np.inf
    weights: Any = 1.0
    intercept: bool = False
    positive: bool = False
    free: Any = None

    @classmethod
    def of(cls, problem: Any, weights: Any = 1.0, X: Any = None) -> NumpyJudge:
        """Of what solvers see of a problem, with the ``weights`` that it was made with; ``X`` where
        its matrix is at hand.
        """
        base, beside = getattr(problem.loss, "base", problem.loss), problem.unpenalised
        known = problem.loss.weights if base is not problem.loss else 1.0
        assert np.all(known == np.asarray(weights))
        return cls(
            problem.design.matrix() if X is None else X,
            problem.y,
            base.name,
            getattr(base, "threshold", np.inf),
            weights,
            problem.intercept,
            problem.positive,
            beside.columns[:, int(problem.intercept) :],
        )

    @property
    def beside(self) -> Any:
        """z_i, of shape (m, k), whose columns are at most 1."""
        m = len(self.y)
        free = np.zeros((m, 0)) if self.free is None else self.free
        columns = np.hstack([np.ones((m, int(self.intercept))), free])
        sizes = np.abs(columns).max(axis=0)
        return columns[:, sizes > 0.0] / sizes[sizes > 0.0]

    def value(self, u: Any) -> float:
        """The weighted sum of losses of the predictions u."""
        if self.loss == "logistic":
            return float(np.sum(self.weights * np.logaddexp(0.0, -self.y * u)))
        size = np.abs(u - self.y)
        near = np.minimum(size, self.threshold)
        return float(np.sum(self.weights * near * (size - 0.5 * near)))

    def slopes(self, u: Any) -> Any:
        """Its derivative by u, of shape (m,)."""
        if self.loss == "logistic":
            return -self.weights * self.y * scipy.special.expit(-self.y * u)
        return self.weights * np.clip(u - self.y, -self.threshold, self.threshold)

    def curvatures(self, u: Any) -> Any:
        """Its second derivative, of shape (m,)."""
        if self.loss == "logistic":
            p = scipy.special.expit(self.y * u)
            return self.weights * p * (1.0 - p)
        return self.weights * (np.abs(u - self.y) < self.threshold)

    def dual(self, theta: Any) -> float:
        """-sum_i (w_i l)*(-theta_i): no objective is below its value where theta'X is within the
        bounds of the penalty, and theta'z is 0 of what has none. Of slopes theta_i is in
        the domain of the conjugate: y_i theta_i in [0, w_i], or abs(theta_i) <= w_i threshold.
        """
        if self.loss == "logistic":
            t = np.clip(theta * self.y / self.weights, 0.0, 1.0)
            return float(np.sum(self.weights * (scipy.special.entr(t) + scipy.special.entr(1 - t))))
        return float(np.sum(theta * self.y - theta**2 / (2 * self.weights)))

    def predictions(self, a: Any) -> Any:
        """X a + Z c, with the best c: by Newton's steps, halved until the loss falls."""
        u, Z = self.X @ a, self.beside
        for _ in range(100 if Z.size else 0):
            slope = self.slopes(u)
            pull = -Z.T @ slope
            if (np.abs(pull) <= 1e-15 * (np.abs(Z).T @ np.abs(slope))).all():
                break
            # Where nothing curves, a long step of the first order.
            H = (Z.T * self.curvatures(u)) @ Z + 1e-12 * np.eye(Z.shape[1])
            step, before = Z @ np.linalg.solve(H, pull), self.value(u)
            for _ in range(60):
                if self.value(u + step) <= before * (1.0 + 1e-15):
                    break
                step = 0.5 * step
            u = u + step
        return u

    def objective(self, a: Any, lam: float = 0.0, ridge: float = 0.0) -> float:
        """What is minimised, at a."""
        return self.value(self.predictions(a)) + 0.5 * ridge * a @ a + lam * np.abs(a).sum()

    def gap(self, a: Any, form: str, value: float, ridge: float = 0.0) -> float:
        """An upper bound of how far a is from the minimum: in the ball form Frank and Wolfe's gap,
        in the penalty form the objective less the dual value of the slopes, shrunk into bounds.
        Infinite where a is not allowed.
        """
        outside = form == "ball" and np.abs(a).sum() > value * (1.0 + 1e-12)
        if outside or (self.positive and a.min() < 0.0):
            return np.inf
        u = self.predictions(a)
        slopes = self.slopes(u)
        left = np.abs(self.beside.T @ slopes)
        assert (left <= 1e-7 * np.abs(self.slopes(0.0 * u)).sum()).all()
        gradient = self.X.T @ slopes + ridge * a
        steepest = max(-gradient.min(), 0.0) if self.positive else np.abs(gradient).max()
        if form == "ball":
            return float(gradient @ a + value * steepest)
        shrink = min(1.0, value / steepest) if steepest > 0.0 else 1.0
        bound = self.dual(-shrink * slopes) - 0.5 * ridge * shrink**2 * (a @ a)
        # theta'z is 0 but for rounding, which a large c magnifies.
        bound += shrink * float(slopes @ (u - self.X @ a))
        return self.objective(a, value, ridge) - bound

    def minimum(self, lam: float, ridge: float = 0.0) -> float:
        """The least objective, by L-BFGS-B on the two parts of a, whose l1 norm is linear."""
        p, Z = self.X.shape[1], self.beside
        top = 0.0 if self.positive else None

        def value(w: Any) -> Any:
            a = w[:p] - w[p : 2 * p]
            u = self.X @ a + Z @ w[2 * p :]
            slopes = self.slopes(u)
            g = self.X.T @ slopes + ridge * a
            objective = self.value(u) + 0.5 * ridge * a @ a + lam * w[: 2 * p].sum()
            return objective, np.concatenate([g + lam, lam - g, Z.T @ slopes])

        w, least = np.zeros(2 * p + Z.shape[1]), np.inf
        bounds = [(0, None)] * p + [(0, top)] * p + [(None, None)] * Z.shape[1]
        options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10}
        while True:
            found = scipy.optimize.minimize(
                value, w, jac=True, method="L-BFGS-B", bounds=bounds, options=options
            )
            if not found.fun < least:
                return least
            # Where curvatures change at once its line search may fail: it begins again from there.
            w, least = found.x, float(found.fun)
