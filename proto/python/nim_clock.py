"""The clocks of a game. The caller passes in every moment."""

from __future__ import annotations

from typing import Any

from nim_values import split


class Clocks:
    """What each side has left, in milliseconds. The caller knows whose clock runs."""

    def __init__(self, rule: Any, told: Any = None) -> None:
        self.rule, self._numbers = split(rule)
        self.start()
        if told:
            self.left = {"first": told["left"]["first"], "second": told["left"]["second"]}
            self.free, self.since = told["free"], told["since"]

    def start(self) -> None:
        """Another game starts."""
        base = 0 if self.rule == "None" else self._numbers if self.rule == "Move" else self._numbers["base"]
        self.left = dict.fromkeys(("first", "second"), base)
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
