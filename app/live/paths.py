"""Coefficient paths against the l1 norm (Frandi et al. 2016, Fig. 1)."""

from __future__ import annotations

from collections.abc import Sequence

from app.live.features import COUNT, TopFeatures
from app.live.picture import Axis, Layer, Picture, Shown, leader
from app.runs import Run

_FIRST = 3


class CoefficientPaths(Picture):
    """The largest coefficients by mean absolute value of the selected run, followed in every
    run.
    """

    name = "paths"
    title = f"Coefficient paths, the {COUNT} largest"
    brief = "Paths"
    x = Axis(("l1", "point"))
    y = Axis(("coefficient",))
    layers = (
        Layer("paths", "paths", named=True),
        Layer("dots", "heads", style={"size": 5}),
    )
    tips = ("name",)
    help = (
        "The regularisation path: each line is one coefficient as the l1 norm is allowed to "
        "grow. The selected run is drawn in colours, the same features of the other runs "
        "thin: where thin lines leave the coloured one, the runs disagree. Point at a line "
        "to light its feature in every picture."
    )
    legend = (
        "Colour: a feature of the selected run. Thin: the same in other runs. Dots: the current "
        "iterate."
    )

    def finding(self, runs: Sequence[Shown]) -> str:
        """Which of the features that are drawn enter first."""
        lead = leader(runs)
        if lead is None:
            return ""
        run, drawn = lead.run, TopFeatures()
        drawn.follow(run.walk.columns, run.reached)
        drawn.choose()
        entered: dict[int, None] = {}
        for indices, _ in run.walk.columns[: run.reached]:
            entered |= {int(j): None for j in indices if int(j) in drawn.indices}
            if len(entered) >= _FIRST:
                break
        names = [run.feature_name(j) for j in [*entered][:_FIRST]]
        return f"First of these to enter: {', '.join(names)}" if names else ""

    def describe(self, run: Run) -> str:
        indices, values = run.last_column
        if not len(indices):
            return "all coefficients are zero"
        k = int(abs(values).argmax())
        return f"largest coefficient {run.feature_name(int(indices[k]))} = {values[k]:.4g}"
