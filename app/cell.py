"""How an Explorer, and pictures of results, come into a cell of a notebook: all from this machine,
and small enough to be saved.
"""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any
from weakref import WeakSet

import panel as pn

from app import address, words
from app.still import still

_SCRIPT = "application/javascript"
_LARGE = 100_000
_UNPACK = Path(__file__).parent / "client" / "unpack.js"
_shown: dict[str, tuple[str, WeakSet[Any]]] = {}
"""By the name of a cell: its last execution, and the Explorers that this has shown."""
_owner: list[str | None] = []
"""The cell that holds the scripts, if one does."""


def extension() -> None:
    """Let this notebook show pictures of results, as `app.plots` and `result.plot()` make them. An
    Explorer needs it not.

    The scripts are those of Panel, compressed to a third of their size; no other host is asked. A
    saved notebook holds them once.

    >>> from app import extension
    >>> extension()
    """
    import holoviews as hv

    hv.renderer("bokeh")
    if _shell() is None:
        _keep_to_this_machine()
        return
    # Whoever asks has none, as where the cell that had them was deleted.
    _owner.clear()
    load_scripts()
    from holoviews.core.dimension import LabelledData

    # HoloViews' own way would ask another host for style sheets; Panel's has them in the cell.
    hv.Store.set_display_hook(
        "html+js", LabelledData, lambda drawn: pn.panel(drawn)._repr_mimebundle_()
    )


def _keep_to_this_machine() -> None:
    """`panel serve lesson.ipynb` shows cells in a template that asks another host for a font."""
    from panel.template.editable import EditableTemplate

    EditableTemplate._resources = {**EditableTemplate._resources, "css": {}}
    if address.served():
        address.keep_here()


def load_scripts() -> None:
    """Load the scripts of Panel into this notebook, unless another of its cells holds them."""
    cell = _this_cell()
    if _shell() is None or (_owner and (cell is None or _owner[0] != cell)):
        return
    from IPython.display import publish_display_data
    from IPython.utils.capture import capture_output

    with capture_output() as captured:
        # The page tells its errors itself.
        pn.extension(inline=True, console_output="disable")
    _owner[:] = [cell]
    for output in captured.outputs:
        data = dict(output.data)
        script = data.get(_SCRIPT, "")
        small = {"text/html": _packed(script)} if len(script) > _LARGE else data
        publish_display_data(small, metadata=dict(output.metadata or {}))


def _packed(script: str) -> str:
    """A script as HTML that unpacks it in the browser."""
    plain = script.encode()
    packed = base64.b64encode(zlib.compress(plain, 9, wbits=-15)).decode()
    given = f'"{zlib.crc32(plain):x}", "{packed}", {len(plain)}'
    return (
        f"<script>(() => {{\n{_UNPACK.read_text(encoding='utf-8')}\nunpack({given})\n}})()</script>"
    )


def _shell() -> Any:
    """The notebook's own, where there is one: neither in a script nor in a page that is served."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return None if address.served() else get_ipython()


def _this_cell() -> str | None:
    """The name that the notebook gives to the cell that is run; None where it gives none."""
    cell = _parent().get("metadata", {}).get("cellId")
    return None if cell is None else str(cell)


def _this_execution() -> str:
    return str(_parent().get("header", {}).get("msg_id", ""))


def _parent() -> Any:
    """The message that asked for the cell to be run."""
    return getattr(_shell(), "get_parent", dict)()


def show(explorer: Any, bundle: Any) -> Any:
    """Show an Explorer in the cell that is run: a still picture, and the live page above it as soon
    as the kernel answers. ``bundle`` makes the page's own display data.
    """
    if _shell() is None:
        return bundle()
    _free_last(explorer)
    load_scripts()
    _publish(explorer, update=False)
    explorer.stilled = lambda: _publish(explorer, update=True)
    return bundle()


def _free_last(explorer: Any) -> None:
    """A cell that is run again frees what it showed before, unless another cell shows it too."""
    cell, execution = _this_cell(), _this_execution()
    if cell is None:
        return
    last, before = _shown.get(cell, ("", WeakSet[Any]()))
    if last != execution:
        elsewhere = {
            id(one) for name, (_, shown) in _shown.items() if name != cell for one in shown
        }
        for one in [*before]:
            if one is not explorer and id(one) not in elsewhere:
                one.close()
        before = WeakSet[Any]()
        _shown[cell] = execution, before
    before.add(explorer)


def _publish(explorer: Any, *, update: bool) -> None:
    from IPython.display import publish_display_data

    name = explorer.cell["id"]
    publish_display_data(
        {"text/html": picture_of(explorer), "text/plain": "Frank-Wolfe Explorer"},
        transient={"display_id": f"still-{name}"},
        update=update,
    )


def picture_of(explorer: Any) -> str:
    """What a saved notebook keeps of an Explorer, or of a part: the runs as they ended."""
    shown = [entry for entry in explorer.feed.shown() if entry.run.reached]
    experiment = explorer.session.experiment or explorer.settings.chosen()
    solvers = [entry.run.solver.name for entry in shown]
    solvers = solvers or [spec.solver for spec in explorer.settings.runs]
    return still(explorer.cell["id"], words.headline(experiment, solvers), shown)
