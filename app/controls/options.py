"""A solver's card, made from its Options: title, reference, and a widget for each option."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import panel as pn
import panel_material_ui as pmui

from app.controls.field import text_field
from app.controls.sampling import SamplingControl
from app.settings import Settings
from app.theme import SMALL_TITLES
from fwcore import Options, find_solver

_DECADES_FOR_A_LOG_SLIDER = 4
Builder: TypeAlias = Callable[[Options, str, Settings, dict[str, Any]], Any]


def log_steps(low: float, high: float) -> list[float]:
    """1 and 3 times each power of ten, from ``high`` down to ``low``."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    values = [float(f"{digit}e{power}") for power in powers for digit in (1, 3)]
    return sorted((v for v in values if low <= v <= high), reverse=True)


def widget_for(options: Options, name: str, settings: Settings) -> Any:
    """The widget of one option, linked both ways: what its kind asks for by name."""
    common = {"sizing_mode": "stretch_width", "margin": (8, 10), "size": "small"}
    return WIDGETS[options.param[name].widget](options, name, settings, common)


def _sampling(options: Options, name: str, settings: Settings, common: dict[str, Any]) -> Any:
    return SamplingControl(options, name, settings).view()


def _switch(options: Options, name: str, settings: Settings, common: dict[str, Any]) -> Any:
    return pmui.Switch.from_param(options.param[name], **common)


def _select(options: Options, name: str, settings: Settings, common: dict[str, Any]) -> Any:
    parameter = options.param[name]
    labels = getattr(parameter, "names", None) or {value: value for value in parameter.objects}
    select = pmui.Select(
        label=parameter.label,
        options=labels,
        value=getattr(options, name),
        description=parameter.doc,
        **common,
    )
    select.link(options, value=name, bidirectional=True)
    return select


def _text(options: Options, name: str, settings: Settings, common: dict[str, Any]) -> Any:
    return text_field(options, name, **common)


def _amount(options: Options, name: str, settings: Settings, common: dict[str, Any]) -> Any:
    low, high = options.param[name].get_soft_bounds()
    if low and high and np.log10(high / low) >= _DECADES_FOR_A_LOG_SLIDER:
        return _log_slider(options, name, low, high, common)
    return text_field(options, name, **common)


def _log_slider(
    options: Options, name: str, low: float, high: float, common: dict[str, Any]
) -> Any:
    parameter = options.param[name]
    # The steps of a slider must hold the value that it begins with, or it would change it.
    values = sorted({*log_steps(low, high), getattr(options, name)}, reverse=True)
    labels = {f"{value:.0e}".replace("e-0", "e-").replace("e+00", ""): value for value in values}
    slider = pmui.DiscreteSlider(
        label=parameter.label, options=labels, value=getattr(options, name), **common
    )
    slider.link(options, value=name, bidirectional=True)
    return slider


WIDGETS: dict[str, Builder] = {
    "amount": _amount,
    "count": _text,
    "sampling": _sampling,
    "select": _select,
    "switch": _switch,
    "text": _text,
}
"""What shows an option, by the ``widget`` of its kind (`fwcore.option_kinds`)."""


def solver_card(name: str, settings: Settings) -> Any:
    """The card of one solver."""
    solver, options = find_solver(name), settings.options[name]
    widgets = [widget_for(options, option, settings) for option in options.declared()]
    reference = pn.pane.HTML(
        f"<small style='opacity:.8'>{solver.reference}</small>",
        margin=(0, 10),
        sizing_mode="stretch_width",
    )
    return pn.Column(reference, *widgets, sizing_mode="stretch_width", margin=0)


class SolverCards:
    """The cards of the solvers that are to run, the chosen one first and open.

    A card is made when its solver is first chosen: all of them would cost each page half a second
    of the server.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._cards: dict[str, tuple[str, Any]] = {}
        self.view = pmui.Accordion(
            sizing_mode="stretch_width",
            toggle=True,
            # Only the open card is mounted: each widget adds to the time until the page is painted.
            dynamic=True,
            margin=(5, 0),
            sx=SMALL_TITLES,
        )
        settings.param.watch(self._show, ["solver", "competitors"])
        self._show()

    def _card(self, name: str) -> tuple[str, Any]:
        if name not in self._cards:
            title = f"{find_solver(name).title} ({name})"
            self._cards[name] = (title, solver_card(name, self._settings))
        return self._cards[name]

    def _show(self, *events: Any) -> None:
        self.view[:] = [self._card(name) for name in self._settings.solvers]
        self.view.active = [0]
