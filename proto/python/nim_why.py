"""The sentence that says what a lobby waits for, with names and numbers. It knows no connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nim_games import SIDES, other
from nim_values import split

if TYPE_CHECKING:
    from nim_lobby import Lobby

SOON = 5000  # milliseconds that are not worth a word yet
OFFERED = {"Draw": "a draw", "Takeback": "to take their last move back", "Pause": "to let the game rest"}
UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def why(lobby: Lobby, now: int) -> str:
    """What the lobby waits for at this moment of its time."""
    if lobby.phase == "Closed":
        return "This lobby is closed."
    away = [side for side in SIDES if lobby.absences[side]]
    if away and not any(map(lobby.is_here, SIDES)):
        return f"Nobody is here; everything stands still, and is given up in {_kept(lobby, away, now)}."
    if lobby.unwatched:
        kept = lobby.conditions["away"]["rests_for" if lobby.paused else "kept_for"]
        return f"Nobody watches; everything stands still, and is given up in {rest(lobby.began + kept - now)}."
    if lobby.phase == "Waiting":
        return f"The game starts when somebody sits down in {lobby.code}{_bot(lobby, now)}."
    return (_over if lobby.phase == "Over" else _playing)(lobby, away, now)


def _kept(lobby: Lobby, away: list[str], now: int) -> str:
    """How long the game, or without one the first seat, is still kept."""
    rule, since = lobby.conditions["away"], [lobby.absences[side]["since"] for side in away]
    if lobby.playing:
        return rest(max(since) + rule["rests_for" if lobby.paused else "kept_for"] - now)
    return rest(max(min(since), lobby.began) + rule["kept_for"] - now)


def _bot(lobby: Lobby, now: int) -> str:
    comes = lobby.bot_comes
    return "" if comes is None else f"; the {lobby.level.lower()} bot takes the seat {soon(comes - now)}"


def _over(lobby: Lobby, away: list[str], now: int) -> str:
    result, decision = ended(lobby), lobby.decision if lobby.conditions["best_of"] > 1 else None
    over = f"The game is over ({'draw' + result[4:] if result.startswith('Draw:') else result})"
    if decision:
        over = f"The match is over ({'it is drawn' if decision == 'Draw' else f'{lobby.called(decision)} has won it'})"
    if away:
        kept = f"the seat is kept for another {_kept(lobby, away, now)}"
        return f"{over}; {lobby.called(away[0])} is away, and {kept}."
    for side in SIDES:
        if lobby.again[side]:
            wants, waits = lobby.called(side), lobby.called(other(side))
            return f"{over}; {wants} would like another one, and waits for {waits}."
    if lobby.exhibition:
        return f"{over}; another one starts when somebody who watches wants it."
    for side in SIDES:
        if not lobby.seats[side]:
            left = lobby.called(other(side))
            return f"{over}; another one starts when {left} wants it and somebody sits down in {lobby.code}."
    return f"{over}; another one starts when both want it."


def ended(lobby: Lobby) -> str:
    """How the last game has ended: who won, and why."""
    outcome, winner = split(lobby.result["outcome"])
    verdict = "Draw" if outcome == "Draw" else f"{lobby.called(winner)} won"
    loser = lobby.called(other(winner)) if winner else ""
    cause = lobby.result["cause"]
    reasons = {
        "Repetition": "the position came up for the third time",
        "Abandoned": "nobody came back",
        "Agreed": "both agreed",
        "Resigned": f"{loser} resigned",
        "Left": f"{loser} left",
        "Forfeited": f"{loser} was away for too long",
        "Time": f"{loser} ran out of time",
    }
    if cause == "Rules":
        side, deed = lobby.position.reason()
        return f"{verdict}: {lobby.called(side)} {deed}" if side else f"{verdict}: {deed}"
    return f"{verdict}: {reasons[cause]}"


def _playing(lobby: Lobby, away: list[str], now: int) -> str:
    side = lobby.to_move
    if not side:
        return "The game has just ended."
    if lobby.paused:
        return _resting(lobby, side, away, now)
    parts = [f"{lobby.called(side)}'s turn"]
    if side in away:
        parts += [_lost(lobby.absences[side], now), _remedy(lobby, side, now)]
    elif lobby.seats[side]["kind"] == "Bot":
        parts.append("it thinks")
    elif now - lobby.began >= SOON:
        parts[0] += f" for {span(now - lobby.began)} now"
    if lobby.clocks.since is not None:
        parts.append(f"{span(lobby.clock_left(side, now) or 0)} left on the clock")
    if other(side) in away:
        name, absence = lobby.called(other(side)), lobby.absences[other(side)]
        replaced = f", and a stand-in plays for {name}" if absence["cover"] == "StandIn" else ""
        parts.append(f"{name} is {_lost(absence, now)}{replaced}")
    if lobby.offer:
        parts.append(_unanswered(lobby, lobby.offer))
    return "; ".join(parts) + "."


def _resting(lobby: Lobby, side: str, away: list[str], now: int) -> str:
    """What a game that rests in this side's turn waits for, and what becomes of it without those who are there."""
    here = " or ".join(lobby.called(side) for side in SIDES if lobby.is_here(side)) or "either player"
    parts = [f"The game rests in {lobby.called(side)}'s turn", f"{here} can go on with it"]
    parts += [f"{lobby.called(side)} is {_lost(lobby.absences[side], now)}" for side in away]
    if away:
        parts.append(f"once nobody is here, it is kept for {spoken(lobby.conditions['away']['rests_for'])}")
    return "; ".join(parts) + "."


def _unanswered(lobby: Lobby, offer: dict[str, str]) -> str:
    made, asked = lobby.called(offer["side"]), lobby.called(other(offer["side"]))
    offered, absence = f"{made} offered {OFFERED[offer['offer']]}", lobby.absences[other(offer["side"])]
    if absence and absence["cover"] == "StandIn":
        return f"{offered}, which the stand-in leaves to {asked}"
    return f"{offered}, and {asked} has not answered"


def _lost(absence: dict[str, Any], now: int) -> str:
    """Since when somebody is away."""
    since = span(now - absence["since"])
    return f"away for {since}" if absence["loss"] == "Closed" else f"last heard {since} ago"


def _remedy(lobby: Lobby, side: str, now: int) -> str:
    """What is done about the absence of whoever is to move."""
    back = f"{lobby.called(side)} can have the seat back at once"
    if lobby.absences[side]["cover"] == "StandIn":
        return f"a stand-in plays; {back}"
    runs_out = lobby.runs_out
    if runs_out is None:
        return f"the game waits for {lobby.called(side)}"
    stands_in = lobby.conditions["away"]["then"] == "StandIn"
    if lobby.flag_falls_first:
        too_late = f"a stand-in plays; {back}" if stands_in else "the game can be claimed"
        return f"the clock runs out before {too_late}"
    if stands_in:
        return f"a stand-in plays {soon(runs_out - now)}; {back}"
    return f"the game can be claimed in {rest(runs_out - now)}" if runs_out > now else "the game can be claimed"


def span(millis: int) -> str:
    """A time that has passed, or what a clock shows, in whole seconds."""
    return _spoken(max(0, millis) // 1000) or "less than a second"


def soon(millis: int) -> str:
    """When something happens."""
    return f"in {rest(millis)}" if millis > 0 else "at once"


def rest(millis: int) -> str:
    """What is left of a time, in seconds that have begun."""
    return _spoken(-(-max(0, millis) // 1000)) or "no time"


def spoken(millis: int) -> str:
    """A time that was agreed."""
    seconds, millis = divmod(millis, 1000)
    rest_of_it = f"{millis} millisecond{'' if millis == 1 else 's'}" if millis else ""
    parts = f"{_spoken(seconds)} {rest_of_it}".split()
    return " ".join(parts[:4]) or "no time"  # in the largest two units, a number and a word each


def _spoken(seconds: int) -> str:
    """In the largest two units that are not empty."""
    parts = []
    for unit, size in UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}{'' if count == 1 else 's'}")
    return " ".join(parts[:2])
