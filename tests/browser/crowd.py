"""Visitors without a browser: each opens a page, runs it flat out and acknowledges what it is sent.

They speak Bokeh's protocol over websockets, so that thirty of them cost next to nothing beside the
server that is measured.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Any

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, websocket_connect


class Visitor:
    """One page that is open."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.socket: WebSocketClientConnection | None = None
        self.model = ""
        self.ticks: list[float] = []
        self.phase = ""
        self.taken: list[float] = []
        """Seconds from a click on Run to the first iterate, of each click."""
        self._clicked: float | None = None
        self._listener: asyncio.Task[None] | None = None
        self._sent = 0
        # The parts of a message follow each other.
        self._turn = asyncio.Lock()

    async def open(self) -> None:
        """Ask for the page, connect, and pull the document."""
        http = AsyncHTTPClient()
        answer = await http.fetch(self.url, request_timeout=120)
        token = re.search(r'"token":"([^"]+)"', answer.body.decode())
        assert token is not None, "a page without a token"
        self.socket = await websocket_connect(
            self.url.replace("http", "ws") + "/ws", subprotocols=["bokeh", token[1]]
        )
        # As browsers do. Else the second part of a message waits until the server has acknowledged
        # the first, which takes 40 ms.
        self.socket.protocol.set_nodelay(True)
        await self._receive()
        await self._send("PULL-DOC-REQ", {})
        while not self.model:
            text = json.dumps((await self._receive())[1])
            found = re.search(r'"id": "([^"]+)", "attributes": \{[^{}]*"class_name": "Wire"', text)
            found = found or re.search(
                r'"name": "panel[^"]*ReactiveESM[^"]*", "id": "([^"]+)"', text
            )
            self.model = found[1] if found else ""
        # Panel begins with its periodic callbacks once the page says that it is there.
        await self._event("document_ready", [])
        self._listener = asyncio.create_task(self._listen())

    async def _receive(self) -> tuple[str, Any]:
        """Type and content of the next message."""
        assert self.socket is not None
        parts = [await self.socket.read_message() for _ in range(3)]
        if parts[0] is None:
            raise ConnectionError("the server has closed the connection")
        header = json.loads(parts[0])
        for _ in range(2 * header.get("num_buffers", 0)):
            await self.socket.read_message()
        return header["msgtype"], json.loads(parts[2])

    async def _send(self, kind: str, content: dict[str, Any]) -> None:
        assert self.socket is not None
        self._sent += 1
        header = {"msgid": f"{id(self)}-{self._sent}", "msgtype": kind}
        async with self._turn:
            for part in (header, {}, content):
                await self.socket.write_message(json.dumps(part))

    async def do(self, **message: Any) -> None:
        """Send what the page would."""
        await self._event("data_event", [["model", {"id": self.model}], ["data", message]])

    async def _event(self, name: str, entries: list[Any]) -> None:
        event = {"type": "event", "name": name, "values": {"type": "map", "entries": entries}}
        patch = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}
        await self._send("PATCH-DOC", {"events": [patch]})

    async def run(self) -> None:
        """Click on Run."""
        self._clicked = time.perf_counter()
        await self.do(do="run")

    async def _listen(self) -> None:
        try:
            while True:
                kind, content = await self._receive()
                if kind == "PATCH-DOC":
                    for event in content.get("events", []):
                        await self._hear(event)
        except (ConnectionError, TypeError):
            return

    async def _hear(self, event: dict[str, Any]) -> None:
        if event.get("kind") != "MessageSent":
            return
        entries = dict(event["msg_data"]["values"]["entries"])
        message = json.loads(entries["data"])
        self.phase = message["puts"].get("phase", self.phase)
        now = time.perf_counter()
        self.ticks.append(now)
        steps = [rows for _, source, rows, _ in message["rows"] if source == "head" and rows["l1"]]
        if self._clicked is not None and (steps or self.phase == "done"):
            self.taken.append(now - self._clicked)
            self._clicked = None
        await self.do(seen=message["number"])

    def close(self) -> None:
        """Leave."""
        if self._listener is not None:
            self._listener.cancel()
        if self.socket is not None:
            self.socket.close()

    async def leave(self) -> None:
        """Leave, and be gone."""
        self.close()
        if self._listener is not None:
            await asyncio.gather(self._listener, return_exceptions=True)


async def crowd(url: str, count: int, within: float = 0.0) -> list[Visitor]:
    """Visitors who open the page together, or one after the other ``within`` so many seconds."""
    AsyncHTTPClient.configure(None, max_clients=count)
    visitors = [Visitor(url) for _ in range(count)]

    async def come(k: int) -> None:
        await asyncio.sleep(within * k / count)
        await visitors[k].open()

    await asyncio.gather(*map(come, range(count)))
    return visitors
