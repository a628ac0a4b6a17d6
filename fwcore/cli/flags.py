"""Flags that commands share: how a problem is made of a dataset, and those that follow from what is
declared elsewhere, the options of every solver and how a file is read.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable
from typing import Annotated, Any

import typer

from fwcore.datasets import ParseOptions
from fwcore.losses import LOSSES
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
        flags.append(_flag(name, str, f"--{flag(name)}", _help_of(owners)))
    # Old spellings are refused with the new one named, by the options.
    known = RENAMED.keys() - declared.keys()
    flags += [_flag(name, str, f"--{flag(name)}", "", hidden=True) for name in sorted(known)]
    return flags


def _help_of(owners: list[tuple[str, Any]]) -> str:
    """What an option means and takes, where solvers differ by solver: "[sfw: ...; default 1%]"."""
    meanings: dict[tuple[str, str], dict[str, list[str]]] = {}
    for solver, kind in owners:
        defaults = meanings.setdefault((kind.doc, kind.accepts), {})
        defaults.setdefault(str(kind.write(kind.default)), []).append(solver)
    texts = []
    for (doc, accepts), defaults in meanings.items():
        told = "; ".join(f"{', '.join(names)}: {value}" for value, names in defaults.items())
        texts.append(f"{doc} [{accepts}; by default, {told}]")
    return " ".join(texts)


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


def of_problems() -> list[inspect.Parameter]:
    """How a problem is made of a dataset: the keywords of `fwcore.datasets.load`."""
    return [
        _flag("split_seed", int, "--split-seed", "Seed of the choice of test rows. [default: 0]"),
        _flag(
            "test_fraction",
            float,
            "--test-fraction",
            "Share of rows held out; the dataset's own by default.",
        ),
        _flag(
            "loss",
            str,
            "--loss",
            f"{', '.join(LOSSES)}, or huber:T with a threshold T; the dataset's own by default.",
        ),
        _flag("positive", bool, "--nonnegative", "Constrain a >= 0 (`positive` of a problem)."),
    ]


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
    added = {
        group: {f"{group}_{flag.name}": flag for flag in flags} for group, flags in groups.items()
    }
    own = [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for p in signature.parameters.values()
        if p.name not in groups
    ]

    def with_groups(**values: Any) -> None:
        gathered = {}
        for group, flags in added.items():
            taken = {flag.name: values.pop(name) for name, flag in flags.items()}
            gathered[group] = {name: value for name, value in taken.items() if value is not None}
        command(**values, **gathered)

    with_groups.__doc__ = command.__doc__
    # Two groups may have a flag of one name, such as that of positive labels and of coefficients.
    flags = [flag.replace(name=name) for flags in added.values() for name, flag in flags.items()]
    extended: Any = with_groups
    extended.__signature__ = signature.replace(parameters=[*own, *flags])
    return with_groups
