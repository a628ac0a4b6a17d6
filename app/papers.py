"""Presets that rebuild what papers did: a table each in ``papers.toml``, checked as a link is."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app import shelf
from app.links import TABLE, of_table
from app.settings import Settings
from app.tables import Printed
from fwcore import ParameterError

FILE = Path(__file__).with_name("papers.toml")


@functools.cache
def presets() -> Mapping[str, dict[str, Any]]:
    """The presets by name, in the order of the file."""
    with FILE.open("rb") as file:
        return {preset["name"]: preset for preset in tomllib.load(file)["preset"]}


def settings_of(name: str, own: Settings | None = None) -> Settings:
    """The settings of a preset; ``own`` lends the data that were brought to a page.

    Raises
    ------
    ParameterError
        There is none of that name.
    """
    preset = presets().get(name)
    if preset is None:
        raise ParameterError("paper", "the page", f"one of {[*presets()]}", name[:40])
    settings = of_table({key: preset[key] for key in TABLE if key in preset}, own)
    if rows := preset.get("printed"):
        made_of = {spec.key: spec.settings() for spec in settings.runs}
        settings.printed = Printed(rows, settings.chosen(), made_of)
    return settings


def listed() -> list[dict[str, Any]]:
    """What the page says of the presets, and which of them have their data at hand."""
    return [
        {
            **{key: preset[key] for key in ("name", "paper", "title", "look", "differs", "view")},
            "data": shelf.find(preset["dataset"]).title,
            "there": shelf.available(shelf.find(preset["dataset"])),
            "printed": preset.get("printed", []),
        }
        for preset in presets().values()
    ]
