#!/usr/bin/env python3
"""A bot that plays one game, any game: example_bot.py HOST[:PORT] [VARIANT]. Replace `choose`, and it is yours."""

from __future__ import annotations

import argparse
import sys

from nim_client import Client, Move, NimError, Position, words


def choose(position: Position) -> Move:
    """Replace me: one of `position.moves()`. In Nim: which pile, counted from 0, and how many to take from it."""
    return position.random_move()


def main() -> None:
    parser = argparse.ArgumentParser(description="Sits down by quick match and plays one game.")
    parser.add_argument("address", metavar="HOST[:PORT]", help="where the server is; the usual port is 7646")
    parser.add_argument(
        "variant", nargs="?", default="java-tech:21", help="what is played (default: %(default)s)"
    )
    parser.add_argument("--name", default="example-bot", help="what to be called (default: %(default)s)")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="replace")  # a name may have letters that this terminal lacks
    with Client.connect(options.address, options.name) as client:
        lobby = client.quick(options.variant)
        print(f"{client.name} waits in {lobby.code} for a game of {lobby.variant}", flush=True)
        result = client.play_game(choose)
        verdict = "won" if lobby.won else "drew" if lobby.drawn else "lost"
        print(f"{verdict} against {lobby.opponent} ({words(result['cause'])})")


if __name__ == "__main__":
    try:
        main()
    except NimError as error:
        sys.exit(f"example_bot: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
