"""Servers for tests: the other ends of pairs of sockets say what a server would, and nobody really waits."""

import json
import socket
import unittest
from pathlib import Path

from nim_client import Client, Connection, Lost, Patience
from nim_wire import TO_CLIENT, TO_SERVER, cut, decode, encode

VECTORS = Path(__file__).resolve().parent.parent / "vectors"


def load(file):
    return json.loads((VECTORS / file).read_text(encoding="utf-8"))


def vector(name):
    """A message of the server by its name."""
    return next(v for v in load("to_client.json") if v["name"] == name)["value"]


WELCOME = {"Welcome": {"version": 1, "name": "anna", "server": "x", "ping_after": 15000, "gone_after": 45000}}
NOBODY = {"absences": {"first": None, "second": None}, "watchers": 0, "since": 0}
RETURNED = {"Returned": {"attendance": NOBODY, "now": 9000}}
OVER = {"Over": {"result": {"outcome": "Draw", "cause": "rules"}, "again": {"first": False, "second": False}}}


def entered(**changes):
    """anna sits on the first side of a game of java-tech:21 against ben, and is to move at turn 1."""
    ben = {"id": 2, "name": "ben", "kind": "person"}
    lobby = vector("entered-as-the-second")["Entered"]["lobby"]
    seats = {"first": {"id": 1, "name": "anna", "kind": "person"}, "second": ben}
    lobby = {**lobby, "seats": seats, "phase": "Playing", "games": 1, "events": 3, "next_player": 3, **changes}
    return {"Entered": {"you": "first", "lobby": lobby, "now": 1000}}


def event(number, event, at=2000):
    return {"Lobby": {"number": number, "at": at, "event": event}}


def notice(notice, at=2000):
    return {"Notice": {"at": at, "notice": notice}}


def take(count):
    return {"Nim": {"pile": 0, "count": count}}


def moved(number, turn, player, move, hand="own"):
    """A move, in Nim by the number of objects."""
    mv = take(move) if isinstance(move, int) else move
    return event(number, {"Moved": {"turn": turn, "player": player, "mv": mv, "hand": hand}})


def ended(number, side="first"):
    return event(number, {"Ended": {"result": {"outcome": {"Win": side}, "cause": "resigned"}}})


def refused(id, reason, turn=1):
    return {"Refused": {"id": id, "turn": turn, "refusal": reason}}


def said(*numbers, room="players"):
    return {"Said": [{"number": n, "room": room, "name": "ben", "at": 0, "words": f"line {n}"} for n in numbers]}


class Servers:
    """One connection after another, each with all that it says, and then an end."""

    def __init__(self, *scripts):
        self.scripts, self.sockets, self.slept = list(scripts), [], []
        self.time = 0.0

    def dial(self, _address):
        if not self.scripts:
            raise Lost("no server answers")
        script = self.scripts.pop(0)
        if isinstance(script, Exception):
            raise script
        ours, theirs = socket.socketpair()
        theirs.sendall(b"".join(encode(TO_CLIENT, message) for message in script))
        theirs.shutdown(socket.SHUT_WR)
        self.sockets += [ours, theirs]
        return Connection(ours)

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.time += seconds

    def patience(self, give_up=600.0):
        return Patience(give_up, self.sleep, lambda: self.time)

    def heard(self, connection):
        """All that the client has said over this connection, the first being 0."""
        theirs = self.sockets[2 * connection + 1]
        theirs.setblocking(False)
        try:
            buffer, messages = bytearray(theirs.recv(65536)), []
        except BlockingIOError:
            return []
        while buffer:
            messages.append(decode(TO_SERVER, cut(buffer)))
        return messages

    def close(self):
        for each in self.sockets:
            each.close()


class ClientCase(unittest.TestCase):
    def client(self, *scripts, give_up=600.0, enter=lambda client: client.join("brave-otter")):
        """A client that has entered a lobby over the first connection."""
        self.servers, self.said = Servers(*scripts), []
        self.addCleanup(self.servers.close)
        options = {"patience": self.servers.patience(give_up), "notify": self.said.append}
        client = Client.connect("here", "anna", dial=self.servers.dial, **options)
        enter(client)
        return client

    def asked(self, connection=0):
        """What was asked for in the lobby over this connection."""
        return [message["Lobby"]["request"] for message in self.servers.heard(connection) if "Lobby" in message]

    def names(self, client, count):
        """What the client tells next."""
        return [next(client)[0] for _ in range(count)]
