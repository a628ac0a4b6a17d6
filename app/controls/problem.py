"""The controls of the problem: dataset, loss, split and grid; and what can be run on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from app import own_files, server, shelf
from app.controls.fields import Field, field
from app.downloads import running
from app.settings import Settings, formula_of, why_not
from fwcore import LOSSES, Loss, all_solvers, datasets, find_loss, find_solver

_KINDS = (
    *("Brought or made by you", "Always there", "At hand"),
    *("To be downloaded", "To be put there by hand"),
)


def grouped(settings: Settings) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Group, then name and title of its datasets, and whether they can be forgotten: what was
    brought, now or before, what needs nothing, what is at hand, what can be fetched, what somebody
    has to put there.
    """
    groups: dict[str, list[tuple[str, str, bool]]] = {kind: [] for kind in _KINDS}
    own = {data.name: data for data in (*settings.own, *own_files.listed())}
    offered: tuple[shelf.Data, ...] = (*own.values(), *settings.made, *server.catalogue())
    for data in offered:
        size = f"{data.rows:,} × {data.columns:,}"
        groups[_kind(data)].append((data.name, f"{data.title} ({size})", data.name in own))
    return [(kind, entries) for kind, entries in groups.items() if entries]


def _kind(data: shelf.Data) -> str:
    """The group of a dataset."""
    if isinstance(data, shelf.Own) or datasets.made.is_made(data.name):
        return _KINDS[0]
    if data.layout is None:
        return _KINDS[1]
    if data.layout.at_hand:
        return _KINDS[2]
    return _KINDS[3] if data.layout.fetchable else _KINDS[4]


def _losses_without(dataset: str) -> dict[str, str]:
    """The losses that do not take the response of a dataset, and why."""
    response = np.array([-1.0, 1.0] if shelf.find(dataset).task == "classification" else [0.5])
    losses = [find_loss(name) for name in LOSSES]
    return {
        loss.name: f" (y must be {loss.response})" for loss in losses if not loss.takes(response)
    }


def problem_fields(settings: Settings) -> list[Field]:
    """What the page draws of the problem."""
    without = _losses_without(settings.dataset)
    loss, chosen = settings.param.loss, find_loss(settings.loss)
    share = field(settings, "test_fraction")
    shares = sorted({k / 20 for k in range(19)} | {round(settings.test_fraction, 6)})
    steps = [[str(value), f"{100 * value:.0f} %"] for value in shares]
    value = str(round(settings.test_fraction, 6))
    return [
        {
            "name": "loss",
            "label": loss.label,
            "doc": f"{formula_of(settings.loss)}; y is {chosen.response}. {loss.doc}",
            "kind": "select",
            "value": chosen.name,
            "choices": [[name, name + without.get(name, "")] for name in LOSSES],
            "disabled": [*without],
        },
        *_option_of(chosen),
        share | {"kind": "slider", "steps": steps, "value": value},
        *(field(settings, name) for name in ("split_seed", "points")),
        field(settings, "delta_max") | {"placeholder": "found for you"},
    ]


def _option_of(loss: Loss) -> list[Field]:
    """What follows the name of a loss, where something may."""
    if not loss.option:
        return []
    common = {"name": "loss", "label": loss.option, "doc": "", "placeholder": "the usual one"}
    value = loss.text.partition(":")[2]
    return [common | {"kind": "text", "prefix": f"{loss.name}:", "value": value}]


def dataset_state(settings: Settings) -> dict[str, Any]:
    """The chosen dataset: what it is, and whether it must be fetched first. The groups that it is
    chosen from are a matter of many files, and put apart.
    """
    entry = shelf.find(settings.dataset)
    if isinstance(entry, shelf.Own):
        lines = ". ".join(f"{label}: {text}" for label, text in entry.about)
        told = f"{entry.title}. {lines}".strip()
        return {"name": entry.name, "about": told, "missing": False, "coming": False}
    missing = not shelf.available(entry)
    place = "" if entry.layout is None else f" {entry.page[:1].upper() + entry.page[1:]}."
    job = running(entry.name)
    return {
        "name": entry.name,
        "about": f"{entry.citation}.{place} Licence: {entry.licence}.",
        "missing": missing and entry.layout is not None and entry.layout.fetchable,
        "coming": job is not None,
        "percent": job.percent if job is not None else None,
    }


def solver_choices(settings: Settings) -> list[dict[str, str]]:
    """All solvers by family, with what stands against those that cannot be run on the loss."""
    return [
        {
            "name": solver.name,
            "title": solver.title,
            "family": solver.family,
            "reference": solver.reference,
            "against": why_not(solver.name, settings.loss, settings.dataset),
        }
        for solver in all_solvers()
    ]


def certified_answer(settings: Settings) -> str:
    """A solver whose every point is certified, of the form of the first run, where the list has
    none such and one can be run.
    """
    certified = [solver for solver in all_solvers() if solver.certified]
    chosen = {spec.solver for spec in settings.runs}
    if not chosen or any(solver.name in chosen for solver in certified):
        return ""
    form = find_solver(settings.runs[0].solver).form
    for solver in certified:
        if solver.form == form and not why_not(solver.name, settings.loss, settings.dataset):
            return solver.name
    return ""
