"""``fwcore solvers``: one line a solver, or one solver with its options."""

from __future__ import annotations

import json
import textwrap
from typing import Annotated, Any

import typer

from fwcore.cli.common import reporting_errors
from fwcore.cli.flags import flag
from fwcore.forms import FORMS
from fwcore.solvers import Solver, all_solvers, find_solver
from fwcore.solvers.base import NEEDS

_WIDTH = 80


def add(app: typer.Typer, help_text: str) -> None:
    """Add the command."""
    app.command("solvers", help=help_text)(_solvers)


def _solvers(
    name: Annotated[str | None, typer.Argument(help="Name of a solver.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, options included.")] = False,
) -> None:
    with reporting_errors():
        chosen = all_solvers() if name is None else (find_solver(name),)
    if as_json:
        print(json.dumps([_facts(solver) for solver in chosen], indent=2, ensure_ascii=False))
    elif name is None:
        _list(chosen)
    else:
        _describe(chosen[0])


def _facts(solver: Solver) -> dict[str, Any]:
    """All that a solver says of itself, ready for JSON."""
    default, declared = solver.Options().settings(), solver.Options.declared()
    options = {
        name: {"default": default[name], "accepts": kind.accepts, "doc": kind.doc}
        for name, kind in declared.items()
    }
    return {
        "name": solver.name,
        "title": solver.title,
        "form": solver.form,
        "parameter": FORMS[solver.form].parameter,
        "needs": list(solver.needs),
        "positive": solver.positive,
        "install": solver.missing or None,
        "reference": solver.reference,
        "options": options,
    }


def _list(chosen: tuple[Solver, ...]) -> None:
    print(f"{'name':<15}{'form':<9}what it is")
    for solver in chosen:
        missing = " (not installed)" if solver.missing else ""
        print(f"{solver.name:<15}{solver.form:<9}{solver.title}{missing}"[:_WIDTH])
    print("\nfwcore solvers NAME describes one with its options.")


def _describe(solver: Solver) -> None:
    print(f"{solver.name}: {solver.title}")
    print(textwrap.fill(solver.reference, _WIDTH))
    print(f"\nform: {solver.form}, a path over {FORMS[solver.form].parameter}")
    needs = " and ".join(NEEDS[need] for need in solver.needs) or "smoothness"
    print(f"needs of the loss: {needs}")
    print(f"with a >= 0: {'yes' if solver.positive else 'no'}")
    if solver.missing:
        print(f"to install: {solver.missing}")
    default = solver.Options().settings()
    for name, kind in solver.Options.declared().items():
        print(f"\n--{flag(name)} {default[name]}")
        for text in (f"{kind.doc}", f"Takes {kind.accepts}."):
            print(textwrap.fill(text, _WIDTH, initial_indent="    ", subsequent_indent="    "))
