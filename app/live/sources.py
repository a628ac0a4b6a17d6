"""The data behind the live pictures: one set of Bokeh sources a run, shared by all pictures.

A tick makes at most one ``stream`` or one replacement of each source. Columns are sent as lists: arrays would each become a
separate binary frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from app.live.features import COUNT, TopFeatures, lookup
from app.live.thinning import Thinner
from app.runs import Run
from fwcore import TRACE

POINT_COLUMNS = ("point", "value", "l1", "nnz", "train_mse", "test_mse", "relative_gap", "step")
PATH_COLUMNS = tuple(f"c{k}" for k in range(COUNT))


def _empty(*names: str) -> ColumnDataSource:
    return ColumnDataSource({name: [] for name in names})


class RunSources:
    """What the page shows of one run."""

    def __init__(self) -> None:
        self.points = _empty(*POINT_COLUMNS)
        self.paths = _empty("l1", *PATH_COLUMNS)
        self.heads = _empty("l1", "coefficient")
        self.head = _empty("l1", "nnz", "train_mse")
        self.best = _empty("l1", "test_mse")
        self.gaps = _empty("step", "gap")
        self.checks = _empty("step", "gap")
        self.moves = _empty("step", "gap")
        self.run: Run | None = None
        self._forget()

    def _forget(self) -> None:
        self._reached = 0
        self._chunks = 0
        self._thinners = {name: Thinner() for name in ("gaps", "checks", "moves")}

    def show(self, run: Run | None) -> None:
        """Turn to another run, or to none; what was shown goes."""
        self.run = run
        self._forget()
        for source in (self.points, self.paths, self.heads, self.head, self.best, self.gaps, self.checks, self.moves):
            source.data = {name: [] for name in source.column_names}

    @property
    def shown(self) -> bool:
        """Whether a point of the path has been sent."""
        return self._reached > 0

    def resend(self) -> None:
        """Send everything anew at the next tick, after increments may have been lost."""
        self._reached = self._chunks = 0
        self._thinners = {name: Thinner() for name in self._thinners}

    def tick(self, features: TopFeatures, features_changed: bool) -> None:
        """Send what is new of the run."""
        run = self.run
        if run is None or run.walk is None or run.latest is None:
            return
        chunks = len(run.walk.chunks)
        reached = run.walk.reached
        if chunks > self._chunks:
            self._send_steps(run.walk, self._chunks, chunks)
            self._send_head(run, features)
        if reached > self._reached or features_changed:
            self._send_paths(run.walk, features, 0 if features_changed else self._reached, reached)
        if reached > self._reached:
            self._send_points(run.walk, self._reached, reached)
        self._chunks, self._reached = chunks, reached

    def _send_points(self, walk: Any, start: int, stop: int) -> None:
        rows = walk.points[start:stop]
        data = {name: rows[name].tolist() for name in ("point", "value", "l1", "nnz", "train_mse", "test_mse")}
        data["relative_gap"] = (rows["true_gap"] / walk.problem.f0).tolist()
        data["step"] = rows["steps"].tolist()
        _send(self.points, data, replace=start == 0)
        errors = walk.points["test_mse"][:stop]
        if np.isfinite(errors).any():
            best = int(np.nanargmin(errors))
            self.best.data = {"l1": [float(walk.points["l1"][best])], "test_mse": [float(errors[best])]}

    def _send_paths(self, walk: Any, features: TopFeatures, start: int, stop: int) -> None:
        chosen = features.indices
        table = [lookup(chosen, *column) for column in walk.columns[start:stop]]
        data = {"l1": walk.points["l1"][start:stop].tolist()}
        for k, name in enumerate(PATH_COLUMNS):
            data[name] = [row[k] if k < len(chosen) else float("nan") for row in table]
        _send(self.paths, data, replace=start == 0)

    def _send_head(self, run: Run, features: TopFeatures) -> None:
        """The iterate in flight; an ended run has none."""
        latest, walk = run.latest, run.walk
        if latest is None or walk is None:
            return
        if run.state.over:
            self.head.data = {name: [] for name in self.head.column_names}
            self.heads.data = {name: [] for name in self.heads.column_names}
            return
        row = latest.rows[-1]
        l1, mse = float(row["l1"]), 2.0 * walk.problem.y_scale**2 * float(row["objective"]) / walk.problem.m
        self.head.data = {"l1": [l1], "nnz": [int(row["nnz"])], "train_mse": [mse]}
        coefficients = lookup(features.indices, latest.indices, latest.coefficients)
        self.heads.data = {"l1": [l1] * len(coefficients), "coefficient": coefficients}

    def _send_steps(self, walk: Any, start: int, stop: int) -> None:
        rows = np.concatenate(walk.chunks[start:stop]) if stop > start else np.zeros(0, TRACE)
        relative = 1.0 / walk.problem.f0
        series = [("gaps", rows["gap"] * relative), ("checks", rows["true_gap"] * relative)]
        if walk.options.rule == "moved":
            series.append(("moves", rows["moved"]))
        for name, values in series:
            steps, shown, replace = self._thinners[name].add(rows["step"], values)
            if replace or len(steps) or start == 0:
                _send(getattr(self, name), {"step": steps.tolist(), "gap": shown.tolist()}, replace=replace or start == 0)


def _send(source: ColumnDataSource, data: dict[str, list[Any]], *, replace: bool) -> None:
    if replace:
        source.data = data
    else:
        source.stream(data)
