"""Sources that take a while to compute: by a worker, so that no page waits."""

from __future__ import annotations

import logging

from app.live.picture import Columns, Compute, Shown

_log = logging.getLogger(__name__)


class Computation:
    """One source of one run at one point: a job of the scheduler."""

    def __init__(
        self,
        source: str,
        compute: Compute,
        at: tuple[Shown, Shown, int],
        *,
        urgent: bool = True,
    ) -> None:
        entry, _, _ = at
        self.urgent = urgent
        self.key, self.source = entry.key, source
        self.columns: Columns | None = None
        self.over = False
        self._compute, self._at = compute, at
        self.owner: object = entry.run.owner

    def due(self) -> float | None:
        return None if self.over else 0.0

    def turn(self) -> None:
        try:
            self.columns = self._compute(*self._at)
        except Exception:
            # One picture less, and the others go on.
            _log.exception("%s cannot be computed", self.source)
        self.over = True
