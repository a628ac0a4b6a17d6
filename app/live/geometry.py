"""How a step moves, where it can be drawn: two features, the l1 ball and the level lines of f."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.live.picture import Axis, Columns, Layer, Picture, Shown, leader, point_of
from app.runs import Run

_STEPS = 40
_LEVELS = 7
_TIGHT = 0.7
Plane = tuple[NDArray[Any], NDArray[Any], float]


def _pair(lead: Shown) -> NDArray[Any] | None:
    """The two features that weigh most at the last point; None where less are active."""
    indices, values = lead.run.last_column
    if len(indices) < 2:
        return None
    return np.sort(np.asarray(indices)[np.argsort(-np.abs(values), kind="stable")[:2]])


def _plane(lead: Shown) -> Plane | None:
    """The Gram matrix and X'y of the two features that weigh most at the last point, and a radius
    at which the ball is felt; None where less than two are active, or f is not quadratic.
    """
    problem, chosen = lead.run.walk.problem, _pair(lead)
    if chosen is None or not problem.loss.closed_line_search:
        return None
    zero = problem.residual(np.zeros(0, np.int64), np.zeros(0))
    columns = [zero - problem.residual(np.array([j], np.int64), np.ones(1)) for j in chosen]
    design = np.stack(columns, axis=1)
    gram, correlation = design.T @ design, design.T @ zero
    if abs(np.linalg.det(gram)) < 1e-12:
        return None
    return gram, correlation, felt_radius(gram, correlation)


def felt_radius(gram: NDArray[Any], correlation: NDArray[Any]) -> float:
    """A radius below the l1 norm of the free optimum, so that the ball is felt, and if possible
    beyond what the first step moves: a step that ends in a corner leads straight to the optimum.
    """
    free = float(np.abs(np.linalg.solve(gram, correlation)).sum())
    j = int(np.abs(correlation).argmax())
    first = float(abs(correlation[j]) / gram[j, j])
    return 0.5 * (first + free) if first < free else _TIGHT * free


def zigzag(gram: NDArray[Any], correlation: NDArray[Any], delta: float) -> tuple[Any, Any]:
    """Frank-Wolfe with exact line search from 0 on ½ a'Ga − c'a: the iterates, of shape
    (steps + 1, 2), and the vertex that each step goes towards, (steps, 2).
    """
    path, vertices = [np.zeros(2)], []
    for _ in range(_STEPS):
        gradient = gram @ path[-1] - correlation
        j = int(np.abs(gradient).argmax())
        vertex = np.zeros(2)
        vertex[j] = -np.sign(gradient[j]) * delta
        direction = vertex - path[-1]
        curvature = direction @ gram @ direction
        if curvature <= 0.0:
            break
        step = np.clip(-(gradient @ direction) / curvature, 0.0, 1.0)
        path.append(path[-1] + step * direction)
        vertices.append(vertex)
    return np.array(path), np.array(vertices)


def _walked(entry: Shown, lead: Shown, point: int) -> tuple[Any, Any] | None:
    """The iterates up to the step under the cursor, and the vertex of that step. The points of the
    path stand for the steps: the cursor at its end shows all.
    """
    plane = _plane(lead) if entry.key == lead.key else None
    if plane is None:
        return None
    path, vertices = zigzag(*plane)
    share = (point_of(lead, point) + 1) / lead.run.reached
    steps = max(1, round(share * len(vertices)))
    return path[: steps + 1], vertices[steps - 1]


def _steps(entry: Shown, lead: Shown, point: int) -> Columns:
    walked = _walked(entry, lead, point)
    if walked is None:
        return {"first": [], "second": []}
    return {"first": walked[0][:, 0].tolist(), "second": walked[0][:, 1].tolist()}


def _vertex(entry: Shown, lead: Shown, point: int) -> Columns:
    """From the iterate before the step under the cursor to the vertex that it goes towards."""
    walked = _walked(entry, lead, point)
    if walked is None:
        return {"first": [], "second": []}
    (before, _), vertex = walked[0][-2:], walked[1]
    return {"first": [before[0], vertex[0]], "second": [before[1], vertex[1]]}


def _ball(entry: Shown, lead: Shown, point: int) -> Columns:
    plane = _plane(lead) if entry.key == lead.key else None
    if plane is None:
        return {"first": [], "second": []}
    d = plane[2]
    return {"first": [d, 0.0, -d, 0.0, d], "second": [0.0, d, 0.0, -d, 0.0]}


def _levels(entry: Shown, lead: Shown, point: int) -> Columns:
    """Ellipses on which f is as at the iterates, and between."""
    plane = _plane(lead) if entry.key == lead.key else None
    if plane is None:
        return {"first": [], "second": [], "coefficient": []}
    gram, correlation, _ = plane
    centre = np.linalg.solve(gram, correlation)
    root = np.linalg.inv(np.linalg.cholesky(gram)).T
    angles = np.linspace(0.0, 2.0 * np.pi, 61)
    circle = root @ np.stack([np.cos(angles), np.sin(angles)])
    end = zigzag(*plane)[0][-1] - centre
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
    brief = "Zigzag"
    x = Axis(("first",))
    y = Axis(("second",))
    layers = (
        Layer("contours", "levels"),
        Layer("line", "ball", style={"line_width": 2.0}),
        Layer("line", "zigzag", style={"line_width": 1.0}),
        Layer("dots", "zigzag", style={"size": 5}),
        Layer("line", "vertex", style={"line_width": 3.0, "line_alpha": 0.7}),
    )
    blank = {"": "Two active features and the squared loss are needed."}
    help = (
        "The problem of the two heaviest features alone. Frank-Wolfe moves towards a corner "
        "of the l1 ball (the vertex) in each step; where the optimum lies on an edge, it "
        "goes back and forth between the two corners and converges slowly. Move the cursor "
        "to go from step to step."
    )
    legend = (
        "Diamond: the ball. Rings: level lines of f. Thick: towards the vertex of the step under "
        "the cursor."
    )
    lead_only = True
    square = True
    computed = {"zigzag": _steps, "vertex": _vertex, "ball": _ball, "levels": _levels}

    def finding(self, runs: Sequence[Shown]) -> str:
        """The features that are drawn."""
        lead = leader(runs)
        parabola = lead is not None and lead.run.walk.problem.loss.closed_line_search
        chosen = _pair(lead) if lead is not None and parabola else None
        if lead is None or chosen is None:
            return ""
        first, second = (lead.run.feature_name(int(j)) for j in chosen)
        axes = f"{first} (across) and {second} (up)"
        return f"Frank-Wolfe zigzags between {axes}, which weigh most in {lead.name}"

    def describe(self, run: Run) -> str:
        return "steps of Frank-Wolfe on the two features that weigh most at its last point"
