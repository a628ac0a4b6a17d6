"""Features made of others, where papers used more than a file holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fwcore.kernels.types import Floats


def california_ratios(X: Floats) -> tuple[Floats, Sequence[str]]:
    """Of blocks of houses: income, age, rooms and bedrooms per household, people, people per
    household, place.
    """
    longitude, latitude, age, rooms, bedrooms, people, households, income = X.T
    columns = (
        income,
        age,
        rooms / households,
        bedrooms / households,
        people,
        people / households,
        latitude,
        longitude,
    )
    names = [
        "MedInc",
        "HouseAge",
        "AveRooms",
        "AveBedrms",
        "Population",
        "AveOccup",
        "Latitude",
        "Longitude",
    ]
    return np.column_stack(columns), names


DERIVED: dict[str, Callable[[Floats], tuple[Floats, Sequence[str]]]] = {
    "california-ratios": california_ratios
}
"""What `derived` in the catalogue may name."""
