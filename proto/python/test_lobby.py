"""Tests of what a lobby knows of players who are away, and of its sentence about what it waits for."""

import unittest

from nim_lobby import Lobby
from test_return import entered

RULE = {"then": "StandIn", "closed_after": 10000, "silent_after": 40000, "kept_for": 900000, "rests_for": 604800000}


class Waits(unittest.TestCase):
    def lobby(self, then="StandIn", clock="None", **changes):
        snapshot = entered(**changes)["Entered"]["lobby"]
        agreed = {**snapshot["conditions"], "away": {**RULE, "then": then}, "clock": clock}
        return Lobby("Second", {**snapshot, "conditions": agreed, "began": 5000})

    def away(self, loss="Closed", cover="Agreed"):
        return {"first": {"since": 3000, "loss": loss, "cover": cover}, "second": None}

    def test_what_a_lobby_waits_for(self):
        def over(again):
            return {"Over": {"result": {"outcome": "Draw", "cause": "Rules"}, "again": again}}

        nobody = {"first": False, "second": False}
        ben = {"id": 2, "name": "ben", "kind": "Person"}
        left = {"first": {"id": 1, "name": "anna", "kind": "Person"}, "second": None}
        bots = {side: {"id": 3, "name": side, "kind": "Bot"} for side in ("first", "second")}
        both = {**self.away(), "second": {"since": 7000, "loss": "Closed", "cover": "Agreed"}}
        for then, changes, sentence in [
            ("StandIn", {}, "anna's turn."),
            ("StandIn", {"absences": self.away()}, "away for 6 seconds; a stand-in plays in 6 seconds; anna can have the seat back at once."),
            ("StandIn", {"absences": self.away("Silent")}, "last heard 6 seconds ago; a stand-in plays in 36 seconds; anna can have the seat back at once."),
            ("StandIn", {"absences": self.away(cover="StandIn")}, "a stand-in plays; anna can have the seat back at once."),
            ("StandIn", {"absences": self.away(cover="Waited")}, "the game waits for anna."),
            ("Wait", {"absences": self.away()}, "away for 6 seconds; the game waits for anna."),
            ("Forfeit", {"absences": self.away()}, "the game can be claimed in 6 seconds."),
            ("StandIn", {"absences": self.away(), "base": "20 second"}, "ben's turn; anna is away for 6 seconds."),
            ("StandIn", {"absences": both}, "Nobody is here; everything stands still, and is given up in 14 minutes 58 seconds."),
            ("StandIn", {"absences": both, "phase": "Waiting"}, "given up in 14 minutes 56 seconds."),
            ("StandIn", {"phase": "Waiting"}, "when somebody sits down in brave-otter."),
            ("StandIn", {"phase": over(nobody)}, "another one starts when both want it."),
            ("StandIn", {"phase": over(nobody), "seats": bots, "watchers": 1}, "another one starts when somebody who watches wants it."),
            ("StandIn", {"phase": over(nobody), "absences": self.away()}, "the seat is kept for another 14 minutes 56 seconds."),
            ("StandIn", {"paused": True, "absences": self.away()}, "anna's turn; ben can go on with it; anna is away for 6 seconds; once nobody is here, it is kept for 7 days."),
            ("StandIn", {"phase": over(nobody), "seats": left, "gone": {"first": None, "second": ben}}, "another one starts when anna wants it and somebody sits down in brave-otter."),
            ("StandIn", {"phase": "Closed"}, "This lobby is closed."),
            ("StandIn", {"base": "0 second"}, "The game has just ended."),
        ]:
            with self.subTest(sentence):
                self.assertTrue(self.lobby(then, **changes).why(9000).endswith(sentence))
        self.assertTrue(self.lobby("Forfeit", absences=self.away()).why(15000).endswith("the game can be claimed."))

    def test_no_stand_in_is_promised_where_the_flag_falls_first(self):
        clocks = {"left": {"first": 3000, "second": 3000}, "free": 0, "since": 5000}
        for then, words in [("StandIn", "a stand-in plays; anna can have the seat back at once"), ("Forfeit", "the game can be claimed")]:
            lobby = self.lobby(then, absences=self.away(), clock={"Move": 3000}, clocks=clocks)
            sentence = f"anna's turn; away for 3 seconds; the clock runs out before {words}; 2 seconds left on the clock."
            self.assertEqual(lobby.why(6000), sentence)
            self.assertIn("With this clock, whoever is away runs out of time before", lobby.terms[1])

    def test_whoever_has_left_keeps_their_name(self):
        lobby = self.lobby()
        lobby.apply({"Ended": {"result": {"outcome": {"Win": "Second"}, "cause": "Left"}}}, 8000, 4)
        lobby.apply({"Left": {"side": "First", "how": "Quit"}}, 8000, 5)
        self.assertIn("(ben won: anna left)", lobby.why(9000))
        self.assertEqual((lobby.opponent, lobby.seats["First"]), ("anna", None))

    def test_the_time_of_an_absent_player_begins_anew_with_each_turn(self):
        lobby = self.lobby(absences=self.away())
        self.assertEqual(lobby.runs_out, 15000)
        for number, turn, player, at, runs_out in [(4, 1, 1, 11000, None), (5, 2, 2, 12000, 22000)]:
            mv = {"Nim": {"pile": 0, "count": 1}}
            lobby.apply({"Moved": {"turn": turn, "player": player, "mv": mv, "hand": "Own"}}, at, number)
            self.assertEqual(lobby.runs_out, runs_out)

    def test_an_absence_from_its_beginning_to_its_end(self):
        lobby = self.lobby()
        steps = [
            ({"Away": {"side": "First", "since": 6000, "loss": "Silent"}}, ("Silent", "Agreed")),
            ({"StoodIn": {"side": "First"}}, ("Silent", "StandIn")),
            ({"Away": {"side": "First", "since": 7000, "loss": "Closed"}}, ("Closed", "StandIn")),
            ({"Ended": {"result": {"outcome": "Draw", "cause": "Rules"}}}, ("Closed", "Agreed")),
        ]
        for number, (step, expected) in enumerate(steps, 4):
            lobby.apply(step, 8000, number)
            absence = lobby.absences["First"]
            self.assertEqual((absence["loss"], absence["cover"]), expected)
        lobby.apply({"Started": {"game": 2, "swap": True}}, 9000, 8)
        self.assertEqual((lobby.absences["First"], lobby.absences["Second"]["loss"]), (None, "Closed"))
        lobby.apply({"Back": {"side": "Second"}}, 9500, 9)
        self.assertEqual((lobby.absences["Second"], lobby.began, lobby.seen), (None, 9000, 9))


if __name__ == "__main__":
    unittest.main()
