"""Lessons on the page: guided tours, one Markdown file each, whose claims the runs are checked for.

A teacher's own lessons are files in the folder that FWCORE_LESSONS names.
"""

from __future__ import annotations

import functools
import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path

from app.lessons.claims import FIGURES, Claim
from app.lessons.reading import Lesson, Step, read_lesson
from fwcore import ParameterError

FOLDER = Path(__file__).parent
_log = logging.getLogger(__name__)

__all__ = ["FIGURES", "Claim", "Lesson", "Step", "all_lessons", "find", "read_lesson"]


@functools.cache
def all_lessons() -> Mapping[str, Lesson | str]:
    """The lessons by name, ours first, as they were when they were first asked for; of one that
    cannot be read, why.
    """
    folders = [FOLDER, *(Path(f) for f in [os.environ.get("FWCORE_LESSONS")] if f)]
    found: dict[str, Lesson | str] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.md")):
            name = re.sub(r"^\d+_", "", path.stem)
            try:
                found[name] = read_lesson(name, path.read_text(encoding="utf-8"))
            except ParameterError as error:
                found[name] = f"{path.name}: {error}"
            except Exception as error:
                # Whatever a file holds, it takes no other with it.
                _log.exception("The lesson %s cannot be read", path)
                found[name] = f"{path.name}: it cannot be read ({type(error).__name__})"
    return found


def find(name: str) -> Lesson:
    """The lesson of a name.

    Raises
    ------
    ParameterError
        There is none, or it cannot be read.
    """
    lesson = all_lessons().get(name)
    if isinstance(lesson, Lesson):
        return lesson
    known = [name for name, found in all_lessons().items() if isinstance(found, Lesson)]
    raise ParameterError("lesson", "the page", f"one of {known}", name[:40])
