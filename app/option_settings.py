"""Options of the selected run, read and set as if they were settings: ``settings.tol = 1e-4``."""

from __future__ import annotations

from typing import Any

from fwcore import ParameterError


class OptionsAsSettings:
    """The part of `app.settings.Settings` that Python reads and sets; a name that is neither a
    setting nor an option is refused.
    """

    param: Any
    selected_run: Any

    def _options(self) -> Any:
        """Of the selected run; None while settings are being made."""
        spec = self.selected_run if self.__dict__.get("complete") else None
        return None if spec is None else spec.options

    def __getattr__(self, name: str) -> Any:
        options = self._options()
        if options is None or name not in options.declared():
            raise AttributeError(f"{name!r} is no setting, nor an option of the selected run")
        return getattr(options, name)

    def __setattr__(self, name: str, value: Any) -> None:
        options = self._options()
        own = hasattr(type(self), name) or name in self.__dict__ or name.startswith("_")
        if own or not self.__dict__.get("complete"):
            known = self.param.dataset.objects if name == "dataset" else [value]
            if value not in known:
                raise ParameterError.unknown("dataset", "Explorer", value, known)
            super().__setattr__(name, value)
            return
        declared = () if options is None else options.declared()
        if name not in declared:
            names = [*self.param.values(), *declared]
            raise ParameterError.unknown("settings", "Explorer", name, names)
        setattr(options, name, value)
        self.param.trigger("touched")
