"""A link that restores every setting: the settings as JSON, packed into the query of an address.

A link is text of strangers: its length, what it unpacks to and each of its values are bounded, and
what does not fit is refused as a whole, in words.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any

from app import own_files, server
from app.controls.fields import take
from app.controls.run import take_run
from app.outlook import Outlook, as_known
from app.run_spec import RunSpec
from app.settings import MOST_RUNS, Settings
from fwcore import DEFAULT_LOSS, ParameterError, datasets

VERSION = 1
LONGEST = 4_000
"""Characters of a link that are read."""
_MOST_MADE = 1_900
_MOST_BYTES = 100_000
_LONGEST_NAME = 60
_MOST_STYLES = 1000
_PROBLEM = ("test_fraction", "split_seed", "points", "delta_max")
_MARKS = ("hidden", "pinned")
TABLE = ("dataset", "loss", *_PROBLEM, "runs")
"""What a table of settings in a file of ours may hold, see `of_table`."""


def document(settings: Settings) -> dict[str, Any]:
    """The settings as plain values: what differs from the defaults of a dataset and of a solver."""
    fresh = None
    if not settings.own:
        fresh = Settings()
        fresh.choose(settings.dataset)
    held: dict[str, Any] = {"dataset": settings.dataset, "loss": settings.loss}
    for name in _PROBLEM:
        value = getattr(settings, name)
        if fresh is None or value != getattr(fresh, name):
            held[name] = _text(settings, name)
    places = [k for k, spec in enumerate(settings.runs) if spec is settings.selected_run]
    held |= {"selected": places[0]} if any(places) else {}
    return held | {"runs": [_run(spec, k) for k, spec in enumerate(settings.runs)]}


def _text(owner: Any, name: str) -> str:
    written = owner.param[name].write(getattr(owner, name))
    return "" if written is None else str(written)


def _run(spec: RunSpec, place: int) -> dict[str, Any]:
    options = {name: _text(spec.options, name) for name in spec.options.changed()}
    held: dict[str, Any] = {"solver": spec.solver, "options": options}
    held |= {"seed": spec.seed} if spec.seed else {}
    held |= {"repeats": spec.repeats} if spec.repeats > 1 else {}
    held |= {"name": spec.given_name} if spec.given_name else {}
    held |= {"style": spec.style} if spec.style != place else {}
    return held | {mark: True for mark in _MARKS if getattr(spec, mark)}


def restored(held: Any, own: Settings | None = None) -> Settings:
    """Settings from a `document`; ``own`` lends the data that were brought to a page.

    Raises
    ------
    ParameterError
        A value does not fit; nothing is taken over then.
    """
    if not isinstance(held, dict) or not isinstance(held.get("runs"), list):
        raise ParameterError("link", "the page", "made by Share", "something else")
    settings = Settings()
    settings.clear()
    for brought in own.own if own is not None else ():
        settings.bring(brought)
    try:
        _take_problem(settings, held)
        most = server.most_runs(MOST_RUNS)
        if len(held["runs"]) > most:
            raise ParameterError("link", "the page", f"of at most {most} runs", "more")
        for entry in held["runs"]:
            _take_run(settings, entry)
        place = held.get("selected", 0)
        if isinstance(place, int) and 0 <= place < len(settings.runs):
            settings.selected = settings.runs[place].key
    except BaseException:
        settings.close()
        raise
    return settings


def of_table(table: Mapping[str, Any], own: Settings | None = None) -> Settings:
    """Settings of a table in a file, of a paper's experiment or a step of a lesson, whose runs need
    no options.

    Raises
    ------
    ParameterError
        A value does not fit.
    """
    runs = [{"options": {}} | run for run in table.get("runs", [])]
    return restored({"loss": DEFAULT_LOSS} | dict(table) | {"runs": runs}, own)


def _take_problem(settings: Settings, held: dict[str, Any]) -> None:
    dataset, loss = held.get("dataset"), held.get("loss")
    name = str(dataset)[:300]
    made = datasets.made.is_made(name)
    if not made and name not in settings.param.dataset.objects and not own_files.kept(name):
        rule = "of a dataset that is here; data of your own have to be brought again"
        raise ParameterError("link", "the page", rule, name[:40])
    settings.choose(name)
    take(settings, "loss", str(loss)[:100])
    for name in _PROBLEM:
        if name in held:
            take(settings, name, str(held[name])[:100])


def _take_run(settings: Settings, entry: Any) -> None:
    if not isinstance(entry, dict) or not isinstance(entry.get("options"), dict):
        raise ParameterError("link", "the page", "made by Share", "something else")
    spec = settings.add(str(entry.get("solver"))[:40])
    # Not those of the dataset: the link says what differs from the solver's own.
    spec.options = type(spec.options)()
    for name, text in entry["options"].items():
        take_run(spec, settings, name, str(text)[:200])
    for name in ("seed", "repeats"):
        if name in entry:
            take_run(spec, settings, name, str(entry[name])[:20])
    name = str(entry.get("name", ""))[:_LONGEST_NAME]
    spec.given_name = name.encode(errors="replace").decode()
    style = entry.get("style", len(settings.runs) - 1)
    if isinstance(style, int) and not isinstance(style, bool) and 0 <= style < _MOST_STYLES:
        spec.style = style
    for mark in _MARKS:
        setattr(spec, mark, entry.get(mark) is True)


def to_link(settings: Settings, outlook: Outlook | None = None) -> str:
    """The settings, and how they are looked at, as the value of ``s`` in a query: a version, a dot,
    and the rest. Where it is too long, how they are looked at is left out; names are cut, and if
    need be left out as well.
    """
    held = document(settings)
    look = {} if outlook is None else outlook.document()
    link = _packed(held | ({"look": look} if look else {}))
    if len(link) > _MOST_MADE:
        link = _packed(held)
    for longest in (12, 0):
        if len(link) <= _MOST_MADE:
            break
        for run in held["runs"]:
            run["name"] = run.get("name", "")[:longest]
        held["runs"] = [{k: v for k, v in run.items() if k != "name" or v} for run in held["runs"]]
        link = _packed(held)
    return link


def _packed(held: dict[str, Any]) -> str:
    text = json.dumps(held, separators=(",", ":"), ensure_ascii=False)
    packed = zlib.compress(text.encode(), 9)
    return f"{VERSION}.{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def read_link(text: str) -> tuple[Settings, Outlook]:
    """The settings of a link, and how it looks at them.

    Raises
    ------
    ParameterError
        It was not made by Share, or by a later version of the page; or it does not fit.
    """
    version, dot, packed = text[:LONGEST].partition(".")
    if not dot or not version.isdecimal() or len(version) > 4 or len(text) > LONGEST:
        raise ParameterError("link", "the page", "made by Share", text[:40])
    if int(version) > VERSION:
        rule = f"of version {VERSION} or before: this page is older than the link"
        raise ParameterError("link", "the page", rule, version)
    try:
        raw = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(raw, _MOST_BYTES)
        if not unpacker.eof:
            raise ValueError
        held = json.loads(plain)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise ParameterError("link", "the page", "whole, as Share made it", text[:40]) from None
    look = held.get("look", {}) if isinstance(held, dict) else {}
    return restored(held), as_known(look)
