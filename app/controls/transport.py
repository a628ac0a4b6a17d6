"""Run, Pause, Step, Stop, Reset and the speed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui

from app.settings import SPEEDS, Settings

_LIVE = ("preparing", "running", "paused")


class Transport:
    """The buttons. What they may do follows from the phase; what they ask for goes to ``command``
    by name.
    """

    def __init__(self, phase: Any, settings: Settings, command: Callable[[str], None]) -> None:
        phase = phase.rx()
        common: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (4, 3), "size": "small"}
        self.run = pmui.Button(
            label="Run",
            icon="play_arrow",
            color="primary",
            variant="contained",
            disabled=phase.rx.in_(["loading", *_LIVE]),
            **common,
        )
        paused = phase == "paused"
        self.pause = pmui.Button(
            label=paused.rx.where("Resume", "Pause"),
            variant="outlined",
            disabled=phase.rx.in_(_LIVE).rx.not_(),
            **common,
        )
        self.step = pmui.Button(
            label="Step", variant="outlined", disabled=phase == "loading", **common
        )
        self.stop = pmui.Button(
            label="Stop",
            color="error",
            variant="outlined",
            disabled=phase.rx.in_(_LIVE).rx.not_(),
            **common,
        )
        self.reset = pmui.Button(
            label="Reset", variant="outlined", disabled=phase.rx.in_(["loading", "empty"]), **common
        )
        self.speed = pmui.Select.from_param(
            settings.param.speed,
            options=list(SPEEDS),
            sizing_mode="stretch_width",
            size="small",
            margin=(8, 10),
        )
        self.run.on_click(lambda _: command("run"))
        self.pause.on_click(lambda _: command("resume" if phase.rx.value == "paused" else "pause"))
        self.step.on_click(lambda _: command("step"))
        self.stop.on_click(lambda _: command("stop"))
        self.reset.on_click(lambda _: command("reset"))

    def view(self) -> Any:
        """The widgets."""
        first = pn.Row(
            self.run, self.pause, self.step, sizing_mode="stretch_width", margin=(4, 4, 0, 4)
        )
        second = pn.Row(self.stop, self.reset, sizing_mode="stretch_width", margin=(0, 4))
        return pn.Column(first, second, self.speed, sizing_mode="stretch_width", margin=0)
