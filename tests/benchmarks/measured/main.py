"""The page as it is served, which also leaves what its ticks cost in the file that COSTS names."""

import json
import os
from pathlib import Path
from typing import Any

import panel as pn

from app.explorer import Explorer


def _leave_costs(explorer: Explorer) -> Any:
    # All that it needs is bound here: when a session ends, this module's names are gone.
    write, dumps, costs = Path(os.environ["COSTS"]).write_text, json.dumps, explorer.drain.costs

    def leave(context: object) -> None:
        if costs:
            write(dumps(list(costs)))

    return leave


pn.extension(notifications=False)
explorer = Explorer()
pn.state.on_session_destroyed(_leave_costs(explorer))
explorer.page().servable()
