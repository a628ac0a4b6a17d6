"""What is on screen, as plain values: the pictures of a view with their rows, for a report."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from app.live import all_pictures
from app.live.features import TopFeatures
from app.live.picture import Columns, Picture, Shown, Sight, kin_of, label_of
from app.live.reference import measures_of, reference_of
from app.live.sources import RunSources
from app.live.spread import reached_by_all, spread
from app.outlook import Outlook
from app.runs import Run
from app.theme import run_look

_log = logging.getLogger(__name__)
T = TypeVar("T")


def on_screen(
    names: Sequence[str],
    shown: Sequence[Shown],
    outlook: Outlook,
    *,
    point: int = -1,
    styles: Mapping[int, int],
) -> list[dict[str, Any]]:
    """The pictures of ``names`` as `app.plots.screen.screen` draws them, of runs that have reached
    a point; ``styles`` are by the key of a run.
    """
    lead = next((entry for entry in shown if entry.lead), shown[0])
    features = TopFeatures()
    features.follow(lead.run.walk.columns, lead.run.reached)
    features.choose()
    reference = reference_of(shown)
    found = []
    for picture in all_pictures():
        if picture.name not in names:
            continue
        runs = []
        for entry in shown:
            if picture.lead_only and entry is not lead:
                continue
            own, beside = measures_of(entry, features, reference)
            sight = outlook.sight(picture, point)
            rows = _rows(picture, entry, lead, own, beside, sight)
            if len(entry.runs) > 1 and "spread" in picture.sources and reached_by_all(entry.runs):
                rows["spread"] = spread(entry.runs, beside)
            stop = entry.run.stopping
            runs.append({
                "name": entry.name,
                "lead": entry is lead,
                "stop": stop[1] if stop is not None and stop[0] == "gap" else None,
                "rows": rows,
                **run_look(styles[entry.key]),
            })  # fmt: skip
        find = partial(picture.finding_at, kin_of(shown), outlook.sight(picture, point))
        finding = _safely(picture, find, "")
        found.append(_declared(picture, outlook) | {"runs": runs, "finding": finding})
    return sorted(found, key=lambda told: names.index(told["name"]))


def _rows(
    picture: Picture,
    entry: Shown,
    lead: Shown,
    features: TopFeatures,
    reference: Run | None,
    sight: Sight,
) -> dict[str, Any]:
    """The rows of all sources of a picture."""
    held: dict[str, Any] = {}

    def send(source: str, columns: Mapping[str, list[Any]], *, replace: bool) -> None:
        held[source] = columns

    RunSources(entry.run, send).tick(picture.sources, features, True, reference)
    for source, compute in picture.computes(sight).items():
        columns: Columns = {}
        held[source] = _safely(picture, partial(compute, entry, lead, sight.point), columns)
    return held


def _safely(picture: Picture, make: Callable[[], T], otherwise: T) -> T:
    """What is made; one picture that fails leaves the others as they are."""
    try:
        return make()
    except Exception:
        _log.exception("The picture %s fails", picture.name)
        return otherwise


def _declared(picture: Picture, outlook: Outlook) -> dict[str, Any]:
    declared = picture.declaration()
    axes: dict[str, Any] = {}
    for direction in ("x", "y"):
        axis = outlook.axis(picture, direction)
        label = label_of(axis.column, log=axis.log)
        axes[direction] = {"column": axis.column, "log": axis.log, "label": label}
    kept = {
        name: declared[name] for name in ("name", "title", "legend", "layers", "square", "blank")
    }
    return kept | axes | {"factors": picture.y.factors}
