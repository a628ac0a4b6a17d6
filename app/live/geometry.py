"""How a step moves, where it can be drawn: two features, the l1 ball and the level lines of f."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.live.picture import Axis, Columns, Layer, Picture, Shown, point_of

_STEPS = 40
_LEVELS = 7
_TIGHT = 0.7
Plane = tuple[NDArray[Any], NDArray[Any], float]


def _plane(lead: Shown, point: int) -> Plane | None:
    """The Gram matrix and X'y of the two features that weigh most at the cursor, and a radius at
    which the ball is felt; None where less than two are active, or f is not quadratic.
    """
    problem = lead.run.walk.problem
    indices, values = lead.run.walk.columns[point_of(lead, point)]
    if len(indices) < 2 or not problem.loss.closed_line_search:
        return None
    chosen = np.sort(np.asarray(indices)[np.argsort(-np.abs(values), kind="stable")[:2]])
    zero = problem.residual(np.zeros(0, np.int64), np.zeros(0))
    columns = [zero - problem.residual(np.array([j], np.int64), np.ones(1)) for j in chosen]
    design = np.stack(columns, axis=1)
    gram, correlation = design.T @ design, design.T @ zero
    if abs(np.linalg.det(gram)) < 1e-12:
        return None
    free = np.abs(np.linalg.solve(gram, correlation)).sum()
    return gram, correlation, _TIGHT * float(free)


def zigzag(gram: NDArray[Any], correlation: NDArray[Any], delta: float) -> NDArray[Any]:
    """Iterates of Frank-Wolfe with exact line search from 0 on ½ a'Ga − c'a, shape (steps, 2)."""
    a, path = np.zeros(2), [np.zeros(2)]
    for _ in range(_STEPS):
        gradient = gram @ a - correlation
        j = int(np.abs(gradient).argmax())
        vertex = np.zeros(2)
        vertex[j] = -np.sign(gradient[j]) * delta
        direction = vertex - a
        curvature = direction @ gram @ direction
        if curvature <= 0.0:
            break
        a = a + np.clip(-(gradient @ direction) / curvature, 0.0, 1.0) * direction
        path.append(a)
    return np.array(path)


def _steps(entry: Shown, lead: Shown, point: int) -> Columns:
    plane = _plane(lead, point) if entry.key == lead.key else None
    if plane is None:
        return {"first": [], "second": []}
    path = zigzag(*plane)
    return {"first": path[:, 0].tolist(), "second": path[:, 1].tolist()}


def _ball(entry: Shown, lead: Shown, point: int) -> Columns:
    plane = _plane(lead, point) if entry.key == lead.key else None
    if plane is None:
        return {"first": [], "second": []}
    d = plane[2]
    return {"first": [d, 0.0, -d, 0.0, d], "second": [0.0, d, 0.0, -d, 0.0]}


def _levels(entry: Shown, lead: Shown, point: int) -> Columns:
    """Ellipses on which f is as at the iterates, and between."""
    plane = _plane(lead, point) if entry.key == lead.key else None
    if plane is None:
        return {"first": [], "second": [], "coefficient": []}
    gram, correlation, _ = plane
    centre = np.linalg.solve(gram, correlation)
    root = np.linalg.inv(np.linalg.cholesky(gram)).T
    angles = np.linspace(0.0, 2.0 * np.pi, 61)
    circle = root @ np.stack([np.cos(angles), np.sin(angles)])
    end = zigzag(*plane)[-1] - centre
    radii = float(np.sqrt(end @ gram @ end)) * np.linspace(0.4, 2.8, _LEVELS)
    rings = [centre[:, None] + radius * circle for radius in radii]
    return {
        "first": [ring[0].tolist() for ring in rings],
        "second": [ring[1].tolist() for ring in rings],
        "coefficient": radii.tolist(),
    }


class Geometry(Picture):
    """Frank-Wolfe on the two features that weigh most, from 0, within a ball that is felt."""

    name = "geometry"
    title = "Frank-Wolfe zigzags towards a face of the l1 ball"
    x = Axis(("first",))
    y = Axis(("second",))
    layers = (
        Layer("contours", "levels"),
        Layer("line", "ball", style={"line_width": 2.0}),
        Layer("line", "zigzag", style={"line_width": 1.0}),
        Layer("dots", "zigzag", style={"size": 5}),
    )
    legend = (
        "Diamond: the ball. Rings: level lines of f. Line: steps from 0, each towards a corner."
    )
    lead_only = True
    square = True
    computed = {"zigzag": _steps, "ball": _ball, "levels": _levels}
