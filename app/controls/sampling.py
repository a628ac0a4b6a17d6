"""How many columns a step looks at: a choice of rule, its numbers, and what it comes to."""

from __future__ import annotations

import dataclasses
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import Div

from app.controls.field import text_field
from app.document import with_document
from app.settings import Settings
from fwcore import Options, ParameterError, sampling

_SHARES = ("fraction", "start", "end")
_PERCENTAGES = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]


class SamplingControl(param.Parameterized):
    """Writes the text of a sampling rule to one option; a field of a rule is a log slider where it
    is a share of the columns.
    """

    told = param.String(doc="What the rule comes to, in words.")

    def __init__(self, options: Options, name: str, settings: Settings) -> None:
        super().__init__()
        self._options, self._name, self._settings = options, name, settings
        rule = getattr(options, name)
        titles = {kind.title: kind for kind in sampling.RULES}
        self._kind = pmui.Select(
            label=options.param[name].label,
            options=titles,
            value=type(rule),
            description=options.param[name].doc,
            sizing_mode="stretch_width",
            size="small",
            margin=(8, 10),
        )
        self._fields: dict[Any, dict[str, Any]] = {}
        self._group = pn.Column(sizing_mode="stretch_width", margin=0)
        self._open(rule)
        self._kind.param.watch(lambda event: self._open(event.new()), "value")
        options.param.watch(self._take, name)
        settings.param.watch(self._tell, ["dataset", "relevant"])
        self._tell()

    def _open(self, rule: Any) -> None:
        """Show the fields of a kind of rule, made when it is first chosen."""
        kind = type(rule)
        if kind not in self._fields:
            self._fields[kind] = self._widgets(rule)
            for widget in self._fields[kind].values():
                widget.param.watch(self._write, "value")
        self._group[:] = list(self._fields[kind].values())
        self._write()

    def _widgets(self, rule: Any) -> dict[str, Any]:
        widgets: dict[str, Any] = {}
        for field in dataclasses.fields(rule):
            label, value = field.name, getattr(rule, field.name)
            common = {"sizing_mode": "stretch_width", "size": "small", "margin": (8, 10)}
            if label in _SHARES:
                shares = {f"{percent:g} %": percent / 100 for percent in _PERCENTAGES}
                widgets[label] = pmui.DiscreteSlider(
                    label=label, options=shares, value=value, **common
                )
            else:
                widgets[label] = pmui.TextInput(label=label, value=str(value), **common)
        return widgets

    def _chosen(self) -> Any:
        """The rule that the widgets show."""
        kind = self._kind.value
        return kind(**{name: self._number(kind, name) for name in self._fields[kind]})

    def _number(self, kind: Any, name: str) -> Any:
        """What a widget holds, as a number of the type that the rule has by default."""
        number, given = type(getattr(kind(), name)), self._fields[kind][name].value
        try:
            return number(given)
        except ValueError:
            wanted = "an int" if number is int else "a number"
            raise ParameterError(name, kind.__name__, wanted, given) from None

    def _take(self, *events: Any) -> None:
        """Show a rule that was set elsewhere, as by another dataset."""
        rule = getattr(self._options, self._name)
        if rule != self._chosen():
            self._kind.value = type(rule)
            for name, widget in self._fields[type(rule)].items():
                value = getattr(rule, name)
                widget.value = value if name in _SHARES else str(value)
        self._tell()

    def _write(self, *events: Any) -> None:
        try:
            rule = self._chosen()
            rule.kappa(self._settings.columns)
            setattr(self._options, self._name, rule)
        except (ParameterError, TypeError, ValueError) as error:
            self.told = f"<span role='alert' style='color:#c62828'>{error}</span>"

    def _tell(self, *events: Any) -> None:
        p, s = self._settings.columns, int(self._settings.relevant)
        rule = getattr(self._options, self._name)
        try:
            first, last = rule.kappa(p, 0.0), rule.kappa(p, 1.0)
        except ParameterError as error:
            self.told = f"<span role='alert' style='color:#c62828'>{error}</span>"
            return
        kappa = f"<b>κ = {first:,}</b>" if first == last else f"<b>κ = {first:,} … {last:,}</b>"
        miss = sampling.miss_probability(p, last, min(s, p))
        self.told = (
            f"<span class='kappa'>{kappa} of {p:,} columns</span> ({100 * last / p:.2g} %). "
            f"{rule.formula}.<br>"
            f"P(miss) = {miss:.3g}: the chance that a draw holds none of {s:,} relevant "
            "columns (eq. 11)."
        )

    def view(self) -> Any:
        """The widgets."""
        # Bokeh's own Div: a Panel pane that is told something while its card is closed has no
        # document, and would then point the style sheets that all components of the page share at a
        # content delivery network.
        told = Div(
            text=self.told,
            sizing_mode="stretch_width",
            margin=(0, 10),
            styles={"font-size": "12px"},
        )
        self.param.watch(lambda event: with_document(told.update, text=event.new), "told")
        look = {"size": "small", "sizing_mode": "stretch_width", "margin": (8, 10)}
        relevant = text_field(self._settings, "relevant", **look)
        return pn.Column(
            self._kind,
            self._group,
            pn.pane.Bokeh(told, sizing_mode="stretch_width"),
            relevant,
            sizing_mode="stretch_width",
            margin=0,
        )
