"""What happens when the server starts: kernels are compiled in the background, so that the first visitor need not wait."""

import logging
import threading
from typing import Any

from fwcore import warmup

_log = logging.getLogger(__name__)


def on_server_loaded(server_context: Any) -> None:
    """Warm up every solver."""
    threading.Thread(target=_warm_up, name="fwcore-warmup", daemon=True).start()


def _warm_up() -> None:
    for name in warmup.every_solver():
        _log.info("ready: %s", name)
