"""What a client of the websocket may say that no page would, and one who says it."""

import asyncio
import contextlib
import json
import random

from crowd import Visitor
from tornado.websocket import WebSocketClosedError

HUGE = "<img src=x onerror=alert(1)>" * 4000
DEEP = json.loads("[" * 200 + "]" * 200)
COMMANDS = [
    "text instead of a command",
    {"do": "nothing of the kind"},
    {"do": ["run"]},
    {"do": HUGE},
    {"do": "set", "name": "no such setting", "value": "1"},
    {"do": "set", "name": "points", "value": "nan"},
    {"do": "set", "name": "dataset", "value": HUGE},
    {"do": "set", "name": "__class__", "value": "x", "run": 1},
    {"do": "set", "name": "tol", "value": "1e999", "run": 1},
    {"do": "select", "run": -1},
    {"do": "select", "run": 1e300},
    {"do": "add", "solver": "../../etc/passwd"},
    {"do": "rename", "run": 1, "name": HUGE},
    {"do": "move", "run": 1, "to": 2**62},
    {"do": "pace", "unit": "dots", "rate": -1.0},
    {"do": "pace", "unit": HUGE, "rate": "fast"},
    {"do": "point", "point": -99},
    {"do": "look", "pictures": [{"a": DEEP}] * 50},
    {"do": "look", "pictures": ["race"], "view": DEEP, "axes": HUGE, "large": 3},
    {"do": "bring", "name": "x.csv", "size": -1},
    {"do": "bring", "name": "x.csv", "size": 2**60},
    {"do": "bring_part", "part": "no base 64 !"},
    {"do": "bring_use", "degree": 99},
    {"do": "make", "generator": "gaussian", "values": {"rows": "10" * 50}},
    {"do": "make", "generator": DEEP, "values": DEEP},
    {"do": "forget", "name": "../../etc/passwd"},
    {"do": "open", "uid": HUGE},
    {"do": "share"},
    {"do": "lost"},
    {"do": "come_back", "token": HUGE},
    {"seen": 10**30},
]
PATCHES = [
    {"kind": "ModelChanged", "model": {"id": "p0"}, "attr": "visible", "new": False},
    {"kind": "ModelChanged", "model": {"id": "own"}, "attr": "opening", "new": 7},
    {"kind": "ModelChanged", "model": {"id": "own"}, "attr": "esm", "new": HUGE},
    {"kind": "ModelChanged", "model": {"id": "own"}, "attr": "no_such", "new": DEEP},
    {"kind": "RootRemoved", "model": {"id": "own"}},
    {"kind": "RootRemoved", "model": {"id": "p0"}},
    {"kind": "TitleChanged", "title": HUGE},
    {"kind": "ColumnsStreamed", "model": {"id": "p0"}, "attr": "data", "data": {}, "rollover": 1},
    {"kind": "NoSuchKind"},
    {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": DEEP},
]
KINDS = [("command", one) for one in COMMANDS] + [("patch", one) for one in PATCHES]
KINDS += [("type", "NO-SUCH-MESSAGE"), ("type", "PULL-DOC-REQ"), ("raw", "{"), ("raw", HUGE)]


class Intruder(Visitor):
    """Speaks the protocol, and nothing that it should say."""

    async def say(self, kind, what):
        if kind == "command":
            await self._event("data_event", [["model", {"id": self.model}], ["data", what]])
        elif kind == "patch":
            own = json.loads(json.dumps(what).replace('"own"', f'"{self.model}"'))
            await self._send("PATCH-DOC", {"events": [own]})
        elif kind == "type":
            await self._send(what, {})
        else:
            await self.socket.write_message(what)


async def flood(url, count):
    """So many messages of all kinds in a random order; a closed connection is made anew."""
    chosen = random.Random(0)
    intruder, gone = None, []
    for _ in range(count):
        with contextlib.suppress(WebSocketClosedError, ConnectionError):
            if intruder is None or intruder.socket.close_code is not None:
                gone.append(intruder)
                intruder = Intruder(url)
                await intruder.open()
            await intruder.say(*chosen.choice(KINDS))
            # The loop of this process is the neighbour's too.
            await asyncio.sleep(0)
    for one in filter(None, [*gone, intruder]):
        await one.leave()
