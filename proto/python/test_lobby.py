"""Tests of what a lobby knows of players who are away."""

import unittest

from nim_lobby import Lobby
from test_return import entered

RULE = {"then": "stand_in", "closed_after": 10000, "silent_after": 40000, "kept_for": 900000, "rests_for": 604800000}


class Waits(unittest.TestCase):
    def lobby(self, then="stand_in", clock="None", **changes):
        snapshot = entered(**changes)["Entered"]["lobby"]
        agreed = {**snapshot["conditions"], "away": {**RULE, "then": then}, "clock": clock}
        return Lobby("second", {**snapshot, "conditions": agreed, "began": 5000})

    def away(self, loss="closed", cover="Agreed"):
        return {"first": {"since": 3000, "loss": loss, "cover": cover}, "second": None}

    def test_the_name_of_a_player_who_left_is_kept(self):
        lobby = self.lobby()
        lobby.apply({"Ended": {"result": {"outcome": {"Win": "second"}, "cause": "left"}}}, 8000, 4)
        lobby.apply({"Left": {"side": "first", "how": "quit"}}, 8000, 5)
        self.assertEqual((lobby.opponent, lobby.seats["first"]), ("anna", None))

    def test_the_time_of_an_absent_player_begins_anew_with_each_turn(self):
        lobby = self.lobby(absences=self.away())
        self.assertEqual(lobby.runs_out, 15000)
        for number, turn, player, at, runs_out in [(4, 1, 1, 11000, None), (5, 2, 2, 12000, 22000)]:
            mv = {"Nim": {"pile": 0, "count": 1}}
            lobby.apply({"Moved": {"turn": turn, "player": player, "mv": mv, "hand": "own"}}, at, number)
            self.assertEqual(lobby.runs_out, runs_out)

    def test_an_absence_from_its_beginning_to_its_end(self):
        lobby = self.lobby()
        steps = [
            ({"Away": {"side": "first", "since": 6000, "loss": "silent"}}, ("silent", "Agreed")),
            ({"StoodIn": {"side": "first"}}, ("silent", "StandIn")),
            ({"Away": {"side": "first", "since": 7000, "loss": "closed"}}, ("closed", "StandIn")),
            ({"Ended": {"result": {"outcome": "Draw", "cause": "rules"}}}, ("closed", "Agreed")),
        ]
        for number, (step, expected) in enumerate(steps, 4):
            lobby.apply(step, 8000, number)
            absence = lobby.absences["first"]
            self.assertEqual((absence["loss"], absence["cover"]), expected)
        lobby.apply({"Started": {"game": 2, "swap": True}}, 9000, 8)
        self.assertEqual((lobby.absences["first"], lobby.absences["second"]["loss"]), (None, "closed"))
        lobby.apply({"Back": {"side": "second"}}, 9500, 9)
        self.assertEqual((lobby.absences["second"], lobby.began, lobby.seen), (None, 9000, 9))


if __name__ == "__main__":
    unittest.main()
