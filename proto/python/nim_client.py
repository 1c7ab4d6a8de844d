"""A client for nim's game server, in Python's standard library alone, written from proto/PROTOCOL.md.

From top to bottom: the game of Nim, a lobby as its players see it, and the connection. README.md shows how
to write a bot with it in five minutes; nim_wire.py has the messages' bytes.
"""

from __future__ import annotations

import re
import socket
from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Callable

from nim_wire import TO_CLIENT, TO_SERVER, Cursor, Malformed, NimError, Unknown, cut, decode, encode, split

__all__ = ["Client", "Closed", "Lobby", "Malformed", "NimError", "Position", "Refused", "words"]

VERSION = 1
PORT = 7646
MAX_PILE = 10**18
MAX_PILES = 16
HELLO_DEADLINE = 10.0  # seconds that the server may take over its welcome


class Closed(NimError):
    """The connection has ended."""


class Refused(NimError):
    """A request was not granted; nothing has changed by it."""

    def __init__(self, id: int, turn: int, reason: Any) -> None:
        super().__init__(f"the server refuses: {words(reason)}")
        self.id, self.turn, self.reason = id, turn, reason


def words(reason: Any) -> str:
    """A reason as words: ``{"Lobby": "SeatTaken"}`` is "lobby: seat taken". No control characters get through."""
    name, inner = split(reason)
    if name == "Version":
        yours, ours = (int.from_bytes(bytes(inner[who]), "little") for who in ("yours", "ours"))
        return f"this client speaks version {yours} of the protocol, the server speaks version {ours}"
    if inner:
        return f"{words(name)}: {words(inner)}"
    if re.fullmatch("([A-Z][a-z]+)+", name):
        return re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return "".join(c if c.isprintable() else "?" for c in name)


# --- The game. ---


@dataclass(frozen=True)
class Position:
    """What lies on the table, how it is played, and whose turn it is."""

    piles: tuple[int, ...]
    limit: int | None  # the most that one move takes; None for as many as lie there
    misere: bool  # whether whoever takes the last object loses
    turn: str = "First"

    def most(self, pile: int) -> int:
        """The most that a move may take from this pile, counted from 0; 0 if nothing."""
        there = self.piles[pile] if 0 <= pile < len(self.piles) else 0
        return there if self.limit is None else min(there, self.limit)

    def choices(self) -> list[tuple[int, int]]:
        """The piles that are not empty, each with the most that a move may take from it."""
        return [(pile, self.most(pile)) for pile, there in enumerate(self.piles) if there]

    def play(self, pile: int, count: int) -> Position:
        """The position after a move. Raises ValueError if it is not legal."""
        if not 1 <= count <= self.most(pile):
            raise ValueError(f"nobody can take {count} from pile {pile} here: {self}")
        piles = list(self.piles)
        piles[pile] -= count
        return replace(self, piles=tuple(piles), turn=other(self.turn))


def other(side: str) -> str:
    return "Second" if side == "First" else "First"


def start_of(variant: str) -> Position:
    """The position in which a game starts. The variant is as the server sends it, with nothing left out."""
    name, *rest = variant.split(":")
    if name == "one-two-ten" and not rest:
        return Position((10,), 2, False)
    if name in ("java-tech", "zero-sum") and len(rest) == 1:
        return Position((number(rest[0]),), 3 if name == "java-tech" else 2, True)
    if name == "take" and len(rest) == 3 and rest[2] in ("normal", "misere"):
        return Position((number(rest[0]),), number(rest[1]), rest[2] == "misere")
    match = re.fullmatch(r"nim:([0-9-]+)(?::max=([0-9]+))?:(normal|misere)", variant)
    if not match:
        raise NimError(f"this client does not know the game {words(variant)}")
    piles = tuple(number(part) for part in match[1].split("-"))
    if len(piles) > MAX_PILES:
        raise Malformed(f"there are at most {MAX_PILES} piles")
    return Position(piles, number(match[2]) if match[2] else None, match[3] == "misere")


def read_position(variant: str, text: str) -> Position:
    """The position that a text such as "3-0-5 second" stands for."""
    start = start_of(variant)
    match = re.fullmatch(r"([0-9-]+) (first|second)", text)
    if not match:
        raise Malformed(f"{text!r} is no position")
    piles = tuple(number(part, least=0) for part in match[1].split("-"))
    if len(piles) != len(start.piles) or any(pile > most for pile, most in zip(piles, start.piles)):
        raise Malformed(f"{text!r} is no position of {variant}")
    if variant == "one-two-ten":
        piles = (10 - piles[0],)  # this one counts up
    return replace(start, piles=piles, turn=match[2].capitalize())


def number(text: str, least: int = 1) -> int:
    if not re.fullmatch("[0-9]{1,19}", text) or not least <= int(text) <= MAX_PILE:
        raise Malformed(f"{text!r} is no number from {least} to 10^18")
    return int(text)


# --- The lobby: what the server told, and what its events make of it. ---


class Lobby:
    """A lobby in which this client has a seat."""

    def __init__(self, you: str, snapshot: dict[str, Any]) -> None:
        self.you: str = you
        self.code: str = snapshot["code"]
        self.variant: str = snapshot["variant"]
        seats = snapshot["seats"]
        self.seats: dict[str, Any] = {"First": seats["first"], "Second": seats["second"]}
        self.turn: int = snapshot["turn"]
        self.playing: bool = snapshot["phase"] == "Playing"
        self.result: Any = None  # how the last game ended
        self.position = read_position(self.variant, snapshot["position"])

    @property
    def my_turn(self) -> bool:
        return self.playing and self.position.turn == self.you and bool(self.position.choices())

    @property
    def opponent(self) -> str | None:
        """Who sits on the other side, if anyone does; a bot is marked, and no person's name has brackets."""
        player = self.seats[other(self.you)]
        if not player:
            return None
        return f"{player['name']} [bot]" if player["kind"] == "Bot" else player["name"]

    @property
    def won(self) -> bool:
        """Whether the last game was won."""
        return self.result is not None and self.result["outcome"] == {"Win": self.you}

    def apply(self, event: Any) -> None:
        """Makes an event true. Raises Malformed for one that cannot have happened."""
        name, fields = split(event)
        if name == "Sat":
            self.seats[fields["side"]] = fields["player"]
        elif name == "Left":
            self.seats[fields["side"]] = None
        elif name == "Started":
            if fields["swap"]:
                self.seats = {side: self.seats[other(side)] for side in ("First", "Second")}
                self.you = other(self.you)
            self.position, self.playing = start_of(self.variant), True
        elif name == "Moved":
            try:
                self.position = self.position.play(**fields["mv"]["Nim"])
            except ValueError as error:
                raise Malformed(f"the server told of an impossible move: {error}") from None
            self.turn = fields["turn"] + 1
        elif name == "Ended":
            self.result, self.playing = fields["result"], False


# --- The connection. ---


class Client:
    """A connection to a server. ``with Client.connect("localhost", "anna") as client: …``

    Iterating yields what the server tells, as pairs: ``("Moved", {"turn": 1, …})``, ``("Ended", {…})``. By the time
    that you see an event, ``client.lobby`` has it in it. Refusals and the end of the connection are exceptions.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.lobby: Lobby | None = None
        self.name = ""
        self.ping_after = self.gone_after = HELLO_DEADLINE
        self._last_id = 0
        self._buffer = bytearray()
        self._kept: deque[Any] = deque()  # what came while an answer was waited for

    @classmethod
    def connect(cls, address: str, name: str) -> Client:
        """Connects and says hello. The address is HOST, HOST:PORT, or [IPV6]:PORT."""
        host, port = split_address(address)
        try:
            connection = socket.create_connection((host, port), timeout=HELLO_DEADLINE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            raise Closed(f"no server answers at {host} port {port}: {error}") from None
        client = cls(connection)
        try:
            client.hello(name)
        except BaseException:
            connection.close()
            raise
        return client

    def hello(self, name: str) -> None:
        """Says hello; ``self.name`` is then what the client is called here."""
        self._send({"Hello": {"magic": [*b"nim"], "version": [VERSION & 255, VERSION >> 8], "name": name}})
        welcome = self._answer("Welcome")
        self.name = welcome["name"]
        self.ping_after = max(1.0, welcome["ping_after"] / 1000)
        self.gone_after = max(self.ping_after + 1.0, welcome["gone_after"] / 1000)

    def look(self) -> list[Any]:
        """The lobbies there are; changes are told from now on."""
        self._ask("Hall", "Look")
        listed: list[Any] = []
        complete = False
        while not complete:
            part = self._answer("Lobbies")
            listed, complete = listed + part["listed"], part["complete"]
        return listed

    def quick(self, variant: str, **wishes: str) -> Lobby:
        """Sits down in an open lobby of this variant, or opens one. Wishes are starts, bot and hints."""
        return self._enter({"Quick": new_lobby(variant, **wishes)})

    def create(self, variant: str, **wishes: str) -> Lobby:
        """Opens a lobby and sits down in it."""
        return self._enter({"Create": new_lobby(variant, **wishes)})

    def join(self, code: str) -> Lobby:
        """Sits down in the lobby with this code."""
        return self._enter({"Join": {"code": code}})

    def play(self, pile: int, count: int) -> None:
        """Takes so many from this pile, counted from 0. ``Moved`` follows, or Refused."""
        turn = self.lobby.turn if self.lobby else 0
        self._ask("Lobby", {"Play": {"turn": turn, "mv": {"Nim": {"pile": pile, "count": count}}}})

    def resign(self) -> None:
        """Gives the game up. ``Ended`` follows."""
        self._ask("Lobby", "Resign")

    def again(self) -> None:
        """Asks for another game. ``AgainWanted`` follows, and ``Started`` once both want it."""
        self._ask("Lobby", "Again")

    def hint(self) -> Any:
        """A best move: its ``turn``, its ``mv``, and ``words`` that say why."""
        self._ask("Lobby", "Hint")
        return self._answer("Hint")

    def leave(self) -> None:
        """Goes back to the hall."""
        self._ask("Lobby", "Leave")
        self._answer("Outside")

    def play_game(self, choose: Callable[[Position], tuple[int, int]]) -> Any:
        """Waits for the next game, plays it to its end, and returns its result.

        Whenever it is this client's turn, ``choose`` is given the position and answers with pile and count.
        """
        for name, fields in self:
            if name == "Ended":
                return fields["result"]
            if name in ("Started", "Moved") and self.lobby and self.lobby.my_turn:
                self.play(*choose(self.lobby.position))

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Client:
        return self

    def __next__(self) -> tuple[str, Any]:
        return self._kept.popleft() if self._kept else self._next()

    def _ask(self, place: str, request: Any) -> None:
        self._last_id = (self._last_id + 1) % 2**32
        self._send({place: {"id": self._last_id, "request": request}})

    def _send(self, message: Any) -> None:
        try:
            self.socket.sendall(encode(TO_SERVER, message))
        except OSError as error:
            raise Closed(f"the connection broke: {error}") from None

    def _enter(self, request: Any) -> Lobby:
        self._ask("Hall", request)
        self._answer("Entered")
        assert self.lobby
        return self.lobby

    def _answer(self, wanted: str) -> Any:
        """What stands in the next message of this name. Whatever comes before it is kept for the iteration."""
        while True:
            name, fields = self._next()
            if name == wanted:
                return fields
            self._kept.append((name, fields))

    def _next(self) -> tuple[str, Any]:
        """The next thing that the server tells, taken note of."""
        while True:
            name, fields = split(self._message())
            if name == "Ping":
                self._send({"Pong": fields})
            elif name == "Refused":
                raise Refused(fields["id"], fields["turn"], fields["refusal"])
            elif name in ("Unwelcome", "Goodbye"):
                raise Closed(f"the server ends the connection: {words(fields)}")
            elif name == "Hall":
                return split(fields)
            elif name == "Lobby":
                return self._event(fields["event"])
            elif name != "Pong":
                if name == "Entered":
                    self.lobby = Lobby(fields["you"], fields["lobby"])
                elif name == "Outside":
                    self.lobby = None
                return name, fields

    def _event(self, event: Any) -> tuple[str, Any]:
        if not self.lobby:
            raise Malformed("the server told of a lobby that this client is not in")
        self.lobby.apply(event)
        return split(event)

    def _message(self) -> Any:
        """The next message that this version of the protocol knows."""
        while True:
            body = self._body()
            try:
                return decode(TO_CLIENT, body)
            except Unknown:
                if body[0] == 2:  # a refusal for an unknown reason is still one
                    cursor = Cursor(body[1:])
                    raise Refused(cursor.varint(32), cursor.varint(32), "for a new reason") from None

    def _body(self) -> bytes:
        while True:
            body = cut(self._buffer)
            if body is not None:
                return body
            self._buffer += self._bytes()

    def _bytes(self) -> bytes:
        """Some bytes from the server. It is asked for a sign of life when it is silent for long."""
        try:
            self.socket.settimeout(self.ping_after)
            return self._some()
        except socket.timeout:
            self._send({"Ping": 0})
        try:
            self.socket.settimeout(self.gone_after - self.ping_after)
            return self._some()
        except socket.timeout:
            raise Closed(f"nothing was heard from the server for {self.gone_after:.0f} seconds") from None

    def _some(self) -> bytes:
        try:
            data = self.socket.recv(4096)
        except socket.timeout:
            raise
        except OSError as error:
            raise Closed(f"the connection broke: {error}") from None
        if not data:
            raise Closed("the server closed the connection")
        return data


def new_lobby(
    variant: str, starts: str = "Variant", bot: str = "WhenNobodyComes", hints: str = "AgainstBots"
) -> dict[str, str]:
    return {"variant": variant, "starts": starts, "bot": bot, "hints": hints}


def split_address(address: str) -> tuple[str, int]:
    """HOST, HOST:PORT, [IPV6], [IPV6]:PORT or a bare IPV6 as host and port."""
    bare = address.count(":") > 1 and not address.startswith("[")
    match = re.fullmatch(r"(\[[^\[\]]+\]|[^\[\]:]+)(?::([0-9]{1,5}))?", f"[{address}]" if bare else address)
    port = int(match[2] or PORT) if match else 0
    if not match or port > 65535:
        raise NimError(f"{address!r} is no address; write HOST:PORT, as in 127.0.0.1:{PORT}")
    return match[1].strip("[]"), port
