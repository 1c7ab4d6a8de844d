"""Tests of the copy of a lobby: clocks, offers, absences and matches."""

import unittest

from fake_server import NOBODY, entered, moved
from nim_games import read_position
from nim_lobby import Clocks, Lobby
from nim_wire import Malformed

FISCHER = {"Fischer": {"base": 10000, "bonus": 3000}}


def lobby_of(you="first", clock="None", **changes):
    """The lobby of ``entered``, with this clock."""
    lobby = entered(**changes)["Entered"]["lobby"]
    clocks = {"left": {"first": 10000, "second": 10000}, "free": 0, "since": 1000, "stopped": False}
    return Lobby(you, {**lobby, "conditions": {**lobby["conditions"], "clock": clock}, "clocks": clocks})


def happen(lobby, what, at=0):
    lobby.apply(what, at, lobby.seen + 1)


def take(lobby, at, count=1):
    happen(lobby, moved(0, lobby.turn, 0, count)["Lobby"]["event"], at)


class ClockTest(unittest.TestCase):
    def test_the_worked_example_of_the_page(self):
        told = {"left": {"first": 290000, "second": 303000}, "free": 0, "since": 62000, "stopped": False}
        clocks = Clocks({"Fischer": {"base": 300000, "bonus": 3000}}, told)
        clocks.look("first", 71000)
        self.assertEqual(clocks.left["first"], 281000)
        clocks.end_turn("first")
        self.assertEqual(clocks.left["first"], 284000)

    def test_a_lobby_knows_what_is_left_at_every_moment(self):
        lobby = lobby_of(clock=FISCHER)
        self.assertEqual([lobby.clock_left(side, 4000) for side in ("first", "second")], [7000, 10000])
        take(lobby, 5000)
        self.assertEqual([lobby.clock_left(side, 6500) for side in ("first", "second")], [9000, 8500])
        self.assertEqual(lobby.clock_left("second", 99999), 0)
        happen(lobby, {"Ended": {"result": {"outcome": {"Win": "first"}, "cause": "time"}}}, 16000)
        self.assertEqual([lobby.clock_left(side, 99999) for side in ("first", "second")], [9000, 0])
        self.assertIsNone(lobby_of().clock_left("first", 0))


class Offers(unittest.TestCase):
    def test_what_is_taken_back_was_never_played_and_turns_go_on(self):
        lobby = lobby_of()
        for count in (1, 2, 3):
            take(lobby, 0, count)
        happen(lobby, {"TakenBack": {"moves": 2}})
        self.assertEqual((lobby.position.piles, lobby.turn, lobby.to_move), ((20,), 5, "second"))
        happen(lobby, {"TakenBack": {"moves": 1}})
        self.assertEqual((lobby.position.piles, lobby.turn, lobby.my_turn), ((21,), 6, True))
        with self.assertRaises(Malformed):
            happen(lobby, {"TakenBack": {"moves": 1}})

    def test_a_snapshot_knows_the_moves_since_its_base(self):
        made = [(3, "own"), (2, "stand_in")]
        past = [{"mv": {"Nim": {"pile": 0, "count": count}}, "hand": hand} for count, hand in made]
        lobby = lobby_of(None, past=past, turn=3)
        self.assertEqual(lobby.position, read_position("java-tech:21", "16 first"))
        self.assertEqual(list(lobby.past), [((0, 3), "first", "own"), ((0, 2), "second", "stand_in")])
        take(lobby, 0)
        self.assertEqual(lobby.past[-1], ((0, 1), "first", "own"))
        happen(lobby, {"TakenBack": {"moves": 1}})
        happen(lobby, {"TakenBack": {"moves": 2}})
        self.assertEqual(list(lobby.past), [])
        self.assertEqual(lobby.position, read_position("java-tech:21", "21 first"))
        past[0]["mv"]["Nim"]["count"] = 4
        with self.assertRaises(Malformed):
            lobby_of(past=past)

    def test_nobody_moves_while_the_game_rests(self):
        lobby = lobby_of(paused=True)
        self.assertFalse(lobby.my_turn)
        happen(lobby, {"Resumed": {"side": "first"}}, 70)
        self.assertEqual((lobby.my_turn, lobby.began), (True, 70))


class Matches(unittest.TestCase):
    def test_a_match_is_decided_once_nobody_can_catch_up(self):
        for best_of, score, decision in [
            (0, (9, 0, 0), None),
            (1, (0, 0, 1), "Draw"),
            (3, (1, 1, 0), None),
            (3, (0, 2, 0), "second"),
            (3, (1, 0, 2), "first"),
            (5, (2, 0, 2), "first"),
        ]:
            lobby = lobby_of()
            lobby.conditions["best_of"], lobby.score = best_of, dict(zip(("first", "second", "Draw"), score))
            self.assertEqual(lobby.decision, decision, score)
            lobby.conditions["best_of"] = 0


class Absences(unittest.TestCase):
    def test_the_name_of_a_player_who_left_is_kept(self):
        lobby = lobby_of("second")
        happen(lobby, {"Ended": {"result": {"outcome": {"Win": "second"}, "cause": "left"}}})
        happen(lobby, {"Left": {"side": "first", "how": "quit"}})
        self.assertEqual((lobby.opponent, lobby.seats["first"]), ("anna", None))

    def test_the_time_of_an_absent_player_begins_anew_with_each_turn(self):
        away = {"first": {"since": 3000, "loss": "closed", "waited": False}, "second": None}
        lobby = lobby_of("second", attendance={**NOBODY, "absences": away}, began=5000)
        self.assertEqual(lobby.runs_out, 15000)
        take(lobby, 11000)
        self.assertEqual(lobby.runs_out, None)
        take(lobby, 12000)
        self.assertEqual(lobby.runs_out, 22000)

    def test_the_clock_stands_still_while_nobody_is_present(self):
        lobby = lobby_of(clock=FISCHER)
        happen(lobby, "ClockStopped", 4000)
        lobby.note({"Away": {"side": "first", "since": 4000, "loss": "closed"}}, 4000)
        self.assertEqual(lobby.clock_left("first", 99000), 7000)
        happen(lobby, "ClockStarted", 99000)
        lobby.note({"Back": {"side": "first"}}, 99000)
        self.assertEqual(lobby.clock_left("first", 100000), 6000)


if __name__ == "__main__":
    unittest.main()
