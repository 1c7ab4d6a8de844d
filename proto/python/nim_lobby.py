"""The client's copy of a lobby: what the server told, and what its events make of it."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any, NamedTuple

from nim_games import SIDES, Move, Position, other, read_position, start_of
from nim_wire import Malformed, split

MAX_MOVES = 20_000  # the last one ends the game as a draw
MAX_PAST = 1000  # the most moves of a game that are known
RESTART_GRACE = 30_000  # milliseconds of a turn that are free after a restart of the server
OFFERS = ("draw", "takeback", "pause")
# With these a turn begins, or something else instead of one.
BEGINNINGS = ("Started", "Moved", "Ended", "Left", "Sat", "TakenBack", "Resumed", "Restarted")


class Past(NamedTuple):
    """A move that was made."""

    move: Move
    side: str  # whose turn it was
    hand: str  # "own", or "stand_in" if the stand-in bot made it


class Clocks:
    """What each side has left, in milliseconds. The caller knows whose clock runs."""

    def __init__(self, rule: Any, told: Any = None) -> None:
        self.rule, self._numbers = split(rule)
        self.start()
        if told:
            self.left, self.free, self.since = dict(told["left"]), told["free"], told["since"]
            self.stopped = told["stopped"]

    def start(self) -> None:
        """A game starts."""
        base = {"None": 0, "Move": self._numbers}.get(self.rule)
        self.left = dict.fromkeys(SIDES, self._numbers["base"] if base is None else base)
        self.since: int | None = None  # since when a clock runs
        self.stopped = False  # whether it stands still because nobody is present
        self.begin_turn()

    def begin_turn(self) -> None:
        if self.rule == "Move":
            self.left = dict.fromkeys(SIDES, self._numbers)
        self.free: int = self._numbers["delay"] if self.rule == "Delay" else 0

    def end_turn(self, side: str) -> None:
        """This side has made its move."""
        if self.rule == "Fischer":
            self.left[side] += self._numbers["bonus"]
        self.begin_turn()

    def look(self, side: str, at: int) -> None:
        """Subtracts what has passed from the time of the side that was to move until now."""
        passed = self._passed(at)
        self.left[side] = self.left_at(side, at)
        self.free = max(0, self.free - passed)

    def left_at(self, side: str, now: int) -> int:
        """What this side has left at this moment, if it is to move."""
        return max(0, self.left[side] - max(0, self._passed(now) - self.free))

    def _passed(self, now: int) -> int:
        return 0 if self.since is None else max(0, now - self.since)


class Lobby:
    """A lobby in which this client has a seat, or which it watches; then ``you`` is None."""

    def __init__(self, you: str | None, snapshot: dict[str, Any]) -> None:
        self.chat: deque[dict[str, Any]] = deque(maxlen=32)  # the last lines
        self.result: Any = None  # how the last game ended
        self.halted: str | None = None  # why nothing can happen now: the server cannot record it
        self.enter(you, snapshot)

    def enter(self, you: str | None, snapshot: dict[str, Any]) -> None:
        """Makes this the lobby of the snapshot. Raises Malformed if there is no such position."""
        self.you: str | None = you
        self.code: str = snapshot["code"]
        self.variant: str = snapshot["variant"]
        self.conditions: dict[str, Any] = snapshot["conditions"]
        self.origin: dict[str, Any] | None = snapshot["origin"]  # where games begin, if in another position
        self.seats: dict[str, Any] = dict(snapshot["seats"])
        self.gone: dict[str, Any] = dict(snapshot["gone"])  # who played the last game and has left since
        self.stand_ins: dict[str, bool] = dict(snapshot["stand_ins"])  # for whom the bot plays
        self.phase, over = split(snapshot["phase"])
        self.again: dict[str, bool] = dict(over["again"]) if over else dict.fromkeys(SIDES, False)
        self.result = over["result"] if over else self.result
        self._began: int = snapshot["began"]
        self.games: int = snapshot["games"]  # started so far
        self.moves: int = snapshot["moves"]  # of this game, those taken back included
        self.turn: int = snapshot["turn"]
        self.seen: int = snapshot["events"]  # the number of the last event
        self.clocks = Clocks(self.conditions["clock"], snapshot["clocks"])
        self.offer: dict[str, str] | None = snapshot["offers"]["open"]  # by which side, and what
        made = snapshot["offers"]["made"]
        self.offered = {side: {what for bit, what in enumerate(OFFERS) if made[side] >> bit & 1} for side in SIDES}
        self.paused: bool = snapshot["paused"]
        self.score: dict[str, int] = {**snapshot["score"]["won"], "Draw": snapshot["score"]["drawn"]}
        self.attend(snapshot["attendance"])
        self._begin(read_position(self.variant, snapshot["base"]))
        for past in snapshot["past"]:
            self._play(past["mv"], past["hand"])

    def attend(self, attendance: dict[str, Any]) -> None:
        """These are present now."""
        self.absences: dict[str, Any] = dict(attendance["absences"])
        self.watchers: int = attendance["watchers"]
        self.attended: int = attendance["since"]  # when somebody last came to nobody, or two bots lost their watchers

    @property
    def began(self) -> int:
        """When this turn began, or whatever there is instead of a turn."""
        return max(self._began, self.attended)

    @property
    def playing(self) -> bool:
        return self.phase == "Playing"

    @property
    def to_move(self) -> str | None:
        """The side that is to move, if one is."""
        drawn = self._times[self.position] >= 3 or self.moves >= MAX_MOVES
        decided = drawn or self.position.result() is not None
        return self.position.turn if self.playing and not decided else None

    @property
    def my_turn(self) -> bool:
        return self.you is not None and self.to_move == self.you and not self.paused

    @property
    def asked_for(self) -> str | None:
        """What the other player offers, if it is to be answered."""
        return self.offer["offer"] if self.offer and self.you and self.offer["side"] != self.you else None

    @property
    def opponent(self) -> str | None:
        """The name on the other side, now or in the last game, with a mark for a bot or a program."""
        player = (self.seats[other(self.you)] or self.gone[other(self.you)]) if self.you else None
        if not player:
            return None
        mark = {"bot": f" [bot, {self.conditions['level']}]", "program": " [program]"}
        return player["name"] + mark.get(player["kind"], "")

    @property
    def waits_for(self) -> str:
        """Whom the lobby waits for while a seat is free, in words."""
        rule = self.conditions["bot"]
        if rule == "PeopleOnly":
            return "a person"
        if isinstance(rule, dict):
            return f"another player, and after {rule['After'] / 1000:g} s for the server's bot"
        return "another player"

    @property
    def won(self) -> bool:
        """Whether the last game was won."""
        return self.result is not None and self.result["outcome"] == {"Win": self.you}

    @property
    def drawn(self) -> bool:
        return self.result is not None and self.result["outcome"] == "Draw"

    @property
    def decision(self) -> str | None:
        """How the match ended: ``"first"``, ``"second"`` or ``"Draw"``; None if it has not, or is none."""
        best_of, drawn = self.conditions["best_of"], self.score["Draw"]
        won = [side for side in SIDES if 2 * self.score[side] + drawn > best_of]
        if not best_of:
            return None
        return won[0] if won else "Draw" if sum(self.score.values()) >= best_of else None

    def clock_left(self, side: str, now: int) -> int | None:
        """The milliseconds that this side has left at this moment of the lobby; None without clocks."""
        if self.clocks.rule == "None":
            return None
        return self.clocks.left_at(side, now) if side == self.to_move else self.clocks.left[side]

    @property
    def runs_out(self) -> int | None:
        """When a stand-in comes for an absent player, or the game can be claimed; None if neither happens."""
        rule, side = self.conditions["away"], self.to_move
        absence = self.absences[side] if side else None
        if not absence or absence["waited"] or self.stand_ins[side] or rule["then"] == "wait":
            return None
        if self.paused or not self._is_here(other(side)):
            return None
        return max(absence["since"], self.began) + rule[f"{absence['loss']}_after"]

    def _is_client(self, side: str) -> bool:
        return self.seats[side] is not None and self.seats[side]["kind"] in ("person", "program")

    def _is_here(self, side: str) -> bool:
        """Whether a person or a program sits on this side and is not away."""
        return self._is_client(side) and not self.absences[side]

    @property
    def _deserted(self) -> bool:
        """Whether people or programs sit here, and all of them are away."""
        return any(map(self._is_client, SIDES)) and not any(map(self._is_here, SIDES))

    @property
    def _unwatched(self) -> bool:
        """Whether two bots sit here and nobody watches, so that everything stands still."""
        return all(self.seats.values()) and not any(map(self._is_client, SIDES)) and self.watchers == 0

    @property
    def _clock_runs(self) -> bool:
        stands = self.clocks.stopped or self.paused or self.to_move is None
        return self.clocks.rule != "None" and not stands

    def apply(self, event: Any, at: int, number: int) -> None:
        """Applies an event. Raises Malformed for one that cannot have happened."""
        name, fields = split(event)
        self._at = at
        phase = self.phase
        left, free, since, turn = dict(self.clocks.left), self.clocks.free, self.clocks.since, self.turn
        self.clocks.look(self.position.turn, at)
        getattr(self, f"_{name}")(**fields)
        waits_anew = self.phase == "Waiting" and phase != "Waiting"
        if name in BEGINNINGS or waits_anew:
            self._began = max(self._began, at)
        if self._clock_runs and self.turn == turn and since is not None:
            self.clocks.left, self.clocks.free = left, free  # the same clock runs on
        else:
            self.clocks.since = at if self._clock_runs else None
        self.seen = number

    def note(self, notice: Any, at: int) -> None:
        """Applies a notice, which changes only who is present."""
        name, fields = split(notice)
        deserted, unwatched = self._deserted, self._unwatched
        getattr(self, f"_{name}")(**fields)
        if (deserted and not self._deserted) or self._unwatched != unwatched:
            self.attended = max(self.attended, at)

    def hear(self, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Adds lines to the chat, and returns those that are new."""
        new = [line for line in lines if line not in self.chat]
        self.chat.extend(new)
        return new

    # --- What each event does. ---

    def _Sat(self, side: str, player: Any) -> None:
        self.seats[side], self.gone[side] = player, None
        self.score = dict.fromkeys(self.score, 0)

    def _Left(self, side: str, how: str) -> None:
        self.gone[side] = self.seats[side] if self.games else None
        self.seats[side] = self.absences[side] = None
        self.again[side] = False
        if self.again[other(side)]:
            self.phase = "Waiting"

    def _Started(self, game: int, swap: bool) -> None:
        if self.decision:
            self.score = dict.fromkeys(self.score, 0)
        if swap:
            for sides in (self.seats, self.absences, self.score):
                sides["first"], sides["second"] = sides["second"], sides["first"]
            self.you = other(self.you) if self.you else None
        self._begin(self._start)
        self.clocks.start()
        self._cancel_offers()
        self.games, self.moves, self.phase = game, 0, "Playing"

    def _Moved(self, turn: int, player: int, mv: Any, hand: str) -> None:
        mover = self.position.turn
        self._play(mv, hand)
        self.clocks.end_turn(mover)
        self.turn, self.moves = turn + 1, self.moves + 1
        self._cancel_offers()

    def _TakenBack(self, moves: int) -> None:
        if not 1 <= moves < len(self._boards):
            raise Malformed("the server told that more was taken back than was played")
        for _ in range(moves):
            self.past.pop()
            taken = self._boards.pop()
            if taken.REPEATS:
                self._times[taken] -= 1
        self.position = self._boards[-1]
        self.clocks.begin_turn()
        self.turn += 1
        self._cancel_offers()

    def _Ended(self, result: Any) -> None:
        self.result, self.phase, self.again = result, "Over", dict.fromkeys(SIDES, False)
        outcome, winner = split(result["outcome"])
        self.score[winner or outcome] += 1
        self.paused = self.clocks.stopped = False
        self._cancel_offers()
        self._stop_waiting()

    def _AgainWanted(self, side: str) -> None:
        self.again[side] = True
        if not self.seats[other(side)]:
            self.phase = "Waiting"

    def _Closed(self) -> None:
        self.phase = "Closed"

    def _Offered(self, side: str, offer: str) -> None:
        self.offer = {"side": side, "offer": offer}
        self.offered[side].add(offer)

    def _Declined(self, side: str) -> None:
        self.offer = None

    def _Paused(self) -> None:
        self.paused, self.offer = True, None

    def _Resumed(self, side: str) -> None:
        self.paused = False

    def _StoodIn(self, side: str) -> None:
        self.stand_ins[side] = True

    def _PlaysAgain(self, side: str) -> None:
        self.stand_ins[side] = False

    def _ClockStopped(self) -> None:
        self.clocks.stopped = True

    def _ClockStarted(self) -> None:
        self.clocks.stopped = False

    def _Restarted(self) -> None:
        for side in SIDES:
            self.absences[side] = None
            if self._is_client(side):
                self._Away(side, self._at, "closed")
        self.watchers = 0
        self.stand_ins = dict.fromkeys(SIDES, False)
        self.clocks.stopped = self.clocks.rule != "None" and self.playing
        self.clocks.free = max(self.clocks.free, RESTART_GRACE)

    def _Placed(self, origin: dict[str, Any]) -> None:
        self.origin = origin
        self._begin(self._start)

    # --- What each notice does. ---

    def _Away(self, side: str, since: int, loss: str) -> None:
        waited = (self.absences[side] or {"waited": False})["waited"]
        self.absences[side] = {"since": since, "loss": loss, "waited": waited}

    def _Back(self, side: str) -> None:
        self.absences[side] = None

    def _WaitedFor(self, side: str) -> None:
        self._wait(side, True)

    def _WaitedNoMore(self, side: str) -> None:
        self._wait(side, False)

    def _wait(self, side: str, waited: bool) -> None:
        if self.absences[side]:
            self.absences[side] = {**self.absences[side], "waited": waited}

    def _Watched(self, name: str) -> None:
        self.watchers += 1

    def _Unwatched(self, name: str) -> None:
        self.watchers -= 1

    def _Kicked(self, name: str) -> None:
        self.watchers -= 1

    # --- What several of them share. ---

    def _cancel_offers(self) -> None:
        self.offer, self.offered = None, {side: set() for side in SIDES}

    def _stop_waiting(self) -> None:
        """The game is over: nobody waits for anybody, and no bot stands in."""
        self.stand_ins = dict.fromkeys(SIDES, False)
        self.absences = {side: it and {**it, "waited": False} for side, it in self.absences.items()}

    @property
    def _start(self) -> Any:
        """The position in which every game begins."""
        return read_position(self.variant, self.origin["position"]) if self.origin else start_of(self.variant)

    def _begin(self, position: Any) -> None:
        """The game is known from this position on."""
        self.past: deque[Past] = deque(maxlen=MAX_PAST)  # the moves since then, the oldest first
        self._boards: deque[Any] = deque(maxlen=MAX_PAST + 1)  # all positions that moves can be taken back to
        self._times: Counter[Position] = Counter()  # how often each position came up, if they can repeat
        self._show(position)

    def _play(self, mv: Any, hand: str) -> None:
        side = self.position.turn
        try:
            move = self.position.read_move(mv)
            self._show(self.position.play(*move))
        except ValueError as error:
            raise Malformed(f"the server told of an impossible move: {error}") from None
        self.past.append(Past(move, side, hand))

    def _show(self, position: Any) -> None:
        self.position = position
        self._boards.append(position)
        if position.REPEATS:
            self._times[position] += 1
