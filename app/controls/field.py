"""A field of text for any parameter that is a kind of option (`fwcore.option_kinds`)."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui
import param


def text_field(owner: param.Parameterized, name: str, **look: Any) -> Any:
    """Text that the kind reads, linked both ways. What it does not take is told in place, and
    changes nothing.
    """
    kind = owner.param[name]

    def shown() -> str:
        written = kind.write(getattr(owner, name))
        return "" if written is None else str(written)

    field = pmui.TextInput(label=kind.label, value=shown(), description=kind.doc, **look)

    def take(event: Any) -> None:
        try:
            setattr(owner, name, kind.read(event.new))
            field.param.update(error_state=False, helper_text="")
        except ValueError:
            field.param.update(error_state=True, helper_text=f"Must be {kind.accepts}.")

    field.param.watch(take, "value")
    owner.param.watch(lambda event: setattr(field, "value", shown()), name)
    return field
