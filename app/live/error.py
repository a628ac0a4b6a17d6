"""Test and train error against the l1 norm (Frandi et al. 2016, Fig. 3, 5 and 6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.live.picture import SPREAD, Axis, Layer, Picture, Shown
from app.runs import Run


class PredictionError(Picture):
    """Error on the rows held out, its minimum marked, and on the training rows."""

    name = "error"
    title = "Test and train error"
    brief = "Errors"
    x = Axis(("l1", "point"))
    y = Axis(("test_error",))
    layers = (
        *SPREAD,
        Layer("line", y="train_error", style={"line_width": 1.2, "line_alpha": 0.5}),
        Layer("line", named=True, style={"line_width": 2.2}),
        Layer("dots", "best", style={"marker": "diamond", "size": 12}),
    )
    tips = ("point", "test_error", "train_error", "l1")
    help = (
        "The error on rows held out (strong) and on the rows learnt from (faint). The train "
        "error falls along an exact path; the test error turns where the model begins to "
        "learn noise. The diamond is the point that one would choose."
    )
    legend = "Strong: test. Faint: train. Diamond: least test error."

    def finding(self, runs: Sequence[Shown]) -> str:
        """The least test error of each run that has ended."""
        ended = [shown for shown in runs if shown.run.ended]
        least = {
            shown.name: float(np.nanmin(shown.run.points["test_error"]))
            for shown in ended
            if np.isfinite(shown.run.points["test_error"]).any()
        }
        best = sorted(least, key=least.__getitem__)[:3]
        said = ", ".join(f"{name} {least[name]:.3g}" for name in best)
        return f"Least test error: {said}" if len(least) > 1 else ""

    def describe(self, run: Run) -> str:
        kind = run.error_name
        points = run.points
        if not np.isfinite(points["test_error"]).any():
            last = points["train_error"][-1]
            return f"train error {last:.4g} ({kind}); no rows are held out for a test error"
        best = int(np.nanargmin(points["test_error"]))
        error, l1 = points["test_error"][best], points["l1"][best]
        return f"least test error {error:.4g} ({kind}) at ℓ1 norm {l1:.4g}"
