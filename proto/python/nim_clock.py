"""The clocks of a game, counted as the page says: instants are given to them, and they know no present."""

from __future__ import annotations

from typing import Any

from nim_values import split


FLAG_GRACE = 250  # milliseconds later than at zero a flag falls
LAST_MOMENT = 1  # a move that arrives in the very last millisecond counts


def longest_turn(rule: Any) -> int | None:
    """After how many milliseconds a turn is over at the latest; None where that is not known beforehand."""
    name, numbers = split(rule)
    if name == "None" or (name == "Fischer" and numbers["bonus"]):
        return None
    most = numbers if name == "Move" else numbers["base"] + numbers.get("delay", 0)
    return most + FLAG_GRACE + LAST_MOMENT


class Clocks:
    """What each side has left, in milliseconds. The side whose clock runs is known to whoever asks."""

    def __init__(self, rule: Any, told: Any = None) -> None:
        self.rule, self._numbers = split(rule)
        self.start()
        if told:
            self.left = {"First": told["left"]["first"], "Second": told["left"]["second"]}
            self.free, self.since = told["free"], told["since"]

    def start(self) -> None:
        """Another game starts."""
        base = 0 if self.rule == "None" else self._numbers if self.rule == "Move" else self._numbers["base"]
        self.left = dict.fromkeys(("First", "Second"), base)
        self.since: int | None = None  # the moment at which the clock was last looked at, if one runs
        self.begin_turn()

    def look(self, side: str, at: int) -> None:
        """Takes off what has passed for the side that was to move until now."""
        passed = self._passed(at)
        self.left[side] = self.left_at(side, at)
        self.free = max(0, self.free - passed)

    def noted(self) -> tuple[dict[str, int], int, int | None]:
        """What the clocks show, and since when."""
        return dict(self.left), self.free, self.since

    def go_on(self, noted: tuple[dict[str, int], int, int | None]) -> None:
        """As if nobody had looked: the clock was not stopped."""
        self.left, self.free, self.since = noted

    def left_at(self, side: str, now: int) -> int:
        """What this side has left at this moment, if it is to move."""
        return max(0, self.left[side] - max(0, self._passed(now) - self.free))

    def falls(self, side: str) -> int:
        """The moment at which the flag of this side falls, if it is to move and its clock runs."""
        return (self.since or 0) + self.free + self.left[side] + FLAG_GRACE + LAST_MOMENT

    def turn_over(self, side: str) -> None:
        """This side has made its move."""
        if self.rule == "Fischer":
            self.left[side] += self._numbers["bonus"]
        self.begin_turn()

    def begin_turn(self) -> None:
        """Another turn begins, whatever became of the one before."""
        if self.rule == "Move":
            self.left = dict.fromkeys(self.left, self._numbers)
        self.free: int = self._numbers["delay"] if self.rule == "Delay" else 0

    def _passed(self, now: int) -> int:
        return 0 if self.since is None else max(0, now - self.since)
