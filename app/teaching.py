"""Lessons on the page: which step is shown, what it turns to, and what its claims come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app import address, commands, lessons
from app.links import document, of_table
from app.runs import RunState
from app.settings import Settings
from fwcore import ParameterError

if TYPE_CHECKING:
    from app.explorer import Explorer

_MOST_STEPS = 1000


class Teaching:
    """Commands about lessons, for `app.commander.Commander`."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.at: tuple[str, int] | None = None
        """The lesson that is shown, and its step, counted from 0."""
        self._measured: dict[Any, dict[str, Any]] = {}

    def do_lessons(self, data: dict[str, Any]) -> None:
        """List them; of one that cannot be read, why."""
        found = lessons.all_lessons()
        self._explorer.wire.put(
            lessons=[
                {"name": name, "trouble": lesson}
                if isinstance(lesson, str)
                else {
                    "name": name,
                    "title": lesson.title,
                    "question": lesson.question,
                    "steps": len(lesson.steps),
                }
                for name, lesson in found.items()
            ]
        )

    @commands.heard(worth=commands.TURNS)
    def do_lesson(self, data: dict[str, Any]) -> None:
        """Turn to a step of a lesson."""
        name = commands.text(data, "name", 100)
        self.turn(name, commands.whole(data, "step", 0, _MOST_STEPS))
        page = self._explorer
        if self._step.autoplay and not page.session.live and self._outdated():
            page.run()

    def do_lesson_end(self, data: dict[str, Any]) -> None:
        """Leave the lesson; the page stays as it is."""
        self.at = None

    def turn(self, name: str, step: int) -> None:
        """Show a step, and turn the page to its settings: one without settings stays where the
        step before it led.

        Raises
        ------
        ParameterError
            There is no such lesson.
        """
        lesson = lessons.find(name)
        k = min(step, len(lesson.steps) - 1)
        follows = self.at == (name, k - 1)
        self.at = name, k
        self._measured.clear()
        first = k if follows else 0
        tables = [s.table for s in lesson.steps[first : k + 1] if s.table is not None]
        if tables:
            self._turn_to(tables[-1])
        shown = lesson.steps[k]
        if shown.pace is not None:
            self._explorer.set_pace(*shown.pace)
        if shown.view:
            self._explorer.event("turned", name=shown.view)

    def begin(self) -> None:
        """Turn to the lesson that the address asks for, and to its step, counted from 1."""
        name, step = address.asked("lesson"), address.asked("step")
        if not name:
            return
        try:
            self.turn(name, max(0, int(step[:6]) - 1 if step.isdecimal() else 0))
        except ParameterError as error:
            self._explorer.refusal = str(error)

    def resume(self, at: Sequence[Any] | None) -> None:
        """Show the step that was shown when the page was left; its settings are there."""
        name, step = at or ("", 0)
        lesson = lessons.all_lessons().get(name)
        known = isinstance(lesson, lessons.Lesson) and step < len(lesson.steps)
        self.at = (name, step) if known else None

    def _turn_to(self, table: dict[str, Any]) -> None:
        """Settings that the page has already leave it what was run."""
        page = self._explorer
        settings = of_table(table, page.settings)
        if _essence(settings, table) != _essence(page.settings, table):
            page.begin_again(settings)
        else:
            settings.close()

    @property
    def _step(self) -> lessons.Step:
        assert self.at is not None
        return lessons.find(self.at[0]).steps[self.at[1]]

    def _outdated(self) -> bool:
        page, chosen = self._explorer, self._explorer.settings.chosen()
        return any(page.session.outdated(spec, chosen) for spec in page.settings.runs)

    def tell(self) -> None:
        """Put what is shown of the lesson, if there is one."""
        if self.at is None:
            self._explorer.wire.put(lesson=None)
            return
        (name, k), step = self.at, self._step
        lesson = lessons.find(name)
        self._explorer.wire.put(
            lesson={
                "name": name,
                "title": lesson.title,
                "step": k,
                "steps": len(lesson.steps),
                "heading": step.heading,
                "text": step.text,
                "asked": step.asked,
                "answers": [*step.answers],
                "hide": [*step.hide],
                "autoplay": step.autoplay,
                "claims": self._claims(step),
            }
        )

    def _claims(self, step: lessons.Step) -> list[dict[str, Any]]:
        """What is claimed, with what the runs show; measured once."""
        page = self._explorer
        named: dict[str, Any] = {}
        for spec in page.settings.runs:
            # What was run under that name, whatever is set by now; the first of two.
            named.setdefault(page.feed.name(spec), page.session.runs.get(spec.key))
        done = {name: run for name, run in named.items() if run and run.state is RunState.DONE}
        told = []
        for claim in step.claims:
            known = (claim, *(done[name].uid for name in sorted(claim.names & {*done})))
            if known not in self._measured:
                self._measured[known] = claim.told(done)
            told.append(self._measured[known])
        return told


def _essence(settings: Settings, table: dict[str, Any]) -> dict[str, Any]:
    """Settings without what changes no result: what is hidden or pinned, and names that the table
    of a step does not give.
    """
    held = document(settings)
    given = [*table.get("runs", []), *({} for _ in held["runs"])]
    runs = []
    for run, own in zip(held["runs"], given, strict=False):
        cosmetic = {"hidden", "pinned"} if "name" in own else {"hidden", "pinned", "name"}
        runs.append({key: value for key, value in run.items() if key not in cosmetic})
    return held | {"runs": runs}
