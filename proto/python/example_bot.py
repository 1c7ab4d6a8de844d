#!/usr/bin/env python3
"""A bot that plays one game, any game: example_bot.py HOST[:PORT] [VARIANT]. Replace `choose`, and it is yours."""

from __future__ import annotations

import argparse
import sys

from nim_client import Client, Move, NimError, Patience, Position, words


def choose(position: Position) -> Move:
    """Replace me: one of `position.moves()`. In Nim: which pile, counted from 0, and how many to take from it."""
    return position.random_move()


def agree(offer: str) -> bool:
    """Replace me: whether to accept what the other player offers, ``"draw"``, ``"takeback"`` or ``"pause"``."""
    return offer != "draw"


def notify(said: str) -> None:
    print(f"example_bot: {said}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays one game against the next player who wants the same.")
    parser.add_argument("address", metavar="HOST[:PORT]", help="where the server is; the usual port is 7646")
    parser.add_argument(
        "variant", nargs="?", default="java-tech:21", help="what is played (default: %(default)s)"
    )
    parser.add_argument("--bot", action="store_true", help="play against the server's bot, at once")
    parser.add_argument("--name", default="example-bot", help="what to be called (default: %(default)s)")
    parser.add_argument(
        "--give-up",
        metavar="SECONDS",
        type=float,
        default=600,
        help="how long to try to come back when the connection breaks (default: %(default)s)",
    )
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="replace")  # a name may have letters that this terminal lacks
    patience = Patience(options.give_up)
    with Client.connect(options.address, options.name, patience=patience, notify=notify) as client:
        lobby = client.create(options.variant, bot="at_once") if options.bot else client.quick(options.variant)
        if lobby.opponent or options.bot:
            print(f"{client.name} plays {lobby.variant} in {lobby.code}", flush=True)
        else:
            print(f"{client.name} wants to play {lobby.variant} in {lobby.code}; it waits for {lobby.waits_for}", flush=True)
        result = client.play_game(choose, agree)
        verdict = "won" if lobby.won else "drew" if lobby.drawn else "lost"
        print(f"{verdict} against {lobby.opponent} ({words(result['cause'])})")
        client.leave()


if __name__ == "__main__":
    try:
        main()
    except NimError as error:
        sys.exit(f"example_bot: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
