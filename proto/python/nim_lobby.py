"""A lobby as its players see it: what the server told, and what its events make of it. It knows no connection."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any, NamedTuple

from nim_clock import Clocks
from nim_games import SIDES, Move, Position, other, read_position, start_of
from nim_values import Malformed, split

TIMES = 3  # a position that comes up for the third time is a draw
MAX_PAST = 1000  # the most moves of a game that are known
RESTART_GRACE = 30_000  # milliseconds of a turn that are free in which the server went away
MAX_LINES = 32  # the most lines of chat that are kept
OFFERS = ("draw", "takeback", "pause")
# With these a turn begins, or something else instead of one.
BEGINNINGS = ("Started", "Moved", "Ended", "Left", "Sat", "TakenBack", "Resumed", "Restarted")


class Past(NamedTuple):
    """A move that was made."""

    move: Move
    side: str  # whose turn it was
    hand: str  # "own", or "stand_in" if the bot made it that stood in


class Lobby:
    """A lobby in which this client has a seat, or which it watches; then ``you`` is None."""

    def __init__(self, you: str | None, snapshot: dict[str, Any]) -> None:
        self.chat: deque[dict[str, Any]] = deque(maxlen=MAX_LINES)  # the last lines
        self._heard: Counter[str] = Counter()  # the number of the last line in each room
        self.result: Any = None  # how the last game ended
        self.halted: str | None = None  # why nothing can happen now: the server cannot record it
        self.enter(you, snapshot)

    def enter(self, you: str | None, snapshot: dict[str, Any]) -> None:
        """Makes this the lobby of the snapshot. Raises Malformed if there is no such position."""
        phase, fields = split(snapshot["phase"])
        self.you: str | None = you
        self.code: str = snapshot["code"]
        self.variant: str = snapshot["variant"]
        self.conditions: dict[str, Any] = snapshot["conditions"]
        self.origin: dict[str, Any] | None = snapshot["origin"]  # where games come from that began elsewhere
        self.seats: dict[str, Any] = by_side(snapshot["seats"])
        self.gone: dict[str, Any] = by_side(snapshot["gone"])  # who played the last game and has left since
        self.absences: dict[str, Any] = by_side(snapshot["absences"])
        self.phase: str = phase
        self.again: dict[str, bool] = by_side(fields["again"] if fields else {"first": False, "second": False})
        self.result = fields["result"] if fields else self.result
        self.began: int = snapshot["began"]  # when this turn began, or whatever there is instead of a turn
        self.games: int = snapshot["games"]  # started so far
        self.turn: int = snapshot["turn"]
        self.seen: int = snapshot["events"]  # the number of the last event
        self.clocks = Clocks(self.conditions["clock"], snapshot["clocks"])
        self.offer: dict[str, str] | None = snapshot["offers"]["open"]  # by which side, and what
        made = by_side(snapshot["offers"]["made"])
        self.offered = {side: {what for bit, what in enumerate(OFFERS) if made[side] >> bit & 1} for side in SIDES}
        self.paused: bool = snapshot["paused"]
        self.score: dict[str, int] = {**by_side(snapshot["score"]["won"]), "Draw": snapshot["score"]["drawn"]}
        self.watchers: int = snapshot["watchers"]
        self._begin(read_position(self.variant, snapshot["base"]))
        for past in snapshot["past"]:
            self._play(past["mv"], past["hand"])

    @property
    def start(self) -> Any:
        """The position in which every game begins."""
        return read_position(self.variant, self.origin["position"]) if self.origin else start_of(self.variant)

    @property
    def level(self) -> str:
        """How strong a bot plays here."""
        return self.conditions["level"]

    @property
    def playing(self) -> bool:
        return self.phase == "Playing"

    @property
    def ended(self) -> int:
        """How many games have ended."""
        return self.games - self.playing

    @property
    def to_move(self) -> str | None:
        """The side that is to move, if one is."""
        decided = self.position.result() is not None or self._times[self.position] >= TIMES
        return self.position.turn if self.playing and not decided else None

    @property
    def my_turn(self) -> bool:
        return self.you is not None and self.to_move == self.you and not self.paused

    @property
    def asked_for(self) -> str | None:
        """What the other player offers, if that is to be answered."""
        return self.offer["offer"] if self.offer and self.you and self.offer["side"] != self.you else None

    def may_offer(self, what: str) -> bool:
        """Whether this client may offer something now; a takeback may be refused all the same."""
        free = self.playing and not self.paused and (not self.offer or self.offer["side"] == self.you)
        return free and self.you is not None and what not in self.offered[self.you]

    @property
    def decision(self) -> str | None:
        """How the match has ended: ``"first"``, ``"second"`` or ``"Draw"``; None if it has not, or is none."""
        best_of, drawn = self.conditions["best_of"], self.score["Draw"]
        if not best_of:
            return None
        won = [side for side in SIDES if 2 * self.score[side] + drawn > best_of]
        return won[0] if won else "Draw" if sum(self.score.values()) >= best_of else None

    def clock_left(self, side: str, now: int) -> int | None:
        """The milliseconds that this side has left at this moment of the lobby; None without clocks."""
        if self.clocks.rule == "None":
            return None
        return self.clocks.left_at(side, now) if side == self.to_move else self.clocks.left[side]

    @property
    def clock_runs(self) -> bool:
        """Whether the clock of the side to move runs."""
        attended = any(map(self.is_here, SIDES)) if self._has_people else not self.unwatched
        return self.clocks.rule != "None" and attended and not self.paused and self.to_move is not None

    @property
    def opponent(self) -> str | None:
        """The name on the other side, now or in the last game; a bot with its level, and no person's name has brackets."""
        player = self.last_player(other(self.you)) if self.you else None
        return self._shown(player) if player else None

    @property
    def won(self) -> bool:
        """Whether the last game was won."""
        return self.result is not None and self.result["outcome"] == {"Win": self.you}

    @property
    def drawn(self) -> bool:
        """Whether nobody won the last game."""
        return self.result is not None and self.result["outcome"] == "Draw"

    @property
    def exhibition(self) -> bool:
        """Whether two bots sit here, to be watched."""
        return all(player and player["kind"] == "bot" for player in self.seats.values())

    @property
    def unwatched(self) -> bool:
        """Whether two bots play here and nobody watches, so that everything stands still."""
        return self.exhibition and self.watchers == 0

    @property
    def _has_people(self) -> bool:
        """Whether any person sits here, even one who is away."""
        return any(player and player["kind"] == "person" for player in self.seats.values())

    def is_here(self, side: str) -> bool:
        """Whether a person sits on this side and is not away."""
        player = self.seats[side]
        return player is not None and player["kind"] == "person" and not self.absences[side]

    @property
    def runs_out(self) -> int | None:
        """The moment at which a stand-in comes for an absent player, or the game can be claimed, if there is one."""
        rule, side = self.conditions["away"], self.to_move
        absence = self.absences[side] if side else None
        if not absence or absence["cover"] != "Agreed" or rule["then"] == "wait":
            return None
        if self.paused or not self.is_here(other(side)):
            return None
        wait = rule["closed_after"] if absence["loss"] == "closed" else rule["silent_after"]
        return max(absence["since"], self.began) + wait

    @property
    def bot_comes(self) -> int | None:
        """The moment at which the server's bot takes the open seat, if nobody else does before; None if it does not."""
        rule, after = split(self.conditions["bot"])
        if self.phase != "Waiting" or all(self.seats.values()):
            return None
        attended = any(map(self.is_here, SIDES))
        if rule == "Both":
            return self.began if attended or not self._has_people else None
        return self.began + after if rule == "After" and attended else None

    def last_player(self, side: str) -> Any:
        """Who sits on this side, or sat there in the last game; None if nobody did."""
        return self.seats[side] or self.gone[side]

    def _shown(self, player: Any) -> str:
        return f"{player['name']} [bot, {self.level.lower()}]" if player["kind"] == "bot" else player["name"]

    def apply(self, event: Any, at: int, number: int) -> None:
        """Makes an event true. Raises Malformed for one that cannot have happened."""
        name, fields = split(event)
        self._at = at
        nobody_here, unwatched = not any(map(self.is_here, SIDES)), self.unwatched
        before, turn = self.clocks.noted(), self.turn
        self.clocks.look(self.position.turn, at)
        waited = self.phase == "Waiting"
        getattr(self, f"_{name}")(**fields)
        waits_anew = self.phase == "Waiting" and not waited
        attended_anew = (name == "Back" and nobody_here) or self.unwatched != unwatched
        if name in BEGINNINGS or waits_anew or attended_anew:
            self.began = max(self.began, at)
        if self.clock_runs and self.turn == turn and before[-1] is not None:
            self.clocks.go_on(before)
        else:
            self.clocks.since = at if self.clock_runs else None
        self.seen = number

    def hear(self, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Takes lines of chat in, and returns those that are new."""
        new = [line for line in lines if line["number"] > self._heard[line["room"]]]
        for line in new:
            self._heard[line["room"]] = line["number"]
        self.chat.extend(new)
        return new

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
            self.seats, self.absences = map(swapped, (self.seats, self.absences))
            self.score = {**swapped(self.score), "Draw": self.score["Draw"]}
            self.you = other(self.you) if self.you else None
        self._begin(self.start)
        self.clocks.start()
        self._forget_offers()
        self.games, self.phase = game, "Playing"

    def _Moved(self, turn: int, player: int, mv: Any, hand: str) -> None:
        mover = self.position.turn
        self._play(mv, hand)
        self.clocks.turn_over(mover)
        self._next_turn(turn)

    def _TakenBack(self, moves: int) -> None:
        if not 1 <= moves < len(self._boards):
            raise Malformed("the server told that more was taken back than was played")
        for _ in range(moves):
            taken, _ = self._boards.pop(), self.past.pop()
            if taken.REPEATS:
                self._times[taken] -= 1
        self.position = self._boards[-1]
        self.clocks.begin_turn()
        self._next_turn(self.turn)

    def _next_turn(self, turn: int) -> None:
        self.turn = turn + 1
        self._forget_offers()

    def _Offered(self, side: str, offer: str) -> None:
        self.offer = {"side": side, "offer": offer}
        self.offered[side].add(offer)

    def _Declined(self, side: str) -> None:
        self.offer = None

    def _Paused(self) -> None:
        self.paused, self.offer = True, None

    def _Resumed(self, side: str) -> None:
        self.paused = False

    def _Watched(self, name: str) -> None:
        self.watchers += 1

    def _Unwatched(self, name: str) -> None:
        self.watchers -= 1

    def _Restarted(self) -> None:
        for side, player in self.seats.items():
            person = player is not None and player["kind"] == "person"
            self.absences[side] = {"since": self._at, "loss": "closed", "cover": "Agreed"} if person else None
        self.watchers = 0
        self.clocks.free = max(self.clocks.free, RESTART_GRACE)

    def _Placed(self, origin: dict[str, Any]) -> None:
        self.origin = origin
        self._begin(self.start)

    def _forget_offers(self) -> None:
        self.offer, self.offered = None, {side: set() for side in SIDES}

    def _Ended(self, result: Any) -> None:
        self.result, self.phase, self.again = result, "Over", dict.fromkeys(SIDES, False)
        outcome, winner = split(result["outcome"])
        self.score[winner or outcome] += 1
        self.paused = False
        self._forget_offers()
        for side in SIDES:
            self._cover(side, "Agreed")

    def _AgainWanted(self, side: str) -> None:
        self.again[side] = True
        if not self.seats[other(side)]:
            self.phase = "Waiting"

    def _Closed(self) -> None:
        self.phase = "Closed"

    def _Away(self, side: str, since: int, loss: str) -> None:
        cover = (self.absences[side] or {"cover": "Agreed"})["cover"]
        self.absences[side] = {"since": since, "loss": loss, "cover": cover}

    def _Back(self, side: str) -> None:
        self.absences[side] = None

    def _StoodIn(self, side: str) -> None:
        self._cover(side, "StandIn")

    def _WaitedFor(self, side: str) -> None:
        self._cover(side, "Waited")

    def _WaitedNoMore(self, side: str) -> None:
        self._cover(side, "Agreed")

    def _cover(self, side: str, cover: str) -> None:
        if self.absences[side]:
            self.absences[side] = {**self.absences[side], "cover": cover}

    def _begin(self, position: Any) -> None:
        """A game is known from this position on."""
        self.past: deque[Past] = deque(maxlen=MAX_PAST)  # the moves since then, the oldest first
        self._boards: deque[Any] = deque(maxlen=MAX_PAST + 1)  # all that moves can be taken back to
        self._times: Counter[Position] = Counter()  # how often each position of a game that can repeat came up
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
        """Puts a position on the table."""
        self.position = position
        self._boards.append(position)
        if position.REPEATS:
            self._times[position] += 1


def by_side(sides: dict[str, Any]) -> dict[str, Any]:
    return {side: sides[side] for side in SIDES}


def swapped(sides: dict[str, Any]) -> dict[str, Any]:
    return {side: sides[other(side)] for side in SIDES}
