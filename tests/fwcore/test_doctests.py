"""Examples of docstrings run, and every public name has one."""

import doctest
import importlib
import inspect

import pytest

import fwcore

# What is used with the name beside it, or is for those who extend the package.
WITHOUT = {"register_loss", "unregister_loss", "use_numba_folder", "DatasetError"}
MODULES_OF_FUNCTIONS = (
    *("fwcore.datasets", "fwcore.grids", "fwcore.sampling", "fwcore.theory", "app.plots"),
    *("fwcore.experiments.compare", "fwcore.experiments.metrics", "fwcore.experiments.race"),
)
"""Modules whose functions are called by those who use the package."""
# One trial, one text: what `recover` and `fwcore paper` are made of; what a step size is made of.
INNER = {"mirror_step"}


def functions(module):
    """The public functions of a module, by name."""
    held = importlib.import_module(module)
    names = getattr(held, "__all__", [n for n in vars(held) if not n.startswith("_")])
    found = {name: getattr(held, name) for name in names}
    package = module.partition(".")[0]
    home = module if not hasattr(held, "__all__") else package
    return {
        name: value
        for name, value in found.items()
        if inspect.isfunction(value) and value.__module__.startswith(home)
    }


PUBLIC = {
    name: found
    for name in fwcore.__all__
    if inspect.isclass(found := getattr(fwcore, name)) or inspect.isfunction(found)
}
CALLED = {
    f"{module}.{name}": found
    for module in MODULES_OF_FUNCTIONS
    for name, found in functions(module).items()
}
MODULES = sorted({found.__module__ for found in [*PUBLIC.values(), *CALLED.values()]})


def test_every_public_name_has_an_example():
    bare = {name for name, found in PUBLIC.items() if ">>>" not in (found.__doc__ or "")}
    assert bare == WITHOUT


def test_every_function_that_is_called_has_an_example():
    bare = {name for name, found in CALLED.items() if ">>>" not in (found.__doc__ or "")}
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
