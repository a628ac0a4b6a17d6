"""Examples of docstrings run, and every public name has one."""

import doctest
import importlib
import inspect

import pytest

import fwcore

MODULES_IN_USE = (
    *("fwcore", "fwcore.datasets", "fwcore.estimators", "fwcore.grids", "fwcore.option_kinds"),
    *("fwcore.sampling", "fwcore.theory", "app", "app.plots"),
    *("fwcore.experiments.compare", "fwcore.experiments.metrics", "fwcore.experiments.race"),
    "fwcore.experiments.recovery",
)
"""Modules whose functions and classes are used by those who use the package."""
# What a step size is made of, and what any sampling rule has.
INNER = {"mirror_step", "Rule"}


def public(module):
    """The public functions and classes of a module, by name."""
    held = importlib.import_module(module)
    exported = getattr(held, "__all__", None)
    names = exported or [name for name in vars(held) if not name.startswith("_")]
    home = module.partition(".")[0] if exported else module
    return {
        f"{module}.{name}": value
        for name in names
        if inspect.isfunction(value := getattr(held, name)) or inspect.isclass(value)
        if value.__module__.startswith(home)
    }


PUBLIC = {name: value for module in MODULES_IN_USE for name, value in public(module).items()}
MODULES = sorted({value.__module__ for value in PUBLIC.values()})


def test_every_public_name_has_an_example():
    bare = {name for name, value in PUBLIC.items() if ">>>" not in (value.__doc__ or "")}
    assert {name.rpartition(".")[2] for name in bare} <= INNER


def test_every_way_to_use_a_result_has_an_example():
    methods = {name: found for name, found in vars(fwcore.PathResult).items() if name[0] != "_"}
    bare = {n for n, f in methods.items() if inspect.isfunction(f) and ">>>" not in f.__doc__}
    # Files are written as `read_points` shows; xarray may be absent.
    assert bare == {"to_parquet", "trace_to_parquet", "to_xarray"}


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_say(module):
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE
    outcome = doctest.testmod(importlib.import_module(module), optionflags=options)
    assert outcome.failed == 0


def test_help_tells_the_options_of_every_solver():
    told = fwcore.walk_path.__doc__
    for solver in fwcore.SOLVERS:
        for name in solver.Options.declared():
            assert f"{name}=" in told.partition(f"    {solver.name}: ")[2]
    assert max(map(len, told.splitlines())) <= 100
