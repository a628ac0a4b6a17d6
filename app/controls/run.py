"""The controls of the selected run: columns per step and tolerance first, then the rest."""

from __future__ import annotations

from typing import Any

from app import server
from app.controls.fields import Field, field, take
from app.controls.sampling import sampling_field, take_sampling
from app.run_spec import RunSpec
from app.settings import Settings, why_not
from app.theme import run_look
from fwcore import FORMS, ParameterError, find_solver

_FIRST = ("sampling", "tol")
_WHOLE = {
    "seed": ("Seed", "Seed of the solver's random draws.", 0, 2**32 - 1),
    "repeats": (
        "Repeats",
        "Runs with this seed and those after it; their median and quartiles are drawn.",
        1,
        25,
    ),
}
"""What a run has besides the options of its solver: label, what it is, and its bounds."""


def run_entry(
    spec: RunSpec, settings: Settings, name: str, drawn: str, *, changed: bool
) -> dict[str, Any]:
    """A run in the list: its name there, its name in pictures, and how it is drawn."""
    return {
        "key": spec.key,
        "name": name,
        "drawn": drawn,
        "solver": spec.solver,
        "symbol": FORMS[find_solver(spec.solver).form].symbol,
        "hidden": spec.hidden,
        "repeats": spec.repeats,
        "pinned": spec.pinned,
        "changed": changed,
        "against": why_not(spec.solver, settings.loss, settings.dataset),
        **run_look(spec.style),
    }


def run_form(spec: RunSpec, settings: Settings) -> dict[str, Any]:
    """What the page draws of a run: the first controls, and those behind Advanced."""
    names = [*spec.options.declared()]
    first = [name for name in _FIRST if name in names]
    rest = [name for name in names if name not in first]
    solver = find_solver(spec.solver)
    own = [
        {"name": n, "label": label, "doc": doc, "kind": "text", "value": str(getattr(spec, n))}
        for n, (label, doc, _, _) in _WHOLE.items()
    ]
    return {
        "key": spec.key,
        "title": solver.title,
        "reference": solver.reference,
        "first": [_field(spec, settings, name) for name in first],
        "rest": [*(_field(spec, settings, name) for name in rest), *own],
    }


def _field(spec: RunSpec, settings: Settings, name: str) -> Field:
    drawn = field(spec.options, name)
    if drawn["kind"] != "sampling":
        return drawn
    return drawn | sampling_field(spec.options, name, settings.columns, settings.relevant)


def take_run(spec: RunSpec, settings: Settings, name: str, text: str) -> None:
    """Set an option of a run, its seed or its repeats to what was typed.

    Raises
    ------
    ParameterError
        It does not fit.
    """
    option, dot, part = name.partition(".")
    if name in _WHOLE:
        _, _, low, high = _WHOLE[name]
        high = server.most_repeats(high) if name == "repeats" else high
        typed = text.strip()
        if not typed.isdecimal() or len(typed) > 10 or not low <= int(typed) <= high:
            raise ParameterError(name, "the page", f"an int in [{low}, {high}]", text[:40])
        setattr(spec, name, int(typed))
    elif dot and _samples(spec, option):
        take_sampling(spec.options, option, part, text, settings.columns)
    else:
        if _samples(spec, name):
            spec.options.declared()[name].read(text).kappa(settings.columns)
        take(spec.options, name, text)


def _samples(spec: RunSpec, name: str) -> bool:
    """Whether an option is a rule of sampling."""
    return getattr(spec.options.declared().get(name), "widget", "") == "sampling"
