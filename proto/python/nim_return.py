"""What it takes to come back to a seat: a ticket, a file in which it can be kept, and the patience to try again."""

from __future__ import annotations

import hashlib
import json
import os
import random
import secrets
import tempfile
import time
from typing import Any, Callable

from nim_values import NimError

GIVE_UP = 600.0  # seconds
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds


def new_ticket() -> list[int]:
    """A ticket that nobody can guess."""
    return [*secrets.token_bytes(16)]


def hashed(ticket: list[int]) -> list[int]:
    """The hash by which the server knows a ticket."""
    return [*hashlib.sha256(bytes(ticket)).digest()]


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
    """Writes a seat and its ticket into a file that only its owner can read."""
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
        ticket = [*bytes.fromhex(seat["ticket"])]
    except OSError as error:
        raise NimError(f"there is no ticket in {path}: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise NimError(f"what stands in {path} is no ticket") from None
    return {**kept, "ticket": ticket}


def forget(path: str, ticket: list[int]) -> None:
    """The seat with this ticket is kept no longer. What another program has kept there since then stays."""
    try:
        if recall(path)["ticket"] == ticket:
            os.remove(path)
    except (NimError, OSError):
        pass  # it is gone already, or of no use to anyone
