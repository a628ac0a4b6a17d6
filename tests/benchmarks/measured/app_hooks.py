"""The hooks of the page that is measured are those of the page that is served."""

from app.app_hooks import on_server_loaded, on_session_destroyed

__all__ = ["on_server_loaded", "on_session_destroyed"]
