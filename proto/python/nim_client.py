"""A client for nim's game server, in Python's standard library alone, written from proto/PROTOCOL.md.

First a lobby as its players see it, then the connection. README.md shows how to write a bot with it in five
minutes; nim_games.py has the games, nim_wire.py the messages' bytes.
"""

from __future__ import annotations

import re
import socket
from collections import Counter, deque
from typing import Any, Callable

from nim_games import SIDES, Move, Position, other, read_position, start_of
from nim_wire import MAX_NAME_CHARS, TO_CLIENT, TO_SERVER, Cursor, Malformed, NimError, Unknown, cut, decode, encode, split

__all__ = ["Client", "Closed", "Lobby", "Malformed", "Move", "NimError", "Position", "Refused", "words"]

VERSION = 1
PORT = 7646
TIMES = 3  # a position that comes up for the third time is a draw
NAME_FAULTS = {
    "Empty": "a name needs at least one visible character",
    "TooLong": f"a name has at most {MAX_NAME_CHARS} characters",
}
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
    if name == "Name" and inner in NAME_FAULTS:
        return NAME_FAULTS[inner]
    if inner:
        return f"{words(name)}: {words(inner)}"
    if re.fullmatch("([A-Z][a-z]+)+", name):
        return re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return "".join(c if c.isprintable() else "?" for c in name)


# --- The lobby: what the server told, and what its events make of it. ---


class Lobby:
    """A lobby in which this client has a seat."""

    def __init__(self, you: str, snapshot: dict[str, Any]) -> None:
        self.you: str = you
        self.code: str = snapshot["code"]
        self.variant: str = snapshot["variant"]
        self.level: str = snapshot["conditions"]["level"]  # how strong a bot plays here
        seats = snapshot["seats"]
        self.seats: dict[str, Any] = {"First": seats["first"], "Second": seats["second"]}
        self.turn: int = snapshot["turn"]
        self.playing: bool = snapshot["phase"] == "Playing"
        self.result: Any = None  # how the last game ended
        self._seen: Counter[Position] = Counter()  # how often each position of a game that can repeat came up
        self._show(read_position(self.variant, snapshot["position"]))

    @property
    def my_turn(self) -> bool:
        decided = self.position.result() is not None or self._seen[self.position] >= TIMES
        return self.playing and self.position.turn == self.you and not decided

    @property
    def opponent(self) -> str | None:
        """Who sits on the other side, if anyone does; a bot with its level, and no person's name has brackets."""
        player = self.seats[other(self.you)]
        if not player:
            return None
        return f"{player['name']} [bot, {self.level.lower()}]" if player["kind"] == "Bot" else player["name"]

    @property
    def won(self) -> bool:
        """Whether the last game was won."""
        return self.result is not None and self.result["outcome"] == {"Win": self.you}

    @property
    def drawn(self) -> bool:
        """Whether nobody won the last game."""
        return self.result is not None and self.result["outcome"] == "Draw"

    def apply(self, event: Any) -> None:
        """Makes an event true. Raises Malformed for one that cannot have happened."""
        name, fields = split(event)
        if name == "Sat":
            self.seats[fields["side"]] = fields["player"]
        elif name == "Left":
            self.seats[fields["side"]] = None
        elif name == "Started":
            if fields["swap"]:
                self.seats = {side: self.seats[other(side)] for side in SIDES}
                self.you = other(self.you)
            self._seen.clear()
            self._show(start_of(self.variant))
            self.playing = True
        elif name == "Moved":
            try:
                self._show(self.position.play(*self.position.read_move(fields["mv"])))
            except ValueError as error:
                raise Malformed(f"the server told of an impossible move: {error}") from None
            self.turn = fields["turn"] + 1
        elif name == "Ended":
            self.result, self.playing = fields["result"], False

    def _show(self, position: Any) -> None:
        """Puts a position on the table."""
        self.position = position
        if position.REPEATS:
            self._seen[position] += 1


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
        """Sits down in an open lobby of this variant, or opens one. Wishes are starts, bot, hints and level."""
        return self._enter({"Quick": new_lobby(variant, **wishes)})

    def create(self, variant: str, **wishes: str) -> Lobby:
        """Opens a lobby and sits down in it."""
        return self._enter({"Create": new_lobby(variant, **wishes)})

    def join(self, code: str) -> Lobby:
        """Sits down in the lobby with this code."""
        return self._enter({"Join": {"code": code}})

    def play(self, *move: int) -> None:
        """Makes a move: in Nim the pile, counted from 0, and how many to take. ``Moved`` follows, or Refused."""
        if not self.lobby:
            raise NimError("there is no game to make a move in")
        mv = self.lobby.position.write_move(move)
        self._ask("Lobby", {"Play": {"turn": self.lobby.turn, "mv": mv}})

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

    def play_game(self, choose: Callable[[Any], Move]) -> Any:
        """Waits for the next game, plays it to its end, and returns its result.

        Whenever it is this client's turn, ``choose`` is given the position and answers with one of its moves. Raises
        NimError if the answer is no move of this game, and Refused if the rules do not allow it.
        """
        for name, fields in self:
            if name == "Ended":
                return fields["result"]
            if name in ("Started", "Moved") and self.lobby and self.lobby.my_turn:
                self.play(*checked(choose(self.lobby.position), self.lobby.position))

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


def checked(move: Any, position: Position) -> Move:
    """What a player's ``choose`` answered, if it is a move of this game, legal or not. Raises NimError if it is none."""
    names = position.NUMBERS or ("number",)
    numbers = isinstance(move, (tuple, list)) and all(type(number) is int for number in move)
    if numbers and len(move) == len(names):
        return tuple(move)
    form = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
    slip = "choose answered nothing; it has to return a move" if move is None else f"choose answered {move!r}"
    raise NimError(f"{slip}: a move here is {form}, whole numbers, such as {next(position.moves())}")


def new_lobby(
    variant: str,
    starts: str = "Variant",
    bot: str = "WhenNobodyComes",
    hints: str = "AgainstBots",
    level: str = "Perfect",
) -> dict[str, str]:
    return {"variant": variant, "starts": starts, "bot": bot, "hints": hints, "level": level}


def split_address(address: str) -> tuple[str, int]:
    """HOST, HOST:PORT, [IPV6], [IPV6]:PORT or a bare IPV6 as host and port."""
    bare = address.count(":") > 1 and not address.startswith("[")
    match = re.fullmatch(r"(\[[^\[\]]+\]|[^\[\]:]+)(?::([0-9]{1,5}))?", f"[{address}]" if bare else address)
    port = int(match[2] or PORT) if match else 0
    if not match or port > 65535:
        raise NimError(f"{address!r} is no address; write HOST:PORT, as in 127.0.0.1:{PORT}")
    return match[1].strip("[]"), port
