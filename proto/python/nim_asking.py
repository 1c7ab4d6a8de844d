"""What somebody in a lobby may ask, each as one call. It knows no connection: nim_client.py has that."""

from __future__ import annotations

from typing import Any

from nim_games import Move, Position
from nim_lobby import Lobby
from nim_values import NimError


class Asking:
    """The requests of a client that is in a lobby. Each is answered by an event, or by Refused."""

    lobby: Lobby | None
    _muted: set[str]

    def _ask(self, place: str, request: Any) -> None:
        raise NotImplementedError

    def _answer(self, *wanted: str) -> Any:
        raise NotImplementedError

    def play(self, *move: int) -> None:
        """Makes a move: in Nim the pile, counted from 0, and how many to take. ``Moved`` follows, or Refused."""
        if not self.lobby:
            raise NimError("there is no game to make a move in")
        mv = self.lobby.position.write_move(move)
        self._ask("Lobby", {"Play": {"turn": self.lobby.turn, "mv": mv}})

    def resign(self) -> None:
        """Gives the game up. ``Ended`` follows."""
        self._ask("Lobby", "Resign")

    def again(self) -> None:
        """Asks for another game. ``AgainWanted`` follows, and ``Started`` once both want it."""
        self._ask("Lobby", "Again")

    def hint(self) -> Any:
        """A best move: its ``turn``, its ``mv``, and ``words`` that say why."""
        self._ask("Lobby", "Hint")
        return self._answer("Hint")

    def review(self, number: int) -> Any:
        """What move ``number`` of the game that is over was worth, from 1: ``before``, ``after`` and ``words``."""
        self._ask("Lobby", {"Review": {"number": number}})
        return self._answer("Reviewed")

    def wait(self) -> None:
        """Waits for the other one, who is away, whatever was agreed. ``WaitedFor`` follows."""
        self._ask("Lobby", "Wait")

    def wait_no_more(self) -> None:
        """Has what was agreed after all. ``WaitedNoMore`` follows."""
        self._ask("Lobby", "WaitNoMore")

    def claim(self) -> None:
        """Claims the game, if that was agreed and the other one's time has run out. ``Ended`` follows."""
        self._ask("Lobby", "Claim")

    def offer(self, what: str) -> None:
        """Offers ``"draw"``, ``"takeback"`` or ``"pause"``. ``Offered`` follows, or what was offered if both want it."""
        self._ask("Lobby", {"Offer": what})

    def answer(self, accept: bool) -> None:
        """Accepts what the other one offered, or not. ``Ended``, ``TakenBack`` or ``Paused`` follows, or ``Declined``."""
        offer = self.lobby.asked_for if self.lobby else None
        if not self.lobby or not offer:
            raise NimError("there is no offer to answer")
        self._ask("Lobby", {"Answer": {"turn": self.lobby.turn, "offer": offer, "accept": accept}})

    def go_on(self) -> None:
        """Goes on with a game that rests. ``Resumed`` follows."""
        self._ask("Lobby", "Resume")

    def say(self, words: str) -> None:
        """Says a line, of 200 bytes at most, to those in the same room. ``Said`` follows."""
        self._ask("Lobby", {"Say": {"words": words}})

    def mute(self, name: str) -> None:
        """Hears no more of somebody. The server is not told of it, and nobody else."""
        self._muted.add(name)

    def unmute(self, name: str) -> None:
        """Hears again of somebody."""
        self._muted.discard(name)

    def leave(self) -> None:
        """Goes back to the hall, for good: the ticket is void."""
        self._ask("Lobby", "Leave")
        self._answer("Outside")


def checked(move: Any, position: Position) -> Move:
    """What a player's ``choose`` answered, if it is a move of this game, legal or not. Raises NimError if it is none."""
    names = position.NUMBERS or ("number",)
    numbers = isinstance(move, (tuple, list)) and all(type(number) is int for number in move)
    if numbers and len(move) == len(names):
        return tuple(move)
    form = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
    slip = "choose answered nothing; it has to return a move" if move is None else f"choose answered {move!r}"
    raise NimError(f"{slip}: a move here is {form}, whole numbers, such as {next(position.moves())}")
