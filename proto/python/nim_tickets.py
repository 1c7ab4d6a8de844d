"""What it takes to return to a seat: a ticket, a file for it, and waits between the attempts."""

from __future__ import annotations

import hashlib
import json
import os
import random
import secrets
import tempfile
import time
from typing import Any, Callable

from nim_wire import NimError

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds


def new_ticket() -> list[int]:
    """A ticket that nobody can guess."""
    return [*secrets.token_bytes(16)]


def hashed(ticket: list[int]) -> list[int]:
    """The hash by which the server knows a ticket."""
    return [*hashlib.sha256(bytes(ticket)).digest()]


class Patience:
    """When to retry: after 100 ms, then twice as long each time up to 5 s; between half and all of each wait."""

    def __init__(
        self,
        give_up: float = 600.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.give_up, self.sleep, self.clock = give_up, sleep, clock
        self.begin()

    def begin(self) -> None:
        """The connection was lost just now."""
        self._wait, self._end = FIRST_WAIT, self.clock() + self.give_up

    def wait(self) -> bool:
        """Waits until it is time to retry; False, at once, if the time is over."""
        part = random.uniform(self._wait / 2, self._wait)
        if self.clock() + part > self._end:
            return False
        self._wait = min(2 * self._wait, LONGEST_WAIT)
        self.sleep(part)
        return True


def keep(path: str, seat: dict[str, Any]) -> None:
    """Writes a seat and its ticket into a file that only its owner can read."""
    made = None
    try:
        # Made with mode 0600 and put in place whole, so no crash leaves half of it.
        handle, made = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), prefix=".ticket-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({**seat, "ticket": bytes(seat["ticket"]).hex()}, file)
        os.replace(made, path)
    except OSError as error:
        if made:
            os.unlink(made)
        raise NimError(f"the ticket cannot be kept in {path}: {error}") from None


def recall(path: str) -> dict[str, Any]:
    """The seat that ``keep`` wrote down. Raises NimError if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            seat = json.load(file)
        words = {word: str(seat[word]) for word in ("address", "name", "code")}
        return {**words, "ticket": [*bytes.fromhex(seat["ticket"])]}
    except OSError as error:
        raise NimError(f"there is no ticket in {path}: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise NimError(f"{path} does not contain a ticket") from None


def forget(path: str, ticket: list[int]) -> None:
    """Removes the file, unless another program has kept another ticket there since."""
    try:
        if recall(path)["ticket"] == ticket:
            os.remove(path)
    except (NimError, OSError):
        pass  # it is gone already
