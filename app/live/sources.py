"""The data behind the pictures: the sources of one run, of which a tick sends what is new.

A source is rows of columns by name. It is sent while a picture that draws it is open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

import numpy as np

from app.live.features import TopFeatures, lookup
from app.live.reference import suboptimality
from app.live.thinning import ROUNDING, Thinner
from app.pace import COSTS
from app.runs import Run
from fwcore import Status

_POINTS = ("l1", "nnz", "train_error", "test_error")
_STEPS = {"gaps": "gap", "checks": "true_gap", "moves": "moved"}


class Send(Protocol):
    """Where rows go: a source by name, its columns, and whether they replace all that it has."""

    def __call__(self, source: str, columns: Mapping[str, list[Any]], *, replace: bool) -> None: ...


class RunSources:
    """What has been sent of one run."""

    def __init__(self, run: Run, send: Send) -> None:
        self.run = run
        self._send = send
        self.resend()

    def resend(self) -> None:
        """Send everything again at the next tick, after increments may have been lost."""
        self._sent = {"points": 0, "paths": 0}
        self._chunks = 0
        self._over = False
        self._reference: Run | None = None
        self._gaps: dict[int, float] = {}
        self._thinners = {name: Thinner() for name in _STEPS}
        self._thin_hits, self._hits = Thinner(least=-1.0), (0.0, 0)

    def tick(
        self,
        open_sources: Collection[str],
        features: TopFeatures,
        changed: bool,
        reference: Run | None = None,
    ) -> None:
        """Send what is new of the sources that somebody looks at."""
        run = self.run
        if reference is not self._reference:
            self._reference, self._sent["points"] = reference, 0
        if run.walk is None or (run.latest is None and not run.state.over):
            return
        # In this order: the worker adds the last chunk of a point before it counts the point.
        reached = run.walk.reached
        chunks = len(run.walk.chunks)
        if chunks > self._chunks:
            self._note_gaps(run.walk.chunks[self._chunks : chunks], run.walk.problem.f0)
            if _wanted(open_sources, *_STEPS, "hits"):
                self._send_steps(run.walk.chunks[self._chunks : chunks], run.walk.problem.f0)
        moved, ended = chunks > self._chunks, run.state.over and not self._over
        if (moved or ended or changed) and _wanted(open_sources, "head", "heads"):
            self._send_head(features)
        self._chunks, self._over = chunks, run.state.over
        if reached > self._sent["points"]:
            self._send_points(self._sent["points"], reached)
            self._sent["points"] = reached
        if "paths" in open_sources and (reached > self._sent["paths"] or changed):
            self._send_paths(features, reached)
            self._sent["paths"] = reached

    def _note_gaps(self, chunks: Any, f0: float) -> None:
        for rows in chunks:
            known = rows["gap"][np.isfinite(rows["gap"])]
            if known.size:
                # Less is a rounding error, which would bury all others on a logarithmic axis.
                own = float(known[-1]) / f0
                self._gaps[int(rows["point"][-1])] = own if own > ROUNDING else float("nan")

    def _send_points(self, start: int, stop: int) -> None:
        walk = self.run.walk
        assert walk is not None
        rows = walk.points[start:stop]
        data: dict[str, list[Any]] = {name: rows[name].tolist() for name in _POINTS}
        data["point"] = (rows["point"] + 1).tolist()
        data["value"] = rows["value"].tolist()
        gaps = rows["true_gap"] / walk.problem.f0
        data["judged_gap"] = gaps.tolist()
        data["relative_gap"] = np.where(gaps > ROUNDING, gaps, np.nan).tolist()
        data["suboptimality"] = suboptimality(rows, walk.problem.f0, self._reference).tolist()
        data["own_gap"] = [self._gaps.get(k, float("nan")) for k in range(start, stop)]
        # A gulf of nothing where the method saw all there is, or where its gap is not known.
        own, true = np.array(data["own_gap"]), np.array(data["relative_gap"])
        data["seen_gap"] = np.where(own < true, own, true).tolist()
        data |= _costs(self.run, rows)
        shares = rows["empty"] / np.maximum(rows["steps"], 1)
        data["empty_share"] = shares.tolist()
        by_chance = rows["status"] == Status.EMPTY_DRAW
        data["chance_share"] = np.where(by_chance, shares, np.nan).tolist()
        errors = walk.points["test_error"][:stop]
        data["least_error"] = np.fmin.accumulate(errors)[start:].tolist()
        self._send("points", data, replace=start == 0)
        if np.isfinite(errors).any():
            best = walk.points[int(np.nanargmin(errors))][None]
            least: dict[str, list[Any]] = {name: best[name].tolist() for name in _POINTS}
            least |= {"point": (best["point"] + 1).tolist()} | _costs(self.run, best)
            least["least_error"] = least["test_error"]
            gap = best["true_gap"] / walk.problem.f0
            least["relative_gap"] = np.where(gap > ROUNDING, gap, np.nan).tolist()
            self._send("best", least, replace=True)

    def _send_paths(self, features: TopFeatures, stop: int) -> None:
        walk, chosen = self.run.walk, features.indices
        assert walk is not None
        if not stop:
            return
        table = np.array([lookup(chosen, *column) for column in walk.columns[:stop]])
        l1 = walk.points["l1"][:stop].tolist()
        data = {
            "l1": [l1] * len(chosen),
            "point": [[*range(1, stop + 1)]] * len(chosen),
            "coefficient": table.T.tolist(),
            "name": [self.run.feature_name(j) for j in chosen],
            "index": [int(j) for j in chosen],
        }
        self._send("paths", data, replace=True)

    def _send_head(self, features: TopFeatures) -> None:
        """The current iterate; an ended run has none."""
        latest, walk = self.run.latest, self.run.walk
        if latest is None or walk is None or self.run.state.over:
            self._send("head", {name: [] for name in ("l1", "nnz", "point", "dots")}, replace=True)
            self._send("heads", {"l1": [], "point": [], "coefficient": []}, replace=True)
            return
        row = latest.rows[-1]
        l1 = float(row["l1"])
        head: dict[str, list[Any]] = {"l1": [l1], "point": [latest.point + 1]}
        head |= {"nnz": [int(row["nnz"])]}
        head |= {"dots": [int(row["dots"]) if self.run.counts("dots") else float("nan")]}
        self._send("head", head, replace=True)
        coefficients = lookup(features.indices, latest.indices, latest.coefficients)
        count = len(coefficients)
        heads: dict[str, list[Any]] = {"l1": [l1] * count, "point": [latest.point + 1] * count}
        heads["coefficient"] = coefficients
        self._send("heads", heads, replace=True)

    def _send_steps(self, chunks: Any, f0: float) -> None:
        first = self._chunks == 0
        stopping = self.run.stopping
        # Column by column: to join rows of records takes numpy eight times as long.
        numbers = np.concatenate([rows["step"] for rows in chunks])
        for name, column in _STEPS.items():
            if name == "moves" and (stopping is None or stopping[0] != "moved"):
                continue
            scale = 1.0 if name == "moves" else 1.0 / f0
            values = scale * np.concatenate([rows[column] for rows in chunks])
            steps, shown, replace = self._thinners[name].add(numbers, values)
            if replace or len(steps) or first:
                columns = {"step": steps.tolist(), "gap": shown.tolist()}
                self._send(name, columns, replace=replace or first)
        self._send_hits(numbers, np.concatenate([rows["hit"] for rows in chunks]), first)

    def _send_hits(self, numbers: Any, hits: Any, first: bool) -> None:
        """The share of right answers so far, where the judge looked."""
        looked = np.isfinite(hits)
        if not looked.any():
            return
        total, count = self._hits
        shares = (total + np.cumsum(hits[looked])) / (count + np.arange(1, looked.sum() + 1))
        self._hits = (total + float(hits[looked].sum()), count + int(looked.sum()))
        steps, shown, replace = self._thin_hits.add(numbers[looked], shares)
        columns = {"step": steps.tolist(), "share": shown.tolist()}
        self._send("hits", columns, replace=replace or first)


def _wanted(open_sources: Collection[str], *names: str) -> bool:
    return any(name in open_sources for name in names)


def _costs(run: Run, rows: Any) -> dict[str, list[Any]]:
    """What was spent at each point, in the units that it is counted in; there is no 0 on a
    logarithmic axis.
    """
    columns = {name: "steps" if name == "step" else name for name in COSTS}
    return {
        name: np.where((rows[column] > 0) & run.counts(name), rows[column], np.nan).tolist()
        for name, column in columns.items()
    }
