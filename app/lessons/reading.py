"""A lesson as it is written: one Markdown file.

`#` is its title, and the paragraph below it the question. Each `##` begins a step: text; a block
```` ```settings ```` in TOML, which the page turns to (without one it stays as it is); and at its
end, if wanted, a question, whose answers are a list of `- [ ]` and one `- [x]`, each with a reply
in the lines below it. CONTRIBUTING.md, "A lesson", describes the settings.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from app import commands
from app.lessons.claims import FIGURES, Claim
from app.links import TABLE, of_table
from app.pace import Pace
from app.views import all_views
from fwcore import ParameterError

HIDES = ("settings", "runs", "rooms")
"""What a step may hide: the settings of the selected run, with them the list, the rooms."""
_OURS = ("view", "pace", "autoplay", "hide", "claims")
_CLAIM = ("text", "of", "figure", "over", "within")
_PLAIN = {"paragraph": "p", "em": "em", "strong": "strong", "bullet_list": "ul", "list_item": "li"}
_PLAIN |= {"ordered_list": "ol", "blockquote": "blockquote", "heading": "h4"}
_MARKS = {"[ ] ": False, "[x] ": True}


@dataclass(frozen=True)
class Step:
    """One screen of a lesson. Text is nodes: a str, or [tag, children] with a link's address."""

    heading: str
    text: list[Any]
    asked: list[Any] = field(default_factory=list)
    answers: tuple[dict[str, Any], ...] = ()
    table: dict[str, Any] | None = None
    view: str = ""
    pace: tuple[Pace | None] | None = None
    autoplay: bool = False
    hide: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """A question, and the steps to its answer."""

    name: str
    title: str
    question: str
    steps: tuple[Step, ...]


def _refuse(name: str, rule: str, got: Any) -> ParameterError:
    return ParameterError(name, "a lesson", rule, str(got)[:60])


def read_lesson(name: str, text: str) -> Lesson:
    """A lesson of its Markdown.

    Raises
    ------
    ParameterError
        It is not written as a lesson is, and where.
    """
    nodes = SyntaxTreeNode(MarkdownIt("commonmark").parse(text)).children
    if not nodes or nodes[0].tag != "h1":
        raise _refuse("title", "a first line '# Title'", text[:30])
    starts = [k for k, node in enumerate(nodes) if node.tag == "h2"]
    if not starts:
        raise _refuse("steps", "headed by '## ...', one at least", "none")
    ends = [*starts[1:], len(nodes)]
    steps = [_step(nodes[a:b]) for a, b in zip(starts, ends, strict=True)]
    question = " ".join(_bare(node) for node in nodes[1 : starts[0]])
    return Lesson(name, _bare(nodes[0]), question, tuple(steps))


def _step(nodes: Sequence[SyntaxTreeNode]) -> Step:
    heading, text = _bare(nodes[0]), [*nodes[1:]]
    blocks = [node for node in text if node.type == "fence" and node.info.strip() == "settings"]
    if len(blocks) > 1:
        raise _refuse("settings", "one block a step", f"{len(blocks)} in {heading!r}")
    text = [node for node in text if node not in blocks]
    given = _settings(blocks[0].content, heading) if blocks else {}
    asked: list[Any] = []
    answers = _answers(text[-1], heading) if text else ()
    if answers:
        asked, text = [_node(node) for node in text[-2:-1]], text[:-2]
    return Step(heading, [_node(node) for node in text], asked, answers, **given)


def _settings(content: str, heading: str) -> dict[str, Any]:
    """The block of a step, each value checked."""
    try:
        table = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise _refuse("settings", f"TOML ({error})", heading) from None
    for key in table:
        if key not in (*TABLE, *_OURS):
            raise _refuse(key, f"one of {[*TABLE, *_OURS]}", heading)
    views = [view.name for view in all_views()]
    if table.get("view", "race") not in views:
        raise _refuse("view", f"one of {views}", table["view"])
    hide = table.get("hide", [])
    if not isinstance(hide, list) or not set(map(str, hide)) <= set(HIDES):
        raise _refuse("hide", f"of {[*HIDES]}", hide)
    kept = {key: table[key] for key in TABLE if key in table}
    names = [spec.name for spec in of_table(kept).runs]
    return {
        "table": kept,
        "view": table.get("view", ""),
        "pace": (_pace(table["pace"]),) if "pace" in table else None,
        "autoplay": table.get("autoplay") is True,
        "hide": tuple(hide),
        "claims": tuple(_claim(entry, names) for entry in table.get("claims", [])),
    }


def _pace(given: Any) -> Pace | None:
    if given == "full":
        return None
    if not isinstance(given, dict):
        raise _refuse("pace", "'full' or {unit = ..., rate = ...}", given)
    return commands.pace(given)


def _claim(given: Any, names: Sequence[str]) -> Claim:
    if not isinstance(given, dict) or not {"text", "of", "figure", "within"} <= {*given}:
        raise _refuse("claims", f"tables of {[*_CLAIM]}", given)
    for key in given:
        if key not in _CLAIM:
            raise _refuse("claims", f"tables of {[*_CLAIM]}", key)
    for key in ("of", "over"):
        if key in given and given[key] not in names:
            raise _refuse(key, f"one of the runs {[*names]}", given[key])
    if given["figure"] not in FIGURES:
        raise _refuse("figure", f"one of {[*FIGURES]}", given["figure"])
    within = given["within"]
    if not isinstance(within, list) or len(within) != 2:
        raise _refuse("within", "[low, high]", within)
    low, high = map(float, within)
    of, over = given["of"], given.get("over", "")
    return Claim(str(given["text"]), of, given["figure"], low, high, over)


def _answers(node: SyntaxTreeNode, heading: str) -> tuple[dict[str, Any], ...]:
    """The answers of a list whose items begin with a box; none of another list."""
    marks = tuple(_MARKS)
    if node.type != "bullet_list" or not any(_bare(c).startswith(marks) for c in node.children):
        return ()
    answers: list[dict[str, Any]] = []
    for item in node.children:
        inline = item.children[0].children[0].children
        first = next((k for k, part in enumerate(inline) if part.type == "softbreak"), len(inline))
        mark = inline[0].content[:4]
        if mark not in _MARKS:
            raise _refuse("answers", "beginning with [ ] or [x]", heading)
        text = [_node(part) for part in inline[:first]]
        text[0] = text[0][4:]
        reply = [_node(part) for part in inline[first + 1 :]]
        answers.append({"text": text, "reply": reply, "right": _MARKS[mark]})
    if sum(answer["right"] for answer in answers) != 1:
        raise _refuse("answers", "with one [x]", heading)
    return tuple(answers)


def _node(node: SyntaxTreeNode) -> Any:
    """A node as the page makes it an element: only tags that carry no address but a link's."""
    if node.type in ("text", "html_inline", "html_block"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return " "
    if node.type == "code_inline":
        return ["code", [node.content]]
    if node.type in ("fence", "code_block"):
        return ["pre", [node.content]]
    children = [_node(child) for child in node.children]
    if node.type == "link":
        address = str(node.attrs.get("href", ""))
        return (
            ["a", children, address] if address.startswith(("https://", "?")) else ["em", children]
        )
    if node.type == "inline":
        return ["span", children]
    return [_PLAIN.get(node.type, "span"), children]


def _bare(node: SyntaxTreeNode) -> str:
    """The text of a node without its marks."""
    if not node.children:
        return " " if node.type.endswith("break") else node.content
    return "".join(_bare(child) for child in node.children)
