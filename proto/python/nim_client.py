"""A client for nim's game server, in Python's standard library alone, written from proto/PROTOCOL.md.

It makes requests, tells what happens, and returns to its seat by itself when its connection is lost.
README.md shows how to write a bot with it in five minutes.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Callable

from nim_connection import PORT, Closed, Connection, Lost, split_address
from nim_games import Move, Position
from nim_lobby import Lobby
from nim_tickets import Patience, forget, hashed, keep, new_ticket, recall
from nim_wire import Malformed, NimError, split

__all__ = [
    "PORT", "Client", "Closed", "Connection", "Lobby", "Lost", "Malformed", "Move", "NimError", "Patience",
    "Position", "Refused", "new_lobby", "split_address", "words",
]  # fmt: skip

VERSION = 1
MAX_TICKETS = 256  # in one request
# Reasons of an Unwelcome that may be gone a moment later.
TRY_AGAIN = ("Full", "Crowded", "Stopping")
# Reasons of a Goodbye after which it would be wrong to return.
DO_NOT_RETURN = ("Elsewhere", "FrameTooLong", "Malformed", "ClosedByHost", "LobbyClosed", "NoDiskSpace")
FAREWELLS = {
    "Stopping": "it is stopping",
    "Kept": "it is stopping, and keeps all games until it is started again",
    "Elsewhere": "another connection has taken over the seat",
    "ClosedByHost": "its host closed the connection",
    "LobbyClosed": "its host closed the lobby",
    "NoDiskSpace": "its room for games is used up, and it has closed this lobby to make some",
    "Moved": "the game goes on in another server",
}
# Refusals of a ticket for good, and those of them after which it is of no use any more.
NO_SEAT = ("GivenUp", "BadTicket", "SetAside", "LobbyClosed")
VOID = ("GivenUp", "LobbyClosed")
# Refusals of a request for which others were quicker.
TOO_LATE = ("OtherTurn", "NoGame", "NoOffer", "Paused", "NotPaused")
# Refusals that have nothing to do with the request.
TEMPORARY = ("Halted", "TooFast", "TooManyGuesses", "RecordsBusy")


class Refused(NimError):
    """A request was refused; it has changed nothing."""

    def __init__(self, id: int, turn: int, reason: Any) -> None:
        super().__init__(f"the server refuses: {words(reason)}")
        self.id, self.turn, self.reason = id, turn, reason

    @property
    def name(self) -> str:
        """The innermost name of the reason, such as "SeatTaken" for ``{"Lobby": "SeatTaken"}``."""
        place, inner = split(self.reason)
        return split(inner)[0] if place in ("Misplaced", "Hall", "Lobby", "Chat") else place


class Client:
    """A connection to a server. ``with Client.connect("localhost", "anna") as client: …``

    Iterating yields what the server tells, as pairs: ``("Moved", {"turn": 1, …})``, ``("Ended", {…})``. By then
    ``client.lobby`` is up to date. Refusals and the end of the connection are exceptions.

    When the connection is lost, the client returns to its seat by itself, says so to ``notify``, yields what it
    missed, and then ``("Returned", {…})`` or, if it missed much, ``("Entered", {…})``. It gives up only when
    ``patience`` is over. With a ``ticket_file`` even another program can return, by ``Client.resume``.

    Everybody sees that a client of the ``kind`` "program" is one, and it cannot join a lobby for people only.
    Where a person chooses the moves, it is "person".
    """

    def __init__(
        self,
        connection: Connection,
        name: str = "",
        address: str = "",
        *,
        kind: str = "program",
        dial: Callable[[str], Connection] = Connection.open,
        patience: Patience | None = None,
        notify: Callable[[str], None] = lambda said: None,
        ticket_file: str | None = None,
    ) -> None:
        self.connection = connection
        self.name = name
        self.lobby: Lobby | None = None
        self.tickets: list[list[int]] = []  # of all seats that this client had, the newest last
        self._asked_name, self._address = name, address
        self._kind = kind
        self._dial, self._patience, self._notify = dial, patience or Patience(), notify
        self._ticket_file = ticket_file
        self._password: str | None = None  # of the lobby that is watched
        self._time = (0, 0.0)  # a moment of the lobby, and our clock at that moment
        self._last_id = 0
        # The last requests in the lobby: id, request, and the lobby's state then.
        self._sent: deque[Any] = deque(maxlen=8)
        self._kept: deque[Any] = deque()  # what came while an answer was waited for
        self._missed: deque[Any] = deque()  # what came before the answer to a Return

    @classmethod
    def connect(cls, address: str, name: str, **options: Any) -> Client:
        """Connects and says hello. The address is HOST, HOST:PORT, or [IPV6]:PORT."""
        client = cls(options.get("dial", Connection.open)(address), name, address, **options)
        try:
            client.hello()
        except BaseException:
            client.close()
            raise
        return client

    @classmethod
    def resume(cls, ticket_file: str, **options: Any) -> Client:
        """Returns to the seat whose ticket is kept in this file; ``client.lobby`` is then the lobby as it is."""
        seat = recall(ticket_file)
        client = cls.connect(seat["address"], seat["name"], ticket_file=ticket_file, **options)
        client.tickets.append(seat["ticket"])
        try:
            client._persist(lambda: client._return(seat["code"], 0), lambda refused: refused.name not in TEMPORARY)
        except BaseException:
            client.close()
            raise
        return client

    def close(self) -> None:
        """Ends the connection. The seat is kept for a while; to give it up, leave first."""
        self.connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Client:
        return self

    def __next__(self) -> tuple[str, Any]:
        return self._kept.popleft() if self._kept else self._next()

    def now(self) -> int:
        """The lobby's time: the milliseconds since it was opened."""
        moment, then = self._time
        return moment + int((self._patience.clock() - then) * 1000)

    # --- Requests in the hall. ---

    def hello(self) -> None:
        """Says hello; ``self.name`` is then the client's name on the server."""
        version = [VERSION & 255, VERSION >> 8]
        greeting = {"magic": [*b"nim"], "version": version, "name": self._asked_name, "kind": self._kind}
        self.connection.send({"Hello": greeting})
        welcome = self._until(self._hear, "Welcome")
        self.name = welcome["name"]
        self.connection.agree(welcome["ping_after"], welcome["gone_after"])

    def look(self) -> list[Any]:
        """The lobbies there are. Each change follows as an event."""
        self._ask("Hall", "Look")
        listed: list[Any] = []
        complete = False
        while not complete:
            part = self._answer("Lobbies")
            listed, complete = listed + part["listed"], part["complete"]
        return listed

    def quick(self, variant: str, **wishes: Any) -> Lobby:
        """Joins an open lobby of this variant, or opens one. For the wishes see ``new_lobby``."""
        return self._enter("Quick", new_lobby(variant, **wishes))

    def create(self, variant: str, **wishes: Any) -> Lobby:
        """Opens a lobby and takes a seat in it; with ``bot="both"``, watches it."""
        return self._enter("Create", new_lobby(variant, **wishes))

    def join(self, code: str, password: str | None = None) -> Lobby:
        """Takes the free seat of the lobby with this code."""
        return self._enter("Join", {"code": code, "password": password})

    def watch(self, code: str, password: str | None = None) -> Lobby:
        """Watches the lobby with this code."""
        self._password = password
        return self._enter("Watch", {"code": code, "password": password})

    def games(self, most: int = 100, **wish: Any) -> list[Any]:
        """Games that have records, the newest first. For the wishes, such as ``with_="ben"``, see GamesWish."""
        asked = {"tickets": self.tickets[-MAX_TICKETS:], "mine": False, "since": 0}
        asked.update(dict.fromkeys(("with", "game", "code", "before")))
        asked.update({word.rstrip("_"): value for word, value in wish.items()})
        found: list[Any] = []
        while len(found) < most:
            self._ask("Hall", {"Games": asked})
            part = self._answer("Games")
            found, asked["before"] = found + part["games"], part["rest"]
            if part["rest"] is None:
                break
        return found[:most]

    def record(self, lobby: int, game: int) -> str:
        """The text of a game's record, by the two numbers of its name."""
        text, part, parts = "", 0, 1
        while part < parts:
            wish = {"name": {"lobby": lobby, "game": game}, "tickets": self.tickets[-MAX_TICKETS:], "part": part}
            self._ask("Hall", {"Record": wish})
            answer = self._answer("Record")
            text, part, parts = text + answer["text"], part + 1, answer["parts"]
        return text

    # --- Requests in a lobby. Each is followed by an event, or refused. ---

    def play(self, *move: int) -> None:
        """Makes a move: in Nim the pile, counted from 0, and how many to take. ``Moved`` follows."""
        lobby = self._here()
        self._ask("Lobby", {"Play": {"turn": lobby.turn, "mv": lobby.position.write_move(move)}})

    def resign(self) -> None:
        """``Ended`` follows."""
        self._ask("Lobby", "Resign")

    def again(self) -> None:
        """Asks for another game. ``AgainWanted`` follows, and ``Started`` once both players asked."""
        self._ask("Lobby", "Again")

    def hint(self) -> Any:
        """A best move: its ``turn``, its ``mv``, and ``words`` that say why."""
        return self._ask_and_wait("Hint", "Hint")

    def review(self, number: int) -> Any:
        """What move ``number`` of the finished game was worth, from 1: ``before``, ``after`` and ``words``."""
        return self._ask_and_wait({"Review": {"number": number}}, "Reviewed")

    def wait(self) -> None:
        """Waits for the opponent, who is away, instead of what was agreed. ``WaitedFor`` follows."""
        self._ask("Lobby", "Wait")

    def wait_no_more(self) -> None:
        """Cancels ``wait``. ``WaitedNoMore`` follows."""
        self._ask("Lobby", "WaitNoMore")

    def claim(self) -> None:
        """Claims the game, because the opponent was away for too long. ``Ended`` follows."""
        self._ask("Lobby", "Claim")

    def offer(self, what: str) -> None:
        """Offers ``"draw"``, ``"takeback"`` or ``"pause"``. ``Offered`` follows."""
        self._ask("Lobby", {"Offer": what})

    def answer(self, accept: bool) -> None:
        """Accepts or declines an offer. ``Ended``, ``TakenBack``, ``Paused`` or ``Declined`` follows."""
        lobby = self._here()
        if not lobby.asked_for:
            raise NimError("there is no offer to answer")
        self._ask("Lobby", {"Answer": {"turn": lobby.turn, "offer": lobby.asked_for, "accept": accept}})

    def go_on(self) -> None:
        """Resumes a paused game. ``Resumed`` follows."""
        self._ask("Lobby", "Resume")

    def say(self, words: str) -> None:
        """Says a line of at most 200 bytes to the same room. ``Said`` follows."""
        self._ask("Lobby", {"Say": {"words": words}})

    def kick(self, name: str) -> None:
        """Kicks a watcher, whose address may not watch here any more. ``Kicked`` follows."""
        self._ask("Lobby", {"Kick": {"name": name}})

    def leave(self) -> None:
        """Returns to the hall, for good: the ticket is void."""
        self._ask("Lobby", "Leave")
        self._answer("Outside")

    def play_game(
        self, choose: Callable[[Any], Move], agree: Callable[[str], bool] = lambda offer: offer != "draw"
    ) -> Any:
        """Waits for the next game, plays it to its end, and returns its result.

        On this client's turn, ``choose`` is given the position and returns one of its moves. Raises NimError if
        that is not a move of this game, and Refused if the rules do not allow it. ``agree`` is given what the
        opponent offers, ``"draw"``, ``"takeback"`` or ``"pause"``, and returns whether to accept it.
        """
        lobby = self._here()
        done: set[Any] = set()  # what was answered already
        finished = lobby.games - lobby.playing
        for name, _ in self:
            if name == "Ended" or (name == "Entered" and lobby.games - lobby.playing > finished):
                return lobby.result
            offer = (lobby.turn, lobby.asked_for)
            if lobby.asked_for and offer not in done:
                done.add(offer)
                self.answer(bool(agree(lobby.asked_for)))
            if lobby.my_turn and lobby.turn not in done:
                done.add(lobby.turn)
                self.play(*checked(choose(lobby.position), lobby.position))

    # --- What the server tells. ---

    def _here(self) -> Lobby:
        if not self.lobby:
            raise NimError("this client is in no lobby")
        return self.lobby

    def _ask(self, place: str, request: Any) -> None:
        self._last_id = (self._last_id + 1) % 2**32
        if place == "Lobby":
            self._sent.append((self._last_id, request, self._state()))
        self.connection.send({place: {"id": self._last_id, "request": request}})

    def _state(self) -> Any:
        """What decides whether a request comes too late."""
        lobby = self.lobby
        return lobby and (lobby.games, lobby.turn, lobby.phase, lobby.paused, lobby.offer)

    def _ask_and_wait(self, request: Any, answer: str) -> Any:
        self._ask("Lobby", request)
        try:
            return self._answer(answer)
        finally:
            self._sent.clear()

    def _answer(self, *wanted: str) -> Any:
        return self._until(self._next, *wanted)

    def _until(self, hear: Callable[[], tuple[str, Any]], *wanted: str) -> Any:
        """The content of the next message of these names. What comes before it is kept for the iteration."""
        while True:
            name, fields = hear()
            if name in wanted:
                return fields
            self._kept.append((name, fields))

    def _next(self) -> tuple[str, Any]:
        """The next thing that the server tells, over this connection or another one."""
        while not self._missed:
            try:
                return self._hear()
            except Lost as loss:
                if not self.lobby or not self._patience.give_up:
                    raise
                self._come_back(loss)
        return self._missed.popleft()

    def _hear(self) -> tuple[str, Any]:
        """The next thing that the server tells over this connection, taken note of."""
        while True:
            name, fields = split(self.connection.receive())
            if name == "Ping":
                self.connection.send({"Pong": fields})
            elif name == "Refused":
                self._note_refusal(**fields)
            elif name in ("Unwelcome", "Goodbye"):
                reason = split(fields)[0]
                for_good = reason not in TRY_AGAIN if name == "Unwelcome" else reason in DO_NOT_RETURN
                why = FAREWELLS.get(reason) or words(fields)
                if reason in ("LobbyClosed", "NoDiskSpace"):
                    self._give_up_seat()
                raise (Closed if for_good else Lost)(f"the server ends the connection: {why}")
            elif name == "LobbyMoved":
                # Others ask for their seat over the same connection. This client does what it does after any loss.
                raise Lost("the game goes on in another server")
            elif name == "Hall":
                return split(fields)
            elif name == "Said":
                new = self.lobby.hear(fields) if self.lobby else []
                if new:
                    return name, new
            elif name == "Lobby":
                return self._note_event(**fields)
            elif name == "Notice":
                return self._note_notice(**fields)
            elif name not in ("Pong", "Servers", "LobbyAt"):  # this client knows one address
                self._note(name, fields)
                return name, fields

    def _note_refusal(self, id: int, turn: int, refusal: Any) -> None:
        """Raises the refusal, unless the request came too late because others were quicker."""
        refused = Refused(id, turn, refusal)
        states = [state for sent_id, request, state in self._sent if sent_id == id and request != "Hint"]
        if refused.name not in TOO_LATE or not states or states[0] == self._state():
            raise refused

    def _note_event(self, number: int, at: int, event: Any) -> tuple[str, Any]:
        if not self.lobby:
            raise Malformed("the server told of a lobby that this client is not in")
        self.lobby.apply(event, at, number)
        self._time = (at, self._patience.clock())
        return split(event)

    def _note_notice(self, at: int, notice: Any) -> tuple[str, Any]:
        if not self.lobby:
            raise Malformed("the server told of a lobby that this client is not in")
        self.lobby.note(notice, at)
        self._time = (at, self._patience.clock())
        return split(notice)

    def _note(self, name: str, fields: Any) -> None:
        if name in ("Entered", "Watching", "Returned", "Halted"):
            self._time = (fields["now"], self._patience.clock())
        if name in ("Entered", "Watching"):
            you, snapshot = fields.get("you"), fields["lobby"]
            if self.lobby and self.lobby.code == snapshot["code"]:
                self.lobby.enter(you, snapshot)
            else:
                self.lobby = Lobby(you, snapshot)
        if self.lobby and name == "Returned":
            self.lobby.attend(fields["attendance"])
        if name == "Halted" and fields["why"]:
            self._notify(f"the server cannot record what happens: {words(fields['why'])}; waiting until it can")
        if self.lobby and name in ("Halted", "Entered", "Watching", "Returned"):
            self.lobby.halted = fields.get("why")
        if name == "HostSaid":
            self._notify(f"the host says: {printable(fields['words'])}")
        if name == "Outside":
            self._give_up_seat()

    # --- Seats, and how to return to them. ---

    def _enter(self, kind: str, wish: dict[str, Any]) -> Lobby:
        """Asks for a seat by a new ticket, or to watch; once more if the answer is lost."""
        ticket = new_ticket()
        request = {kind: wish if kind == "Watch" else {**wish, "seat": hashed(ticket)}}

        def ask() -> None:
            self._ask("Hall", request)
            try:
                self._until(self._hear, "Entered", "Watching")
            except Refused as refused:
                if refused.name != "SeatHeld":
                    raise
                # The first answer was lost.
                code = split(split(refused.reason)[1])[1]["code"]
                self._ask("Hall", {"Return": {"code": code, "ticket": ticket, "seen": 0}})
                self._until(self._hear, "Entered")

        self._persist(ask, lambda refused: refused.name not in TEMPORARY)
        lobby = self._here()
        if lobby.you:
            self.tickets.append(ticket)
            if self._ticket_file:
                seat = {"address": self._address, "name": self._asked_name, "code": lobby.code, "ticket": ticket}
                keep(self._ticket_file, seat)
        return lobby

    def _persist(
        self, ask: Callable[[], None], is_final: Callable[[Refused], bool], loss: Lost | None = None
    ) -> None:
        """Asks until it is granted, over the present connection, unless it is lost, and then over new ones.

        Raises a final refusal, and Closed when the patience is over.
        """
        error: NimError | None = None
        self._patience.begin()
        while True:
            try:
                if loss:
                    raise loss
                if error:
                    self.connection.close()
                    self.connection = self._dial(self._address)
                    self.hello()
                return ask()
            except (Lost, Refused) as another:
                if not self._patience.give_up or (isinstance(another, Refused) and is_final(another)):
                    raise
                if str(another) != str(error):
                    self._notify(f"{another}; trying again")
                error, loss = another, None
            if not self._patience.wait():
                raise Closed(f"{error}; gave up after {self._patience.give_up:.0f} seconds")

    def _come_back(self, loss: Lost) -> None:
        """Returns to the seat, or watches again, and repeats the last request. Raises what makes it impossible."""
        lobby = self._here()
        leaving = bool(self._sent) and self._sent[-1][1] == "Leave"

        def ask() -> None:
            if lobby.you:
                self._return(lobby.code, lobby.seen)
            else:
                self._ask("Hall", {"Watch": {"code": lobby.code, "password": self._password}})
                self._catch_up()

        def is_final(refused: Refused) -> bool:
            return refused.name in NO_SEAT or ((leaving or not lobby.you) and refused.name not in TEMPORARY)

        try:
            if not leaving or lobby.playing:
                self._persist(ask, is_final, loss)
        except Refused as refused:
            if not leaving:
                self._give_up_seat(void=refused.name in VOID)
                raise
        if not leaving:
            self._repeat(lobby)
        elif self._missed:
            self._ask("Lobby", "Leave")
        else:
            # There is no seat any more, or nobody waits for us there.
            self._give_up_seat()
            self._missed.append(("Outside", {}))

    def _return(self, code: str, seen: int) -> None:
        """Returns to the seat over this connection."""
        self._ask("Hall", {"Return": {"code": code, "ticket": self.tickets[-1], "seen": seen}})
        self._catch_up()

    def _catch_up(self) -> None:
        """Hears what was missed, up to the answer to the request."""
        name = ""
        while name not in ("Entered", "Returned", "Watching"):
            self._missed.append(self._hear())
            name = self._missed[-1][0]

    def _repeat(self, lobby: Lobby) -> None:
        """Repeats the last request, if it may not have arrived and still makes sense."""
        if not self._sent:
            return
        request = self._sent[-1][1]
        name, fields = split(request)
        waits = name in ("Hint", "Review")
        plays = name == "Play" and lobby.my_turn and fields["turn"] == lobby.turn
        answers = name == "Answer" and (fields["turn"], fields["offer"]) == (lobby.turn, lobby.asked_for)
        if waits or plays or answers:
            self._ask("Lobby", request)

    def _give_up_seat(self, void: bool = True) -> None:
        """Is in the hall from now on. The ticket is of no use any more, or of some use to another program."""
        if void and self._ticket_file and self.tickets:
            forget(self._ticket_file, self.tickets[-1])
        self.lobby = None
        self._sent.clear()


def new_lobby(
    variant: str,
    starts: str = "variant",
    bot: str = "when_nobody_comes",
    hints: str = "against_bots",
    level: str = "perfect",
    when_away: str = "stand_in",
    stand_in_level: str | None = None,
    away_after: float = 10.0,
    clock: Any = "None",
    best_of: int = 0,
    watched: bool = True,
    listed: bool = True,
    password: str | None = None,
    origin: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A NewLobby of the page. ``away_after`` is in seconds, a clock in milliseconds, as on the page:
    ``{"Fischer": {"base": 300000, "bonus": 3000}}``.
    """
    return {
        "variant": variant, "starts": starts, "bot": bot, "hints": hints, "level": level,
        "away": {"then": when_away, "level": stand_in_level, "after": round(away_after * 1000)},
        "clock": clock, "best_of": best_of, "watched": watched, "listed": listed, "password": password, "origin": origin,
    }  # fmt: skip


def checked(move: Any, position: Position) -> Move:
    """What ``choose`` returned, if it is a move of this game, legal or not. Raises NimError if it is not."""
    names = position.NUMBERS or ("number",)
    numbers = isinstance(move, (tuple, list)) and all(type(number) is int for number in move)
    if numbers and len(move) == len(names):
        return tuple(move)
    form = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
    example = next(position.moves())
    raise NimError(f"choose returned {move!r}: a move here is {form}, whole numbers, such as {example}")


def printable(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text)


def words(reason: Any) -> str:
    """A reason as words: ``{"Lobby": {"NoSuchMove": {"count": 3}}}`` is "lobby: no such move (count: 3)"."""
    name, inner = split(reason)
    if re.fullmatch("([A-Z][a-z]+)+", name):
        name = re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower()
    name = printable(name)
    if isinstance(inner, str) or any(key[0].isupper() for key in inner):
        return f"{name}: {words(inner)}"
    fields = [f"{key}: {words(str(shown(value)))}" for key, value in inner.items()]
    return f"{name} ({', '.join(fields)})" if fields else name


def shown(value: Any) -> Any:
    """A field of a reason; a list of bytes is a number."""
    return int.from_bytes(bytes(value), "little") if isinstance(value, list) else value
