"""The data behind the live pictures: one set of Bokeh sources a run, shared by all pictures.

A tick appends rows to a source at most once, or replaces them; they travel by the wire.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, UnionRenderers

from app.live.features import COUNT, TopFeatures, lookup
from app.live.thinning import Thinner
from app.runs import Run
from app.wire import Wire

POINT_COLUMNS = (
    *("point", "value", "l1", "nnz", "train_error", "test_error"),
    *("relative_gap", "step", "entries", "least_error"),
)
PATH_COLUMNS = tuple(f"c{k}" for k in range(COUNT))


class RunSources:
    """What the page shows of one run."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        policy = UnionRenderers()

        def empty(*names: str) -> ColumnDataSource:
            return ColumnDataSource({name: [] for name in names}, selection_policy=policy)

        self.points = empty(*POINT_COLUMNS)
        self.paths = empty("l1", *PATH_COLUMNS)
        self.heads = empty("l1", "coefficient")
        self.head = empty("l1", "nnz", "train_error")
        self.best = empty("l1", "test_error", "entries")
        self.gaps = empty("step", "gap")
        self.checks = empty("step", "gap")
        self.moves = empty("step", "gap")
        self.hits = empty("step", "share")
        self.run: Run | None = None
        self._forget()

    def _forget(self) -> None:
        self._reached = 0
        self._chunks = 0
        self._thin_anew()

    def _thin_anew(self) -> None:
        self._thinners = {name: Thinner() for name in ("gaps", "checks", "moves")}
        self._thin_hits, self._hits = Thinner(least=-1.0), (0.0, 0)

    def show(self, run: Run | None) -> None:
        """Turn to another run, or to none; what was shown goes."""
        self.run = run
        self._forget()
        for source in (
            self.points,
            self.paths,
            self.heads,
            self.head,
            self.best,
            self.gaps,
            self.checks,
            self.moves,
            self.hits,
        ):
            self._clear(source)

    def _clear(self, source: ColumnDataSource) -> None:
        self._wire.rows(source, {name: [] for name in source.column_names}, replace=True)

    @property
    def shown(self) -> bool:
        """Whether a point of the path has been sent."""
        return self._reached > 0

    def resend(self) -> None:
        """Send everything again at the next tick, after increments may have been lost."""
        self._reached = self._chunks = 0
        self._thin_anew()

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
        data = {
            name: rows[name].tolist()
            for name in ("point", "value", "l1", "nnz", "train_error", "test_error")
        }
        data["relative_gap"] = (rows["true_gap"] / walk.problem.f0).tolist()
        data["step"] = rows["steps"].tolist()
        errors = walk.points["test_error"][:stop]
        # A library counts no entries, and there is no 0 on a logarithmic axis.
        entries = np.where(walk.points["entries"][:stop] > 0, walk.points["entries"][:stop], np.nan)
        data["entries"] = entries[start:].tolist()
        data["least_error"] = np.fmin.accumulate(errors)[start:].tolist()
        self._wire.rows(self.points, data, replace=start == 0)
        if np.isfinite(errors).any():
            best = int(np.nanargmin(errors))
            least = {"l1": walk.points["l1"], "test_error": errors, "entries": entries}
            self._wire.rows(
                self.best, {name: [float(v[best])] for name, v in least.items()}, replace=True
            )

    def _send_paths(self, walk: Any, features: TopFeatures, start: int, stop: int) -> None:
        chosen = features.indices
        table = [lookup(chosen, *column) for column in walk.columns[start:stop]]
        data = {"l1": walk.points["l1"][start:stop].tolist()}
        for k, name in enumerate(PATH_COLUMNS):
            data[name] = [row[k] if k < len(chosen) else float("nan") for row in table]
        self._wire.rows(self.paths, data, replace=start == 0)

    def _send_head(self, run: Run, features: TopFeatures) -> None:
        """The iterate in flight; an ended run has none."""
        latest, walk = run.latest, run.walk
        if latest is None or walk is None:
            return
        if run.state.over:
            self._clear(self.head)
            self._clear(self.heads)
            return
        row = latest.rows[-1]
        l1 = float(row["l1"])
        error = walk.problem.train_error(latest.indices, latest.coefficients)
        head: dict[str, list[Any]] = {"l1": [l1], "nnz": [int(row["nnz"])], "train_error": [error]}
        self._wire.rows(self.head, head, replace=True)
        coefficients = lookup(features.indices, latest.indices, latest.coefficients)
        heads = {"l1": [l1] * len(coefficients), "coefficient": coefficients}
        self._wire.rows(self.heads, heads, replace=True)

    def _send_steps(self, walk: Any, start: int, stop: int) -> None:
        chunks = walk.chunks[start:stop]
        relative = 1.0 / walk.problem.f0
        series = [("gaps", "gap", relative), ("checks", "true_gap", relative)]
        if walk.options.settings().get("rule", "moved") == "moved":
            series.append(("moves", "moved", 1.0))
        # Column by column: to join rows of records takes numpy eight times as long.
        numbers = np.concatenate([rows["step"] for rows in chunks])
        for name, column, scale in series:
            values = scale * np.concatenate([rows[column] for rows in chunks])
            steps, shown, replace = self._thinners[name].add(numbers, values)
            if replace or len(steps) or start == 0:
                columns = {"step": steps.tolist(), "gap": shown.tolist()}
                self._wire.rows(getattr(self, name), columns, replace=replace or start == 0)
        self._send_hits(numbers, np.concatenate([rows["hit"] for rows in chunks]), start == 0)

    def _send_hits(self, numbers: Any, hits: Any, anew: bool) -> None:
        """The share of right answers so far, where the judge looked."""
        looked = np.isfinite(hits)
        if not looked.any():
            return
        total, count = self._hits
        shares = (total + np.cumsum(hits[looked])) / (count + np.arange(1, looked.sum() + 1))
        self._hits = (total + float(hits[looked].sum()), count + int(looked.sum()))
        steps, shown, replace = self._thin_hits.add(numbers[looked], shares)
        self._wire.rows(
            self.hits, {"step": steps.tolist(), "share": shown.tolist()}, replace=replace or anew
        )
