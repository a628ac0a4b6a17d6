"""The kinds of experiments; a new kind is a class in a file here and a name below."""

from collections.abc import Mapping

from fwcore.experiments.published.kinds.base import Kind, Measured
from fwcore.experiments.published.kinds.counts import Samples, Shapes
from fwcore.experiments.published.kinds.paths import Paths
from fwcore.experiments.published.kinds.races import Races
from fwcore.experiments.published.kinds.recoveries import Recoveries, RightSequences, Texts

__all__ = ["KINDS", "Kind", "Measured"]

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        *(Paths(), Races(), Recoveries(), RightSequences()),
        *(Texts(), Shapes(), Samples()),
    )
}
