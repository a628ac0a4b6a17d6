"""Test and train error against the l1 norm (Frandi et al. 2016, Fig. 3, 5 and 6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.live.picture import Picture
from app.live.sources import RunSources
from app.runs import Run


class PredictionError(Picture):
    """Error on the rows held out, its minimum marked, and on the training rows."""

    name = "error"
    title = "Test and train error"
    y_label = "error"
    legend = "Strong: test. Faint: train. Diamond: least test error so far."

    def draw(self, plot: Any, sources: RunSources, line: dict[str, Any], colour: str) -> None:
        filled = {"fill_color": colour, "line_color": colour}
        self.line(
            plot, sources.points, "l1", "train_error", line_width=1.2, line_alpha=0.45, **line
        )
        self.line(plot, sources.points, "l1", "test_error", line_width=2.2, **line)
        self.mark(plot, sources.head, "l1", "train_error", size=5, **filled)
        self.mark(plot, sources.best, "l1", "test_error", marker="diamond", size=13, **filled)

    def describe(self, run: Run) -> str:
        walk = run.walk
        if walk is None or not walk.reached:
            return ""
        kind = walk.problem.loss.error_name
        points = walk.points[: walk.reached]
        if not np.isfinite(points["test_error"]).any():
            last = points["train_error"][-1]
            return f"train error {last:.4g} ({kind}); no rows are held out for a test error"
        best = int(np.nanargmin(points["test_error"]))
        error, l1 = points["test_error"][best], points["l1"][best]
        return f"least test error {error:.4g} ({kind}) at ℓ1 norm {l1:.4g}"
