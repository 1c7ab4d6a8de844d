"""Requests: what can be wished for, which of them are still open, and why they are refused. It knows no connection."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from nim_games import other
from nim_lobby import Lobby
from nim_values import MAX_NAME_CHARS, NimError, split

NAME_FAULTS = {
    "Empty": "a name needs at least one visible character",
    "TooLong": f"a name has at most {MAX_NAME_CHARS} characters",
}
COUNTED = {
    "LobbiesFull": "as many lobbies are open here as may be at once: {most}",
    "TooManyLobbies": "as many lobbies are open from your address as may be at once: {most}",
    "TooManyGuesses": "too many wrong codes or passwords: {most} a minute are answered; wait a little",
    "TooManyWatchers": "no more than {most} may watch there",
    "TooFast": "too many requests: {most} a second are answered here",
    "Crowded": "as many connections are open from your address as it may have at once, {most}; try again in a moment",
    "Full": "the server is full: as many are connected as may be at once, {most}; try again when somebody has left",
    "SetAside": "what the host recorded of this lobby is damaged, and is set aside there as lobby {lobby}: nobody can go on in it",
    "SeatHeld": "you have that seat already, in lobby {code}",
    "NoSuchMove": "the game has no move of that number: it has {count}",
}
FAREWELLS = {  # why the server ends the connection
    "Stopping": "it is stopping",
    "Kept": "it is stopping, and all games are kept until it is started again",
    "Behind": "this client fell too far behind in reading",
    "Silent": "nothing was heard from this client for too long",
    "HalfFrame": "a frame was begun and not ended in time",
    "NoHello": "no hello came in time",
    "FrameTooLong": "a frame was longer than a frame may be",
    "Elsewhere": "the seat was taken up again over another connection",
    "NoRoom": "others came for whom there was no room, and this client had asked for nothing for a while",
}
AGREED = ("Ended", "TakenBack", "Paused")  # what comes of an offer that is accepted
ANSWERS = {  # what a request in a lobby brings about
    "Play": ("Moved",),
    "Resign": ("Ended",),
    "Again": ("AgainWanted",),
    "Hint": ("Hint",),
    "Leave": ("Outside",),
    "Wait": ("WaitedFor",),
    "WaitNoMore": ("WaitedNoMore",),
    "Claim": ("Ended",),
    "Offer": ("Offered", *AGREED),
    "Answer": ("Declined", *AGREED),
    "Resume": ("Resumed",),
    "Say": ("Said",),
    "Review": ("Reviewed",),
}
# What makes a request too late, which will then be refused: that is no error.
OVERTAKEN = {
    "Play": ("Ended", "TakenBack", "Paused"),
    "Offer": ("Ended", "Paused"),
    "Answer": ("Ended", "Moved"),
    "Resume": ("Ended", "Resumed"),
}


class Refused(NimError):
    """A request was not granted; nothing has changed by it."""

    def __init__(self, id: int, turn: int, reason: Any) -> None:
        super().__init__(f"the server refuses: {words(reason)}")
        self.id, self.turn, self.reason = id, turn, reason


def passes(refused: Refused) -> bool:
    """Whether the refusal says nothing of what was asked, so that the answer may be another one in a while."""
    name, inner = split(refused.reason)
    return name in ("Halted", "TooFast") or (name == "Hall" and split(inner)[0] in ("TooManyGuesses", "RecordsBusy"))


def voids_ticket(refused: Refused) -> bool:
    """Whether it is said of this very ticket that it is of no use. A server without such a lobby may be another one."""
    place, inner = split(refused.reason)
    return place == "Hall" and inner == "GivenUp"


def held_seat(refused: Refused) -> str | None:
    """The lobby in which the client has the seat already for which it asked."""
    place, inner = split(refused.reason)
    name, fields = split(inner) if place == "Hall" else ("", None)
    return fields["code"] if name == "SeatHeld" else None


def is_of_this_record(reason: NimError) -> bool:
    """Whether the host says it by what it has recorded. It may have another copy of that, for which the ticket is good."""
    place, inner = split(reason.reason) if isinstance(reason, Refused) else ("", "")
    return place == "Hall" and split(inner)[0] in ("BadTicket", "SetAside")


def words(reason: Any) -> str:
    """A reason as words: ``{"Lobby": "SeatTaken"}`` is "lobby: seat taken". No control characters get through."""
    name, inner = split(reason)
    if name == "Version":
        yours, ours = (int.from_bytes(bytes(inner[who]), "little") for who in ("yours", "ours"))
        return f"this client speaks version {yours} of the protocol, the server speaks version {ours}"
    if name == "Name" and inner in NAME_FAULTS:
        return NAME_FAULTS[inner]
    if name == "ClaimTooEarly":
        return f"the other one still has {-(-inner['millis'] // 1000)} seconds to come back"
    if name == "Halted":
        return f"nothing can happen at the moment, since the host cannot record it: {inner['why']}"
    if name in COUNTED:
        lines = "seconds" in inner
        form = "too many lines: {most} in {seconds} seconds are passed on" if lines else COUNTED[name]
        return form.format(**inner)
    if inner:
        return f"{words(name)}: {words(inner)}"
    if re.fullmatch("([A-Z][a-z]+)+", name):
        return re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return "".join(c if c.isprintable() else "?" for c in name)


def farewell(reason: Any) -> str:
    """Why the server ends the connection, as words."""
    name, inner = split(reason)
    return FAREWELLS.get(name) or (words(inner) if inner else words(name))


@dataclass
class Asked:
    """A request in the lobby whose answer has not come yet, and when it was made."""

    id: int
    request: Any
    game: int
    turn: int

    @property
    def name(self) -> str:
        return split(self.request)[0]

    def is_answered(self, name: str, fields: Any, lobby: Lobby | None) -> bool:
        """Whether this is what was asked for."""
        if name in ("AgainWanted", "Offered") and lobby and lobby.you:
            return name in ANSWERS[self.name] and fields["side"] == lobby.you
        return name in ANSWERS[self.name]

    def is_overtaken(self, name: str, fields: Any) -> bool:
        """Whether this makes it too late, so that it may be refused: a stand-in was quicker, or the game went on."""
        stood_in = name == "Moved" and fields["hand"] == "stand_in"
        return (self.name == "Play" and stood_in) or name in OVERTAKEN.get(self.name, ())

    def still_fits(self, lobby: Lobby) -> bool:
        """Whether it still makes sense to ask, though much may have happened."""
        if self.name == "Leave":
            return True
        if self.name == "Again":
            return lobby.phase == "Over" and not lobby.again[lobby.you] and self.game == lobby.games
        same_game = lobby.playing and self.game == lobby.games
        if self.name == "Say":
            return False  # better lost than said twice
        if self.name == "Review":
            return not lobby.playing and self.game == lobby.games
        if self.name == "Resume":
            return same_game and lobby.paused
        if self.name in ("Play", "Hint", "Offer", "Answer"):
            return same_game and self.turn == lobby.turn and self._fits_turn(lobby)
        absence = lobby.absences[other(lobby.you)]
        covers = {"Wait": ("Agreed",), "WaitNoMore": ("Waited",)}.get(self.name, ("Agreed", "Waited"))
        return same_game and (self.name == "Resign" or absence is not None and absence["cover"] in covers)

    def _fits_turn(self, lobby: Lobby) -> bool:
        """Whether it can still be asked in the turn in which it was asked before."""
        if self.name == "Offer":
            return lobby.may_offer(self.request["Offer"])
        return lobby.asked_for is not None if self.name == "Answer" else lobby.my_turn or not lobby.you


def new_lobby(
    variant: str,
    starts: str = "variant",
    bot: str = "when_nobody_comes",
    hints: str = "against_bots",
    level: str = "perfect",
    when_away: str = "stand_in",
    away_after: float = 10.0,
    clock: Any = "None",
    best_of: int = 0,
    watched: bool = True,
    listed: bool = True,
    password: str | None = None,
    origin: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A lobby as it is asked for. Wishes are words of the page; ``away_after`` is in seconds.

    Games begin in the position of an origin: ``{"record": 0xE55B3002, "moves": 2, "position": "4 first"}``.

    A clock is as on the page, in milliseconds: ``{"Fischer": {"base": 300000, "bonus": 3000}}``.
    """
    away = {"then": when_away, "after": round(away_after * 1000)}
    wish = {"variant": variant, "starts": starts, "bot": bot, "hints": hints, "level": level, "away": away}
    match = {"clock": clock, "best_of": best_of}
    return {**wish, **match, "watched": watched, "listed": listed, "password": password, "origin": origin}
