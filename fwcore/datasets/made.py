"""Datasets that are made as asked for: a generator and its values, written as one name, such as
``made:correlated_gaussian:rows=200,columns=5000,relevant=10,rho=0.5,snr=3,seed=0``.

A name is all that there is to such a dataset, so that links, shell lines and saved runs hold it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fwcore.datasets.catalogue import Entry
from fwcore.errors import ParameterError
from fwcore.options import Amount, Count, Options, build

PREFIX = "made:"
MOST_ENTRIES = 50_000_000
"""Rows times columns."""
_LONGEST = 300


def _snr() -> Amount:
    return Amount(
        default=3.0,
        bounds=(1e-6, 1e9),
        softbounds=(0.1, 1000.0),
        label="Signal to noise",
        doc="Variance of the signal over that of the noise.",
    )


class Recipe(Options):
    """What all generators take; the softbounds are those of a slider."""

    title: ClassVar[str]

    rows = Count(
        default=400, bounds=(4, 1_000_000), softbounds=(50, 10_000), label="Rows", doc="m."
    )
    columns = Count(
        default=5_000, bounds=(1, 10_000_000), softbounds=(50, 50_000), label="Columns", doc="p."
    )
    relevant = Count(
        default=20,
        bounds=(1, 10_000_000),
        softbounds=(1, 500),
        label="Relevant columns",
        doc="Columns with a coefficient.",
    )
    seed = Count(default=0, bounds=(0, 2**32 - 1), label="Seed", doc="Of the generator.")


class Synthetic(Recipe):
    """`fwcore.datasets.generators.synthetic`."""

    title = "Independent normal columns"
    noise = Amount(
        default=10.0,
        bounds=(0.0, 1e6),
        softbounds=(0.01, 1000.0),
        label="Noise",
        doc="Standard deviation of the noise; coefficients are uniform in [0, 100).",
    )


class CorrelatedGaussian(Recipe):
    """`fwcore.datasets.generators.correlated_gaussian`."""

    title = "Correlated normal columns"
    rho = Amount(
        default=0.5,
        bounds=(-0.999, 0.999),
        softbounds=(0.0, 0.95),
        label="Correlation",
        doc="Of neighbouring columns; rho^d at a distance of d.",
    )
    snr = _snr()


class UnitSphere(Recipe):
    """`fwcore.datasets.generators.unit_sphere`."""

    title = "Columns on the unit sphere"
    snr = _snr()


RECIPES: dict[str, type[Recipe]] = {
    "synthetic": Synthetic,
    "correlated_gaussian": CorrelatedGaussian,
    "unit_sphere": UnitSphere,
}
"""Generators that may be named; a new one is a class here."""


def is_made(name: str) -> bool:
    """Whether a name says how to make its data."""
    return name.startswith(PREFIX)


def name_of(generator: str, values: Mapping[str, str]) -> str:
    """The name of a dataset that is made with these values, as text; defaults are filled in.

    Raises
    ------
    ParameterError
        There is no such generator, or a value does not fit.
    """
    return _name(generator, _checked(generator, values))


def _checked(generator: str, values: Mapping[str, str]) -> dict[str, Any]:
    if generator not in RECIPES:
        raise ParameterError("dataset", "fwcore", f"made by one of {[*RECIPES]}", generator[:40])
    found = build(RECIPES[generator], "the generator", values).settings()
    if found["rows"] * found["columns"] > MOST_ENTRIES:
        rule = f"at most {MOST_ENTRIES:,} over the rows"
        raise ParameterError("columns", "the generator", rule, found["columns"])
    if found["relevant"] > found["columns"]:
        rule = f"at most {found['columns']}, the columns"
        raise ParameterError("relevant", "the generator", rule, found["relevant"])
    return found


def _name(generator: str, values: Mapping[str, Any]) -> str:
    return f"{PREFIX}{generator}:" + ",".join(f"{name}={value}" for name, value in values.items())


def entry_of(name: str) -> Entry:
    """The dataset of a name that `name_of` gives, or of a shorter one that leaves out defaults.

    Raises
    ------
    ParameterError
        There is no such generator, or a value does not fit.
    """
    generator, _, told = name[:_LONGEST].removeprefix(PREFIX).partition(":")
    pairs = [part.partition("=") for part in told.split(",") if part]
    values = _checked(generator, {key.strip(): value.strip() for key, _, value in pairs})
    return Entry(
        name=_name(generator, values),
        title=f"{RECIPES[generator].title}, {values['relevant']:,} relevant",
        task="regression",
        rows=values["rows"],
        features=values["columns"],
        citation=f"Made by fwcore.datasets.generators.{generator}",
        licence="CC0",
        relevant=values["relevant"],
        generator=(("name", generator), *values.items()),
    )
