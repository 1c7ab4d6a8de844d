"""A client for nim's game server, in Python's standard library alone, written from proto/PROTOCOL.md.

It makes requests, tells what happens, and comes back by itself when its connection breaks. README.md shows how to write
a bot with it in five minutes; nim_lobby.py is what it knows of its lobby, nim_games.py has the games, nim_link.py the
connection, nim_asking.py, nim_request.py and nim_records.py what one may ask, nim_return.py what it takes to come back, nim_wire.py the
messages' bytes.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Callable

from nim_asking import Asking, checked
from nim_games import Move, Position
from nim_link import PORT, Closed, Link, Lost, split_address
from nim_lobby import Lobby
from nim_records import MAX_TICKETS, Reading
from nim_request import Asked, Refused, farewell, held_seat, is_of_this_record, new_lobby, passes, voids_ticket, words
from nim_return import Patience, forget, hashed, keep, new_ticket, recall
from nim_values import Malformed, NimError, split

__all__ = [
    "PORT", "Client", "Closed", "Link", "Lobby", "Lost", "Malformed", "Move", "NimError", "Patience", "Position", "Refused",
    "split_address", "words",
]  # fmt: skip

VERSION = 1
FINAL = ("Elsewhere", "FrameTooLong", "Malformed")  # farewells after which it would be wrong to come back
LATER = ("Full", "Crowded", "Stopping")  # what may be otherwise the next time that one says hello
CAUGHT_UP = 1  # the number of the ping whose pong comes after all that was missed


class Client(Asking, Reading):
    """A connection to a server. ``with Client.connect("localhost", "anna") as client: …``

    Iterating yields what the server tells, as pairs: ``("Moved", {"turn": 1, …})``, ``("Ended", {…})``. By the time
    that you see an event, ``client.lobby`` has it in it. Refusals and the end of the connection are exceptions.

    Who has a seat does not lose it with the connection: the client comes back by itself, says so to ``notify``, takes in
    what it missed after ``("Returned", {…})`` or ``("Entered", {…})``, and gives up only when ``patience`` is over. With a
    ``ticket_file`` even another program can come back, by ``Client.resume``.
    """

    def __init__(
        self,
        link: Link,
        name: str = "",
        address: str = "",
        *,
        dial: Callable[[str], Link] = Link.connect,
        patience: Patience | None = None,
        notify: Callable[[str], None] = lambda said: None,
        ticket_file: str | None = None,
    ) -> None:
        self.link = link
        self.lobby: Lobby | None = None
        self.name = name
        self._asked_name, self._address = name, address
        self._dial, self._patience, self._notify = dial, patience or Patience(), notify
        self._ticket: list[int] = []
        self._new_ticket: list[int] = []  # of a seat that is asked for
        self.tickets: list[list[int]] = []  # of all seats that this client had, the newest last, for records
        self._password: str | None = None  # of the lobby that is watched
        self._ticket_file = ticket_file
        self._time = (0, 0.0)  # a moment of the lobby, and our clock at that moment
        self._last_id = 0
        self._asked: Asked | None = None
        self._late: int | None = None  # the id of a move that was overtaken
        self._muted: set[str] = set()  # whose lines are not told
        self._kept: deque[Any] = deque()  # what came while an answer was waited for
        self._missed: deque[Any] = deque()  # what was told after a return, and taken note of

    @classmethod
    def connect(cls, address: str, name: str, **options: Any) -> Client:
        """Connects and says hello. The address is HOST, HOST:PORT, or [IPV6]:PORT."""
        client = cls(options.get("dial", Link.connect)(address), name, address, **options)
        try:
            client.hello()
        except BaseException:
            client.close()
            raise
        return client

    @classmethod
    def resume(cls, ticket_file: str, **options: Any) -> Client:
        """Comes back to the seat whose ticket is kept in this file; ``client.lobby`` is then the lobby as it is."""
        seat = recall(ticket_file)
        client = cls.connect(seat["address"], seat["name"], ticket_file=ticket_file, **options)
        try:
            client._take_up(seat)
        except BaseException:
            client.close()
            raise
        return client

    def hello(self) -> None:
        """Says hello; ``self.name`` is then what the client is called here."""
        version = [VERSION & 255, VERSION >> 8]
        self.link.send({"Hello": {"magic": [*b"nim"], "version": version, "name": self._asked_name}})
        welcome = self._answer("Welcome", hear=self._hear)
        self.name = welcome["name"]
        self.link.agree(welcome["ping_after"], welcome["gone_after"])

    def look(self) -> list[Any]:
        """The lobbies there are; changes are told from now on."""
        self._ask("Hall", "Look")
        listed: list[Any] = []
        complete = False
        while not complete:
            part = self._answer("Lobbies")
            listed, complete = listed + part["listed"], part["complete"]
        return listed

    def quick(self, variant: str, **wishes: Any) -> Lobby:
        """Sits down in an open lobby of this variant, or opens one. For the wishes see ``new_lobby``."""
        return self._enter("Quick", new_lobby(variant, **wishes))

    def create(self, variant: str, **wishes: Any) -> Lobby:
        """Opens a lobby and sits down in it; with ``bot="both"``, watches it."""
        return self._enter("Create", new_lobby(variant, **wishes))

    def join(self, code: str, password: str | None = None) -> Lobby:
        """Sits down in the lobby with this code."""
        return self._enter("Join", {"code": code, "password": password})

    def watch(self, code: str, password: str | None = None) -> Lobby:
        """Watches in the lobby with this code, without a seat."""
        return self._enter("Watch", {"code": code, "password": password})

    def now(self) -> int:
        """The lobby's time: the milliseconds since it was opened."""
        moment, then = self._time
        return moment + int((self._patience.clock() - then) * 1000)

    def play_game(self, choose: Callable[[Any], Move], agree: Callable[[str], bool] = lambda offer: offer != "draw") -> Any:
        """Waits for the next game, plays it to its end, and returns its result.

        Whenever it is this client's turn, ``choose`` is given the position and answers with one of its moves. Raises
        NimError if the answer is no move of this game, and Refused if the rules do not allow it. ``agree`` is given
        what the other player offers, ``"draw"``, ``"takeback"`` or ``"pause"``, and says whether that is accepted.
        """
        ended = self.lobby.ended if self.lobby else 0
        for name, fields in self:
            if name == "Ended":
                return fields["result"]
            if name == "Entered" and self.lobby and self.lobby.ended > ended and self.lobby.result:
                return self.lobby.result
            if self.lobby and self.lobby.asked_for and not self._is_answering:
                self.answer(bool(agree(self.lobby.asked_for)))
            if self.lobby and self.lobby.my_turn and not self._asked:
                self.play(*checked(choose(self.lobby.position), self.lobby.position))

    @property
    def _is_answering(self) -> bool:
        return self._asked is not None and self._asked.name == "Answer"

    def close(self) -> None:
        """Ends the connection. A seat is kept for a while; to give it up, leave first."""
        self.link.close()

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
        if place == "Lobby" and self.lobby:
            self._asked = Asked(self._last_id, request, self.lobby.games, self.lobby.turn)
        self.link.send({place: {"id": self._last_id, "request": request}})

    def _enter(self, kind: str, wish: dict[str, Any]) -> Lobby:
        """Asks for a seat by a new ticket, or to watch. The request is repeated if the connection breaks before its answer."""
        self._password, self._new_ticket = wish["password"], new_ticket()
        request = {kind: wish if kind == "Watch" else {**wish, "seat": hashed(self._new_ticket)}}
        try:
            self._ask_to_enter(request)
        except Lost as loss:
            if not self._patience.give_up:
                raise
            self._notify(f"{loss}; asking again")
            self._try_on(loss, lambda: self._ask_to_enter(request), lambda refused: not passes(refused))
        assert self.lobby
        return self.lobby

    def _ask_to_enter(self, request: Any) -> None:
        self._ask("Hall", request)
        try:
            self._answer("Entered", "Watching")
        except Refused as refused:
            code = held_seat(refused)
            if not code:
                raise
            self._ask("Hall", {"Return": {"code": code, "ticket": self._new_ticket, "seen": 0}})
            self._answer("Entered")

    def _answer(self, *wanted: str, hear: Callable[[], tuple[str, Any]] | None = None) -> Any:
        """What stands in the next message of one of these names. Whatever comes before it is kept for the iteration."""
        while True:
            name, fields = (hear or self._next)()
            if name in wanted:
                return fields
            self._kept.append((name, fields))

    def _next(self) -> tuple[str, Any]:
        """The next thing that the server tells, over this connection or another one."""
        while True:
            if self._missed:
                return self._missed.popleft()
            try:
                name, fields = self._hear()
            except Lost as loss:
                if not self.lobby or not self._patience.give_up:
                    raise
                if self._asked and self._asked.name == "Leave" and not self.lobby.playing:
                    self._shut_out(loss)  # nobody waits for us there: it is not worth coming back in order to leave
                else:
                    self._come_back(loss)
            else:
                if name != "Pong":
                    return name, fields

    def _hear(self) -> tuple[str, Any]:
        """The next thing that the server tells over this connection, taken note of."""
        while True:
            name, fields = split(self.link.message())
            if name == "Ping":
                self.link.send({"Pong": fields})
            elif name == "Refused":
                self._refused(fields)
            elif name in ("Unwelcome", "Goodbye"):
                goes = name == "Goodbye"
                final = split(fields)[0] in FINAL if goes else split(fields)[0] not in LATER
                why = farewell(fields) if goes else words(fields)
                raise (Closed if final else Lost)(f"the server ends the connection: {why}")
            elif name == "Hall":
                return split(fields)
            elif name == "Said":
                new = self.lobby.hear(fields) if self.lobby else []
                new = [line for line in new if line["name"] not in self._muted]
                if new:
                    return self._note(name, new)
            else:
                return self._note(*split(self._event(**fields))) if name == "Lobby" else self._note(name, fields)

    def _refused(self, fields: Any) -> None:
        """Raises the refusal, unless it is the expected one of a move that came too late."""
        if fields["id"] == self._late:
            self._late = None
            return
        if self._asked and self._asked.id == fields["id"]:
            self._asked = None
        raise Refused(fields["id"], fields["turn"], fields["refusal"])

    def _event(self, number: int, at: int, event: Any) -> Any:
        if not self.lobby:
            raise Malformed("the server told of a lobby that this client is not in")
        self.lobby.apply(event, at, number)
        # What was missed has passed; the present time follows it.
        self._time = (at, self._patience.clock())
        return event

    def _note(self, name: str, fields: Any) -> tuple[str, Any]:
        """Takes note of a message or an event."""
        if name == "Halted" and not self.lobby and fields["why"]:
            self._notify(f"the host cannot record what happens: {fields['why']}; waiting until it can")
        if name == "Halted" and self.lobby:
            self.lobby.halted, self._time = fields["why"], (fields["now"], self._patience.clock())
        elif name in ("Entered", "Returned", "Watching"):
            self._note_place(name, fields)
        elif name == "Outside":
            self._give_seat_up()
        if self._asked and self._asked.is_overtaken(name, fields):
            self._late, self._asked = self._asked.id, None
        elif self._asked and self._asked.is_answered(name, fields, self.lobby):
            self._asked = None
        return name, fields

    def _note_place(self, name: str, fields: Any) -> None:
        """Keeps the ticket of a new seat before anything else, then the lobby as it is now, if that is told."""
        code = fields["lobby"]["code"] if "lobby" in fields else self.lobby.code if self.lobby else ""
        if name == "Entered" and self._new_ticket:
            self._keep_ticket(code)
        elif name == "Watching":
            self._ticket = []
        self._time = (fields["now"], self._patience.clock())
        if self.lobby:
            self.lobby.halted = None
        # Without a ticket nothing says that it is the same lobby, and codes are given again.
        known = self.lobby is not None and self.lobby.code == code
        if "lobby" in fields and known and (self._ticket or self.lobby.seen <= fields["lobby"]["events"]):
            self.lobby.enter(fields.get("you"), fields["lobby"])
        elif "lobby" in fields:
            self.lobby = Lobby(fields.get("you"), fields["lobby"])

    def _keep_ticket(self, code: str) -> None:
        self._ticket, self._new_ticket = self._new_ticket, []
        self.tickets = [*self.tickets, self._ticket][-MAX_TICKETS:]
        if self._ticket_file:
            seat = {"address": self._address, "name": self._asked_name, "code": code}
            keep(self._ticket_file, {**seat, "ticket": bytes(self._ticket).hex()})

    def _give_seat_up(self) -> None:
        if self._ticket_file:
            forget(self._ticket_file, self._ticket)
        self.lobby, self._ticket = None, []

    # --- Coming back. ---

    def _come_back(self, loss: Lost) -> None:
        """Takes the seat up again, or watches again, over as many connections as it takes. Raises what makes that impossible."""
        self._notify(f"{loss}; trying to come back")
        try:
            self._try_on(loss, self._ask_for_place, self._is_final)
        except Refused as refused:
            self._shut_out(refused)
        else:
            self._ask_again()

    def _take_up(self, seat: dict[str, Any]) -> None:
        """Takes up the seat of an earlier program, over as many connections as it takes while the server cannot let anybody in."""
        self._ticket = seat["ticket"]
        self.tickets.append(self._ticket)
        show = lambda: self._show_ticket(seat["code"], seen=0)
        try:
            show()
        except Refused as refused:
            if not passes(refused) or not self._patience.give_up:
                raise
            self._notify(f"{refused}; trying on, and the seat is kept")
            self._try_on(Lost(str(refused)), show, lambda refused: not passes(refused))

    def _try_on(self, loss: Lost, ask: Callable[[], None], is_final: Callable[[Refused], bool]) -> None:
        """Tries until what is asked for is granted. Raises the refusal if it is a final one, and Closed without more patience."""
        self._patience.begin()
        while self._patience.wait():
            self.link.close()
            try:
                self.link = self._dial(self._address)
                self.hello()
                return ask()
            except Lost as another:
                loss = another
            except Refused as refused:
                if is_final(refused):
                    raise
                if str(loss) != str(refused):
                    self._notify(f"{refused}; trying on, and the seat is kept")
                loss = Lost(str(refused))
        raise Closed(f"{loss}; gave up after {self._patience.give_up:.0f} seconds")

    def _ask_for_place(self) -> None:
        """Asks for the seat, or to watch again."""
        assert self.lobby
        if self.lobby.you:
            self._show_ticket(self.lobby.code, self.lobby.seen)
        else:
            self._take_in({"Watch": {"code": self.lobby.code, "password": self._password}})

    def _is_final(self, refused: Refused) -> bool:
        """Whether another try would end in the same way, or is not worth it: a seat is not given up for less."""
        leaving = self._asked is not None and self._asked.name == "Leave"
        watching = self.lobby is not None and not self.lobby.you
        return voids_ticket(refused) or is_of_this_record(refused) or ((leaving or watching) and not passes(refused))

    def _show_ticket(self, code: str, seen: int) -> None:
        """Returns to a seat over this connection, and takes in all that was missed."""
        self._take_in({"Return": {"code": code, "ticket": self._ticket, "seen": seen}})

    def _take_in(self, request: Any) -> None:
        """Asks for a place of before, and takes in all that is told of it."""
        self._late = None
        self._ask("Hall", request)
        self.link.send({"Ping": CAUGHT_UP})
        caught_up = back = False
        # While the server cannot record the return, the pong is ahead of it.
        while not (caught_up and back):
            heard = name, fields = self._hear()
            if heard == ("Pong", CAUGHT_UP):
                caught_up = True
                continue
            back = back or name in ("Entered", "Returned", "Watching")
            if name == "Halted" and fields["why"] and self.lobby:
                self._notify(f"the host cannot record what happens: {fields['why']}; waiting until it can")
            self._missed.append(heard)

    def _ask_again(self) -> None:
        """Asks once more for what was not answered, if that still makes sense."""
        asked, self._asked = self._asked, None
        assert self.lobby
        if asked and asked.still_fits(self.lobby):
            self._ask("Lobby", asked.request)
        elif asked and asked.name in ("Hint", "Review"):
            raise Refused(asked.id, self.lobby.turn, {"Lobby": "HintLate"})

    def _shut_out(self, reason: NimError) -> None:
        """There is no seat to come back to: that is an error, unless it was to be left anyway."""
        leaving = self._asked is not None and self._asked.name == "Leave"
        self._asked = None
        if is_of_this_record(reason) and not leaving:
            self.lobby, self._ticket = None, []  # what is kept of the seat is good for another copy that the host may have
        else:
            self._give_seat_up()
        if not leaving:
            raise reason
        self._missed.append(("Outside", {}))
