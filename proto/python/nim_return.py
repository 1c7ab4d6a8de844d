"""What it takes to come back to a seat: the patience to try again, and a file for whoever wants to keep the ticket."""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from typing import Any, Callable

from nim_values import NimError

GIVE_UP = 600.0  # seconds
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds
TICKET_PING = 1  # the number of the ping behind a new ticket


class Patience:
    """When to try again: after 100 ms, then twice as long each time up to 5 s; of each wait a random part, at least half."""

    def __init__(
        self,
        give_up: float = GIVE_UP,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.give_up, self.clock = give_up, clock
        self._sleep, self._chance = sleep, chance
        self.begin()

    def begin(self) -> None:
        """Something was lost just now."""
        self._wait, self._end = FIRST_WAIT, self.clock() + self.give_up

    def wait(self) -> bool:
        """Waits until it is time to try again; False, at once, if it never is."""
        part = self._wait * (1 + self._chance()) / 2
        if self.clock() + part > self._end:
            return False
        self._wait = min(2 * self._wait, LONGEST_WAIT)
        self._sleep(part)
        return True


def keep(path: str, seat: dict[str, Any]) -> None:
    """Writes down what brings back to a seat, in a file that only its owner can read: whoever reads it has the seat."""
    made = None
    try:
        # Made with mode 0600, and put in place whole, so that no crash leaves half of it.
        handle, made = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), prefix=".ticket-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(seat, file)
        os.replace(made, path)
    except OSError as error:
        if made:
            os.unlink(made)  # a full disk leaves a part of it
        raise NimError(f"the ticket cannot be kept in {path}: {error}") from None


def recall(path: str) -> dict[str, Any]:
    """What ``keep`` wrote down. Raises NimError if there is no such thing."""
    try:
        with open(path, encoding="utf-8") as file:
            seat = json.load(file)
        kept = {word: str(seat[word]) for word in ("address", "name", "code")}
        ticket, *former = [[*bytes.fromhex(digits)] for digits in (seat["ticket"], *seat.get("former", []))]
    except OSError as error:
        raise NimError(f"there is no ticket in {path}: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise NimError(f"what stands in {path} is no ticket") from None
    return {**kept, "ticket": ticket, "former": former}


def forget(path: str, ticket: list[int]) -> None:
    """The seat with this ticket is kept no longer. What another program has kept there since then stays."""
    try:
        if recall(path)["ticket"] == ticket:
            os.remove(path)
    except (NimError, OSError):
        pass  # it is gone already, or of no use to anyone


class TicketFile:
    """What a client keeps of its seat, in a file if it has one. Where the newest ticket cannot be written, say on a full disk, the one
    in the file stays good: the ping by which the server asks whether the newest has arrived is answered once that is kept."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._kept: dict[str, Any] | None = None  # as it stands in the file
        self._is_behind = False  # there is a newer ticket
        self._owed: dict[str, Any] | None = None  # the newer one, as long as it may be written
        self._is_asked = False  # the server has asked whether that has arrived

    def claim(self, seat: dict[str, Any]) -> None:
        """The file has this seat, which was recalled from it."""
        self._kept = seat

    def keep(self, seat: dict[str, Any]) -> str | None:
        """Writes a seat with its newest ticket down. Returns what is wrong if an older ticket of it has to do, and raises NimError if
        there is none."""
        if not self.path:
            return None
        if self._kept and self._kept["code"] != seat["code"]:
            self._kept, self._is_behind = None, False
        was_behind, self._is_behind, self._owed, self._is_asked = self._is_behind, True, seat, False
        try:
            self.again()
        except NimError as error:
            if not self._kept:
                self._is_behind, self._owed = False, None
                raise
            return None if was_behind else f"{error}; the one before stays good, and it is tried again"
        return None

    def again(self) -> bool:
        """Writes what could not be written before. Returns whether the server is to be told now that it has arrived. Raises NimError
        if it cannot be written still."""
        if not self._owed or not self.path or self._is_taken_over():
            return False
        digits = [bytes(ticket).hex() for ticket in (self._owed["ticket"], *self._owed["former"])]
        keep(self.path, {**self._owed, "ticket": digits[0], "former": digits[1:]})
        self._kept, self._owed, self._is_behind = self._owed, None, False
        is_asked, self._is_asked = self._is_asked, False
        return is_asked

    def _is_taken_over(self) -> bool:
        """Whether another program has come back to the seat, and has written its own ticket, or has given it up."""
        if self._kept is None or not self.path or not os.path.isdir(os.path.dirname(os.path.abspath(self.path))):
            return False  # there is nothing that could be spoiled
        try:
            return recall(self.path)["ticket"] != self._kept["ticket"]
        except NimError:
            return True  # it was given up

    def withholds(self, ping: int) -> bool:
        """Whether this ping is not to be answered yet: the one behind a ticket that is not kept."""
        holds = self._is_behind and ping == TICKET_PING
        self._is_asked = self._is_asked or holds
        return holds

    def good(self, newest: list[int]) -> list[int]:
        """The ticket that is good for certain: the newest one, or where that is not in the file the one that is."""
        return self._kept["ticket"] if self._is_behind and self._kept else newest

    def to_show(self, newest: list[int]) -> list[int]:
        """By which ticket to come back over another connection. Where the newest is not in the file it is the one that is, which stays
        good; the newest is void by that, and is not to be written any more."""
        self._owed, self._is_asked = None, False
        return self.good(newest)

    def forget(self, ticket: list[int]) -> None:
        """The seat with this ticket is kept no longer."""
        if self.path:
            forget(self.path, self.to_show(ticket))
        self._kept, self._is_behind, self._owed, self._is_asked = None, False, None, False
