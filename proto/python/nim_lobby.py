"""A lobby as its players see it: what the server told, and what its events make of it. It knows no connection."""

from __future__ import annotations

from collections import Counter
from typing import Any

from nim_games import SIDES, Position, other, read_position, start_of
from nim_values import Malformed, split

TIMES = 3  # a position that comes up for the third time is a draw
BEGINNINGS = ("Started", "Moved", "Ended", "Left", "Sat")  # with these a turn begins, or something else instead of one


class Lobby:
    """A lobby in which this client has a seat."""

    def __init__(self, you: str, snapshot: dict[str, Any]) -> None:
        self.result: Any = None  # how the last game ended
        self._met: dict[str, Any] = dict.fromkeys(SIDES)  # who sits on each side, or sat there last
        self.enter(you, snapshot)

    def enter(self, you: str, snapshot: dict[str, Any]) -> None:
        """Makes this the lobby of the snapshot. Raises Malformed if there is no such position."""
        phase, fields = split(snapshot["phase"])
        self.you: str = you
        self.code: str = snapshot["code"]
        self.variant: str = snapshot["variant"]
        self.conditions: dict[str, Any] = snapshot["conditions"]
        self.seats: dict[str, Any] = by_side(snapshot["seats"])
        self._met.update({side: player for side, player in self.seats.items() if player})
        self.absences: dict[str, Any] = by_side(snapshot["absences"])
        self.phase: str = phase
        self.again: dict[str, bool] = by_side(fields["again"] if fields else {"first": False, "second": False})
        self.result = fields["result"] if fields else self.result
        self.began: int = snapshot["began"]  # when this turn began, or whatever there is instead of a turn
        self.games: int = snapshot["games"]  # started so far
        self.turn: int = snapshot["turn"]
        self.seen: int = snapshot["events"]  # the number of the last event
        self._times: Counter[Position] = Counter()  # how often each position of a game that can repeat came up
        self._show(read_position(self.variant, snapshot["position"]))

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
        return self.to_move == self.you

    @property
    def opponent(self) -> str | None:
        """Who sits on the other side, or sat there last; a bot with its level, and no person's name has brackets."""
        player = self._met[other(self.you)]
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

    def is_here(self, side: str) -> bool:
        """Whether a person sits on this side and is not away."""
        player = self.seats[side]
        return player is not None and player["kind"] == "Person" and not self.absences[side]

    @property
    def runs_out(self) -> int | None:
        """The moment at which a stand-in comes for an absent player, or the game can be claimed, if there is one."""
        rule, side = self.conditions["away"], self.to_move
        absence = self.absences[side] if side else None
        if not absence or absence["cover"] != "Agreed" or rule["then"] == "Wait" or not self.is_here(other(side)):
            return None
        wait = rule["closed_after"] if absence["loss"] == "Closed" else rule["silent_after"]
        return max(absence["since"], self.began) + wait

    def why(self, now: int) -> str:
        """What the lobby waits for at this moment of its time, in one sentence."""
        kept_for = self.conditions["away"]["kept_for"]
        away = [absence["since"] for absence in self.absences.values() if absence]
        if away and not any(map(self.is_here, SIDES)):
            over = max(away) if self.playing else max(min(away), self.began)
            return f"Nobody is here; what is left is given up in {span(over + kept_for - now)}."
        if self.phase == "Waiting":
            return f"The game starts when somebody sits down in {self.code}."
        if self.phase == "Over":
            kept = f" The absent player's seat is kept for {span(max(*away, self.began) + kept_for - now)}." if away else ""
            return f"The game is over; another one starts when both want it.{kept}"
        if not self.to_move:
            return "The lobby waits for the word that the game is over." if self.playing else "The lobby is closed."
        absence, name = self.absences[self.to_move], self.seats[self.to_move]["name"]
        if not absence:
            return f"It is {name}'s turn."
        lost = "away for" if absence["loss"] == "Closed" else "not heard for"
        return f"It is {name}'s turn, {lost} {span(now - absence['since'])}; {self._remedy(absence, now)}."

    def _remedy(self, absence: dict[str, Any], now: int) -> str:
        """What is done about the absence of whoever is to move."""
        if absence["cover"] == "StandIn":
            return "a stand-in plays until they are back"
        if self.runs_out is None:
            return "the game waits for them"
        left = span(self.runs_out - now)
        if self.conditions["away"]["then"] == "StandIn":
            return f"a stand-in plays in {left}"
        return f"the game can be claimed in {left}" if self.runs_out > now else "the game can be claimed"

    def apply(self, event: Any, at: int, number: int) -> None:
        """Makes an event true. Raises Malformed for one that cannot have happened."""
        name, fields = split(event)
        if name in BEGINNINGS:
            self.began = max(self.began, at)
        getattr(self, f"_{name}")(**fields)
        self.seen = number

    def _Sat(self, side: str, player: Any) -> None:
        self.seats[side] = self._met[side] = player

    def _Left(self, side: str, how: str) -> None:
        self.seats[side] = self.absences[side] = None
        self.again[side] = False
        if self.again[other(side)]:
            self.phase = "Waiting"

    def _Started(self, game: int, swap: bool) -> None:
        if swap:
            self.seats, self.absences, self._met = map(swapped, (self.seats, self.absences, self._met))
            self.you = other(self.you)
        self._times.clear()
        self._show(start_of(self.variant))
        self.games, self.phase = game, "Playing"

    def _Moved(self, turn: int, player: int, mv: Any, hand: str) -> None:
        try:
            self._show(self.position.play(*self.position.read_move(mv)))
        except ValueError as error:
            raise Malformed(f"the server told of an impossible move: {error}") from None
        self.turn = turn + 1

    def _Ended(self, result: Any) -> None:
        self.result, self.phase, self.again = result, "Over", dict.fromkeys(SIDES, False)
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

    def _cover(self, side: str, cover: str) -> None:
        if self.absences[side]:
            self.absences[side] = {**self.absences[side], "cover": cover}

    def _show(self, position: Any) -> None:
        """Puts a position on the table."""
        self.position = position
        if position.REPEATS:
            self._times[position] += 1


def by_side(sides: dict[str, Any]) -> dict[str, Any]:
    return {"First": sides["first"], "Second": sides["second"]}


def swapped(sides: dict[str, Any]) -> dict[str, Any]:
    return {side: sides[other(side)] for side in SIDES}


def span(millis: int) -> str:
    """So many milliseconds in words, rounded down to seconds."""
    minutes, seconds = divmod(max(0, millis) // 1000, 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
