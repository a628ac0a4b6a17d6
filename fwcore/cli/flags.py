"""Flags that follow from what is declared elsewhere: the options of every solver, and how a file is
read.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable
from typing import Annotated, Any

import typer

from fwcore.datasets import ParseOptions
from fwcore.options import RENAMED
from fwcore.solvers import all_solvers


def flag(name: str) -> str:
    return name.replace("_", "-")


def of_solvers() -> list[inspect.Parameter]:
    """One text flag for each option of each solver; the options themselves check what they get."""
    declared: dict[str, list[tuple[str, Any]]] = {}
    for solver in all_solvers():
        for name, parameter in solver.Options.declared().items():
            declared.setdefault(name, []).append((solver.name, parameter))
    flags = []
    for name, owners in declared.items():
        parameter = owners[0][1]
        default = parameter.write(parameter.default)
        doc = (
            f"{parameter.doc} [{', '.join(owner for owner, _ in owners)}; {parameter.accepts}; "
            f"default {default}]"
        )
        flags.append(_flag(name, str, f"--{flag(name)}", doc))
    # Old spellings are refused with the new one named, by the options.
    known = RENAMED.keys() - declared.keys()
    flags += [_flag(name, str, f"--{flag(name)}", "", hidden=True) for name in sorted(known)]
    return flags


def of_files() -> list[inspect.Parameter]:
    """A flag for each described field of `ParseOptions`."""
    hints = typing.get_type_hints(ParseOptions, include_extras=True)
    flags = []
    for field in dataclasses.fields(ParseOptions):
        if typing.get_origin(hints[field.name]) is Annotated:
            hint, doc = typing.get_args(hints[field.name])[:2]
            kind = next(part for part in (bool, int, str) if part in (hint, *typing.get_args(hint)))
            spelled = f"--{flag(field.name)}" + (
                f"/--no-{flag(field.name)}" if kind is bool else ""
            )
            flags.append(_flag(field.name, kind, spelled, f"Of --data: {doc}"))
    return flags


def _flag(name: str, kind: type, spelled: str, doc: str, hidden: bool = False) -> inspect.Parameter:
    annotation: Any = Annotated[kind | None, typer.Option(spelled, help=doc, hidden=hidden)]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )


def with_flags(
    command: Callable[..., None], **groups: list[inspect.Parameter]
) -> Callable[..., None]:
    """``command`` with more flags: the values given of each group come as a dict in the argument of
    its name.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for p in signature.parameters.values()
        if p.name not in groups
    ]

    def with_groups(**values: Any) -> None:
        gathered = {}
        for group, flags in groups.items():
            taken = {parameter.name: values.pop(parameter.name) for parameter in flags}
            gathered[group] = {name: value for name, value in taken.items() if value is not None}
        command(**values, **gathered)

    with_groups.__doc__ = command.__doc__
    added = [parameter for flags in groups.values() for parameter in flags]
    extended: Any = with_groups
    extended.__signature__ = signature.replace(parameters=[*own, *added])
    return with_groups
