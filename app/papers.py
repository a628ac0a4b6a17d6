"""Experiments of papers as settings of the page, checked as a link is."""

from __future__ import annotations

from typing import Any

from app import shelf
from app.links import TABLE, of_table
from app.settings import Settings
from app.tables import Printed
from fwcore import experiments


def settings_of(name: str, own: Settings | None = None) -> Settings:
    """The settings of a preset; ``own`` lends the data that were brought to a page.

    Raises
    ------
    ParameterError
        There is none of that name.
    """
    preset = experiments.published.find_preset(name)
    settings = of_table({key: preset[key] for key in TABLE if key in preset}, own)
    if rows := preset.get("printed"):
        made_of = {spec.key: spec.settings() for spec in settings.runs}
        settings.printed = Printed(rows, settings.chosen(), made_of)
    return settings


def view_of(name: str) -> str:
    """The view that an experiment is looked at in."""
    return str(experiments.published.find_preset(name)["view"])


def listed() -> list[dict[str, Any]]:
    """What the page says of the presets, and which of them have their data at hand."""
    return [
        {
            **{key: preset[key] for key in ("name", "paper", "title", "look", "differs", "view")},
            "data": shelf.find(preset["dataset"]).title,
            "there": shelf.available(shelf.find(preset["dataset"])),
            "printed": preset.get("printed", []),
        }
        for preset in experiments.published.presets().values()
    ]
