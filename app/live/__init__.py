"""Pictures of runs, also in flight. A new one is a file here and a name in LIVE, or registered."""

from app.live.active import ActiveFeatures
from app.live.draws import Draws
from app.live.error import PredictionError
from app.live.gap import PathGaps, StepGaps
from app.live.geometry import Geometry
from app.live.hits import Hits
from app.live.inside import InsidePoint
from app.live.model import Coefficients, Fit, Overlap
from app.live.oracle import EmptyDraws, Simulator
from app.live.paths import CoefficientPaths
from app.live.picture import Picture
from app.live.race import Race
from app.registry import Registry

LIVE: tuple[Picture, ...] = (
    Race(),
    CoefficientPaths(),
    ActiveFeatures(),
    PredictionError(),
    PathGaps(),
    StepGaps(),
    InsidePoint(),
    Simulator(),
    Draws(),
    Hits(),
    EmptyDraws(),
    Coefficients(),
    Fit(),
    Overlap(),
    Geometry(),
)

_registry: Registry[Picture] = Registry(LIVE)
all_pictures, register, unregister = _registry.all, _registry.register, _registry.unregister

__all__ = ["LIVE", "Picture", "all_pictures", "register", "unregister"]
