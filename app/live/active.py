"""Active features against the l1 norm (Frandi et al. 2016, Fig. 4)."""

from __future__ import annotations

from collections.abc import Sequence

from app.live.picture import SPREAD, Axis, Layer, Picture, Shown, common_norm, nearest
from app.runs import Run


class ActiveFeatures(Picture):
    """Number of non-zero coefficients."""

    name = "active"
    title = "Active features"
    brief = "Active features"
    x = Axis(("l1", "point", "dots"), logs=("dots",))
    y = Axis(("nnz",))
    layers = (
        *SPREAD,
        Layer("line", named=True, style={"line_width": 2}),
        Layer("dots", "head", style={"size": 5}),
    )
    tips = ("point", "nnz", "l1")
    help = (
        "How many coefficients are not zero at each point of the path. At the same l1 norm "
        "the lower line is the sparser model; Frank-Wolfe adds at most one feature a step, "
        "and a sampled step may add one that is not needed."
    )
    legend = "Low is sparse. Dot: the current iterate."

    def describe(self, run: Run) -> str:
        counts = run.points["nnz"]
        return f"{counts[-1]:,} active features at point {counts.size} of {run.total}"

    def finding(self, runs: Sequence[Shown]) -> str:
        """The sparsest and the densest model at the largest l1 norm that all runs have reached."""
        begun = [shown for shown in runs if shown.run.reached]
        if not begun:
            return ""
        norm = common_norm(begun)
        counts = {s.name: int(s.run.points["nnz"][nearest(s.run, norm)]) for s in begun}
        few, many = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
        there = f"At ℓ1 norm {norm:.3g}"
        told = f"{counts[few]:,} active feature{'s' * (counts[few] != 1)}"
        if counts[few] == counts[many]:
            who = few if len(begun) == 1 else "each run"
            return f"{there} {who} has {told}"
        return f"{there} {few} has {told}, {many} {counts[many]:,}"
