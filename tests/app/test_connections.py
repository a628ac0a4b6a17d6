"""How messages travel to the pages."""

import asyncio
import socket

import pytest
from bokeh.server.views.ws import WSHandler
from tornado import web, websocket
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port

from app import app_hooks


def test_a_message_is_not_held_back_until_the_last_is_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tell_option(handler: websocket.WebSocketHandler) -> None:
        assert handler.ws_connection is not None
        stream = handler.ws_connection.stream
        assert stream is not None
        option = stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        handler.write_message(str(option))

    monkeypatch.setattr(WSHandler, "open", tell_option)
    assert asyncio.run(_first_message()) == "0"
    app_hooks._send_at_once()
    assert asyncio.run(_first_message()) != "0"


async def _first_message() -> str | bytes | None:
    """What a handler that is opened as Bokeh's sends at once."""

    class Handler(websocket.WebSocketHandler):
        def open(self) -> None:
            WSHandler.open(self)

    listening, port = bind_unused_port()
    server = HTTPServer(web.Application([("/", Handler)]))
    server.add_socket(listening)
    connection = await websocket.websocket_connect(f"ws://127.0.0.1:{port}/")
    told = await connection.read_message()
    connection.close()
    server.stop()
    await server.close_all_connections()
    return told
