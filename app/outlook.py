"""How a page looks at its runs: what its link, its memory and its report need besides settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from app import commands
from app.live import all_pictures
from app.live.picture import Axis, Picture, Sight
from app.views import all_views
from fwcore import ParameterError

_DIRECTIONS = ("x", "y")


@dataclass(frozen=True)
class Chosen:
    """An axis as it is drawn: its column, and whether the scale is logarithmic."""

    column: str
    log: bool


@dataclass(frozen=True)
class Outlook:
    """The ``view``, the axes chosen of pictures (``x`` and ``y``, ``xlog`` and ``ylog``), the
    picture that is large in a view, and the pace, a unit and a rate; empty is as a page begins.
    """

    view: str = ""
    axes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    large: Mapping[str, str] = field(default_factory=dict)
    pace: tuple[str, float | None] | None = None

    def document(self) -> dict[str, Any]:
        """What was chosen, ready for JSON."""
        return {name: value for name, value in asdict(self).items() if value}

    def pictures(self) -> tuple[str, ...]:
        """The pictures of the view, the large one first; of the first view, where it has none."""
        views = [view for view in all_views() if view.pictures]
        view = next((view for view in views if view.name == self.view), views[0])
        large = self.large.get(view.name, view.hero)
        return (large, *(name for name in view.pictures if name != large))

    def sight(self, picture: Picture, point: int) -> Sight:
        """How a picture is looked at, with the cursor at a point."""
        return Sight(self.axis(picture, "x").column, self.axis(picture, "y").column, point)

    def axis(self, picture: Picture, direction: str) -> Chosen:
        """The axis of a picture in a direction, "x" or "y"."""
        declared: Axis = getattr(picture, direction)
        chosen = self.axes.get(picture.name, {})
        column = chosen.get(direction, declared.columns[0])
        log = chosen.get(f"{direction}log", declared.log or column in declared.logs)
        return Chosen(column, bool(log))


def read(held: Any) -> Outlook:
    """An outlook from a page, a link or a store.

    Raises
    ------
    ParameterError
        A value does not fit.
    """
    if not isinstance(held, dict):
        raise ParameterError("look", "the page", "values by name", repr(held)[:40])
    views = {view.name: view for view in all_views()}
    pictures = {picture.name: picture for picture in all_pictures()}
    view = held.get("view", "")
    if view != "" and view not in [*views]:
        raise ParameterError("view", "the page", f"one of {[*views]}", str(view)[:40])
    axes = _mapping(held, "axes", pictures)
    large = _mapping(held, "large", views)
    for name, picture in large.items():
        if picture not in views[name].pictures:
            rule = f"one of {[*views[name].pictures]}"
            raise ParameterError("large", "the page", rule, str(picture)[:40])
    pace = held.get("pace")
    if pace is not None:
        if not isinstance(pace, (list, tuple)) or len(pace) != 2:
            raise ParameterError("pace", "the page", "a unit and a rate", repr(pace)[:40])
        commands.pace({"unit": pace[0], "rate": pace[1]})
        pace = pace[0], pace[1]
    checked = {name: _axes(pictures[name], chosen) for name, chosen in axes.items()}
    return Outlook(view, {name: chosen for name, chosen in checked.items() if chosen}, large, pace)


def as_known(held: Any) -> Outlook:
    """An outlook that was kept; as a page begins, where it names what is not there any more."""
    try:
        return read(held)
    except ParameterError:
        return Outlook()


def _mapping(held: dict[str, Any], name: str, known: Mapping[str, Any]) -> dict[str, Any]:
    found = held.get(name) or {}
    if not isinstance(found, dict) or not found.keys() <= known.keys():
        raise ParameterError(name, "the page", f"by names of {[*known]}", repr(found)[:40])
    return found


def _axes(picture: Picture, chosen: Any) -> dict[str, Any]:
    """The choice of a picture's axes, without what nobody chose."""
    held = chosen if isinstance(chosen, dict) else {}
    taken: dict[str, Any] = {}
    for direction in _DIRECTIONS:
        column, log = held.get(direction), held.get(f"{direction}log")
        columns = getattr(picture, direction).columns
        if column is not None and column not in columns:
            rule = f"one of {[*columns]} for {picture.name}"
            raise ParameterError("axis", "the page", rule, str(column)[:40])
        if log is not None and not isinstance(log, bool):
            raise ParameterError("scale", "the page", "True or False", repr(log)[:40])
        taken |= {direction: column} if column not in (None, columns[0]) else {}
        taken |= {f"{direction}log": log} if log is not None else {}
    return taken
