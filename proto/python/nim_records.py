"""Records of games, asked for in the hall: which there are, and the text of one. It knows no connection."""

from __future__ import annotations

from typing import Any

from nim_link import Lost
from nim_request import Refused, SeatOver, may_be_over

MAX_TICKETS = 256  # shown with one request


class Reading:
    """The requests of a client that looks for records. It shows the tickets of all seats that it had itself."""

    tickets: list[list[int]]
    _looked_back = False  # in this absence it was asked already how the last game ended

    def _ask(self, place: str, request: Any) -> None:
        raise NotImplementedError

    def _answer(self, *wanted: str) -> Any:
        raise NotImplementedError

    def _hear(self) -> tuple[str, Any]:
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

    def _look_back(self, refused: Refused, code: str, ticket: list[int]) -> None:
        """Raises SeatOver if the server knows that the last game in a seat is over to which there is no way back."""
        if self._looked_back or not may_be_over(refused):
            return
        self._looked_back = True
        try:
            self._ask("Hall", {"Games": {**wished([ticket]), "mine": True, "code": code}})
            name, fields = self._hear()
            while name != "Games":
                name, fields = self._hear()
        except (Lost, Refused):
            return  # it keeps no records, or is gone: the first refusal is all that there is to say
        games = [game for game in fields["games"] if game["mine"] and game["code"] == code]
        if games and games[0]["result"]:
            raise SeatOver(refused, games[0]) from None

    def _shown(self) -> list[list[int]]:
        return self.tickets[-MAX_TICKETS:]


def wished(tickets: list[list[int]]) -> dict[str, Any]:
    """All games that are open to whoever shows these tickets."""
    return {"tickets": tickets, "mine": False, "with": None, "game": None, "code": None, "since": 0, "before": None}
