"""Pictures of runs, also in flight. A new one is a file here and a name in LIVE, or registered."""

from app.live.active import ActiveFeatures
from app.live.error import PredictionError
from app.live.gap import InsidePoint, PathGaps, StepGaps
from app.live.geometry import Geometry
from app.live.hits import Hits
from app.live.model import Coefficients, Fit, Overlap
from app.live.oracle import EmptyDraws, Simulator
from app.live.paths import CoefficientPaths
from app.live.picture import Picture
from app.live.race import Race

LIVE: tuple[Picture, ...] = (
    Race(),
    CoefficientPaths(),
    ActiveFeatures(),
    PredictionError(),
    PathGaps(),
    StepGaps(),
    InsidePoint(),
    Simulator(),
    Hits(),
    EmptyDraws(),
    Coefficients(),
    Fit(),
    Overlap(),
    Geometry(),
)

_REGISTERED: list[Picture] = []


def all_pictures() -> tuple[Picture, ...]:
    """LIVE and what was registered since."""
    return (*LIVE, *_REGISTERED)


def register(picture: Picture) -> None:
    """Let every page that is opened from now on have a picture."""
    _REGISTERED.append(picture)


def unregister(name: str) -> None:
    """Forget a registered picture."""
    _REGISTERED[:] = [picture for picture in _REGISTERED if picture.name != name]


__all__ = ["LIVE", "Picture", "all_pictures", "register", "unregister"]
