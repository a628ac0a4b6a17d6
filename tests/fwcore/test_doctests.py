"""Examples of docstrings run, and every public name has one."""

import doctest
import importlib
import inspect

import pytest

import fwcore

# What is used with the name beside it, or is for those who extend the package.
WITHOUT = {"register_loss", "unregister_loss", "use_numba_folder", "DatasetError"}
PUBLIC = {
    name: found
    for name in fwcore.__all__
    if inspect.isclass(found := getattr(fwcore, name)) or inspect.isfunction(found)
}
MODULES = sorted({found.__module__ for found in PUBLIC.values()})


def test_every_public_name_has_an_example():
    bare = {name for name, found in PUBLIC.items() if ">>>" not in (found.__doc__ or "")}
    assert bare == WITHOUT


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
