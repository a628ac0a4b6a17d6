"""Views: each answers one question by a large picture, beside which stand three small ones. A new
view is a name in VIEWS, or registered.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.registry import Registry


@dataclass(frozen=True)
class View:
    """A ``hero``, the picture that answers the ``question``, and those ``beside`` it; with a
    ``table`` below instead of pictures where it has no hero.
    """

    name: str
    title: str
    question: str
    hero: str = ""
    beside: tuple[str, ...] = ()

    @property
    def pictures(self) -> tuple[str, ...]:
        """All its pictures."""
        return (self.hero, *self.beside) if self.hero else ()


VIEWS = (
    View("race", "Race", "What does an error cost?", "race", ("paths", "active", "gap")),
    View("path", "Path", "Which features enter, and when?", "paths", ("error", "active", "race")),
    View("gap", "Gap", "How far from the optimum?", "gap", ("inside", "steps", "race")),
    View(
        "oracle", "Oracle", "How often is the draw right?", "simulator", ("draws", "empty", "hits")
    ),
    View("model", "Model", "What has been learnt?", "bars", ("fit", "overlap", "error")),
    View(
        "geometry", "Geometry", "How does a step move?", "geometry", ("inside", "paths", "active")
    ),
    View("table", "Table", "How do the runs compare?"),
)

_registry: Registry[View] = Registry(VIEWS)
all_views, register, unregister = _registry.all, _registry.register, _registry.unregister

__all__ = ["VIEWS", "View", "all_views", "register", "unregister"]
