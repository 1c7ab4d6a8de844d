"""The sentences about what was agreed when a lobby was opened. They know no lobby beyond its conditions and its origin."""

from __future__ import annotations

from typing import Any

from nim_clock import longest_turn
from nim_values import split
from nim_why import spoken

HINTS = {
    "Nobody": "Nobody gets hints during the game.",
    "AgainstBots": "Hints are for whoever plays against a bot.",
    "All": "Everybody may ask for hints.",
    "Watchers": "Hints are for those who watch.",
}


def terms(conditions: dict[str, Any], origin: dict[str, Any] | None = None) -> list[str]:
    """All that was agreed, a sentence for each thing."""
    best_of = conditions["best_of"]
    games = f"The match is the best of {best_of}." if best_of else "The players play as many games as they like."
    return [
        *([_origin(origin)] if origin else []),
        *(_absence(conditions) if conditions["bot"] != "Both" else []),  # nobody is away where two bots play
        _kept(conditions["away"]),
        HINTS[conditions["hints"]],
        _bot(conditions["bot"], conditions["away"]["then"] == "StandIn", conditions["level"].lower()),
        _clock(conditions["clock"]),
        games,
        _visitors(conditions),
    ]


def _absence(conditions: dict[str, Any]) -> list[str]:
    away = _away(conditions["away"], conditions["level"].lower())
    return [away, *_clock_is_faster(conditions["away"], conditions["clock"])]


def _origin(origin: dict[str, Any]) -> str:
    which = f"position after move {origin['moves']}" if origin["moves"] else "first position"
    position = "".join(c if c.isprintable() else "?" for c in origin["position"])
    return f"Games begin in the {which} of record {origin['record']:08x}: {position}."


def _away(rule: dict[str, Any], level: str) -> str:
    closed = f"after {spoken(rule['closed_after'])}" if rule["closed_after"] else "at once"
    silent = spoken(rule["silent_after"])
    after = f"{closed}, or {silent} after the last word where the connection is only silent"
    if rule["then"] == "Wait":
        return "If somebody is away, the game waits."
    if rule["then"] == "StandIn":
        return f"If somebody is away on their turn, a stand-in [bot, {level}] plays {after}."
    return f"If somebody is away on their turn, the other one may claim the game {after}."


def _clock_is_faster(rule: dict[str, Any], clock: Any) -> list[str]:
    """That the clock leaves no time for what was agreed for an absence, where it always is so."""
    longest = longest_turn(clock)
    if longest is None or rule["then"] == "Wait":
        return []
    closed, silent = longest < rule["closed_after"], longest < rule["silent_after"]
    if not closed and not silent:
        return []
    with_what = "" if closed and silent else f" with a connection that {'has closed' if closed else 'is only silent'}"
    then = "the game can be claimed" if rule["then"] == "Forfeit" else "a stand-in plays"
    return [f"With this clock, whoever is away{with_what} runs out of time before {then}."]


def _kept(rule: dict[str, Any]) -> str:
    kept, rests = spoken(rule["kept_for"]), spoken(rule["rests_for"])
    return f"Where nobody is there, seats and games are kept for {kept}, and a game that rests for {rests}."


def _bot(rule: Any, stands_in: bool, level: str) -> str:
    name, wait = split(rule)
    if name == "Never":
        return "No bot takes an empty seat" + (f"; one that stands in is {level}." if stands_in else ".")
    if name == "Both":
        return f"Bots take both seats; they are {level}."
    if not wait:
        return f"A bot takes an empty seat at once; it is {level}."
    return f"A bot takes a seat that has been empty for {spoken(wait)}; it is {level}."


def _clock(rule: Any) -> str:
    name, times = split(rule)
    if name == "None":
        return "There is no clock."
    if name == "Move":
        return f"The clock gives {spoken(times)} for every move."
    each = f"The clock gives each {spoken(times['base'])} for the game"
    if name == "Delay":
        return f"{each}; it runs {spoken(times['delay'])} after a turn began."
    return f"{each}, and {spoken(times['bonus'])} more with every move." if times["bonus"] else f"{each}."


def _visitors(conditions: dict[str, Any]) -> str:
    most = conditions["watchers"]
    watch = f"Up to {most} may watch" if most else "Nobody may watch"
    found = "in the list" if conditions["listed"] else "found by its code alone"
    locked = "has a password" if conditions["locked"] else "has no password"
    return f"{watch}; the lobby is {found}, and {locked}."
