"""Records of games, asked for in the hall: which there are, and the text of one. It knows no connection."""

from __future__ import annotations

from typing import Any

MAX_TICKETS = 256  # shown with one request


class Reading:
    """The requests of a client that looks for records. It shows the tickets of all seats that it had itself."""

    tickets: list[list[int]]

    def _ask(self, place: str, request: Any) -> None:
        raise NotImplementedError

    def _answer(self, *wanted: str) -> Any:
        raise NotImplementedError

    def games(self, most: int = 100, **wish: Any) -> list[Any]:
        """Games of which there are records, the newest first. For the wishes, such as ``with_="ben"``, see GamesWish."""
        asked = wished(self._shown())
        asked.update({word.rstrip("_"): value for word, value in wish.items()})
        found: list[Any] = []
        while len(found) < most:
            self._ask("Hall", {"Games": asked})
            part = self._answer("Games")
            found, asked["before"] = found + part["games"], part["rest"]
            if part["rest"] is None:
                break
        return found[:most]

    def record(self, lobby: int, game: int) -> str:
        """The text of a game's record, by the two numbers of its name."""
        text, part, parts = "", 0, 1
        while part < parts:
            name = {"lobby": lobby, "game": game}
            self._ask("Hall", {"Record": {"name": name, "tickets": self._shown(), "part": part}})
            answer = self._answer("Record")
            text, part, parts = text + answer["text"], part + 1, answer["parts"]
        return text

    def _shown(self) -> list[list[int]]:
        return self.tickets[-MAX_TICKETS:]


def wished(tickets: list[list[int]]) -> dict[str, Any]:
    """A wish for all games that these tickets open."""
    return {"tickets": tickets, "mine": False, "with": None, "game": None, "code": None, "since": 0, "before": None}
