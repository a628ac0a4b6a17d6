"""The problem, the solvers, the grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui

from app.controls.dataset import DatasetControl
from app.controls.field import text_field
from app.settings import Settings
from fwcore import LOSSES, all_solvers, datasets, find_loss

_COMMON: dict[str, Any] = {"sizing_mode": "stretch_width", "size": "small", "margin": (8, 10)}


def _losses_without(dataset: str) -> list[str]:
    """The losses that do not take the response of a dataset."""
    response = np.array([-1.0, 1.0] if datasets.find(dataset).task == "classification" else [0.5])
    return [name for name in LOSSES if not find_loss(name).takes(response)]


def problem_controls(settings: Settings) -> Any:
    """Dataset, loss and split."""
    return pn.Column(
        DatasetControl(settings).view(),
        pmui.Select.from_param(
            settings.param.loss,
            disabled_options=settings.param.dataset.rx.pipe(_losses_without),
            description=settings.param.loss.doc,
            **_COMMON,
        ),
        pmui.FloatSlider.from_param(settings.param.test_fraction, format="0%", **_COMMON),
        text_field(settings, "split_seed", **_COMMON),
        sizing_mode="stretch_width",
        margin=0,
    )


def solver_controls(settings: Settings) -> Any:
    """The solver and what is laid over it; those that need a package that is not installed say how
    to install it.
    """
    titles = {
        solver.title + (f" – {solver.missing}" if solver.missing else ""): solver.name
        for solver in all_solvers()
    }
    missing = [solver.name for solver in all_solvers() if solver.missing]
    solver = pmui.Select(
        label="Solver", options=titles, value=settings.solver, disabled_options=missing, **_COMMON
    )
    solver.link(settings, value="solver", bidirectional=True)
    overlay = pmui.MultiChoice(
        label="Overlay",
        options=titles,
        value=settings.competitors,
        disabled_options=missing,
        # It lies where people click to open the list.
        delete_button=False,
        sizing_mode="stretch_width",
        margin=(8, 10),
    )
    overlay.link(settings, value="competitors", bidirectional=True)
    return pn.Column(solver, overlay, sizing_mode="stretch_width", margin=0)


def grid_controls(settings: Settings) -> Any:
    """The grid and the seed."""
    return pn.Column(
        text_field(settings, "points", **_COMMON),
        text_field(settings, "delta_max", placeholder="found for you", **_COMMON),
        text_field(settings, "seed", **_COMMON),
        sizing_mode="stretch_width",
        margin=0,
    )
