"""The controls of the selected run: columns per step and tolerance first, then the rest."""

from __future__ import annotations

from typing import Any

from app.controls.fields import Field, field, take
from app.controls.sampling import sampling_field, take_sampling
from app.settings import RunSpec, Settings
from fwcore import ParameterError, find_solver

_FIRST = ("sampling", "tol")
_MOST_SEEDS = 2**32


def run_form(spec: RunSpec, settings: Settings) -> dict[str, Any]:
    """What the page draws of a run: the first controls, and those behind Advanced."""
    names = [*spec.options.declared()]
    first = [name for name in _FIRST if name in names]
    rest = [name for name in names if name not in first]
    solver = find_solver(spec.solver)
    seed = {
        "name": "seed",
        "label": "Seed",
        "doc": "Seed of the solver's random draws.",
        "kind": "text",
        "value": str(spec.seed),
    }
    return {
        "key": spec.key,
        "title": solver.title,
        "reference": solver.reference,
        "first": [_field(spec, settings, name) for name in first],
        "rest": [*(_field(spec, settings, name) for name in rest), seed],
    }


def _field(spec: RunSpec, settings: Settings, name: str) -> Field:
    drawn = field(spec.options, name)
    if drawn["kind"] != "sampling":
        return drawn
    try:
        return drawn | sampling_field(spec.options, name, settings.columns, settings.relevant)
    except ParameterError as error:
        # A count of columns that the dataset chosen since does not have.
        setattr(spec.options, name, "1%")
        fitted = sampling_field(spec.options, name, settings.columns, settings.relevant)
        return drawn | fitted | {"told": f"{error} It is 1 % now. {fitted['told']}"}


def take_run(spec: RunSpec, settings: Settings, name: str, text: str) -> None:
    """Set an option of a run, or its seed, to what was typed.

    Raises
    ------
    ParameterError
        It does not fit.
    """
    option, dot, part = name.partition(".")
    if name == "seed":
        if not text.strip().isdigit() or int(text) >= _MOST_SEEDS:
            raise ParameterError("seed", "the page", f"an int in [0, {_MOST_SEEDS - 1}]", text[:40])
        spec.seed = int(text)
    elif dot and spec.options.declared().get(option) is not None:
        take_sampling(spec.options, option, part, text, settings.columns)
    else:
        take(spec.options, name, text)
