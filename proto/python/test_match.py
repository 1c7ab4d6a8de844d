"""Tests of clocks, offers, matches, watching and chat: a server's words are written here, and nobody waits."""

import unittest

from nim_client import Client, Refused, words
from nim_clock import Clocks
from nim_games import read_position
from nim_lobby import Lobby
from nim_values import Malformed
from test_return import CAUGHT_UP, RETURNED, WELCOME, Servers, ended, entered, event, moved, refused
from test_vectors import load

FISCHER = {"Fischer": {"base": 10000, "bonus": 3000}}
DELAY = {"Delay": {"base": 10000, "delay": 2000}}


def snapshot(clock="None", since=None, **changes):
    """The lobby of ``entered``, by this clock."""
    lobby = entered(**changes)["Entered"]["lobby"]
    base = {"Move": 5000, "Fischer": 10000, "Delay": 10000}.get(next(iter(clock)) if clock != "None" else "", 0)
    free = 2000 if clock == DELAY else 0
    clocks = {"left": {"first": base, "second": base}, "free": free, "since": since}
    return {**lobby, "conditions": {**lobby["conditions"], "clock": clock}, "clocks": clocks, **changes}


def take(lobby, at, count=1):
    side, player = (lobby.to_move, 1 if lobby.to_move == "first" else 2)
    mv = {"Nim": {"pile": 0, "count": count}}
    lobby.apply({"Moved": {"turn": lobby.turn, "player": player, "mv": mv, "hand": "own"}}, at, lobby.seen + 1)
    return side


def happen(lobby, what, at=0):
    lobby.apply(what, at, lobby.seen + 1)


def answer(turn, offer, accept):
    """The answer to what was offered in this turn."""
    return {"Answer": {"turn": turn, "offer": offer, "accept": accept}}


class ClockTest(unittest.TestCase):
    def test_each_rule_gives_and_takes_its_own(self):
        for rule, turns, left in [
            ({"Move": 5000}, (3000, 4999), 5000),
            (FISCHER, (1000, 5000), 10000),
            (DELAY, (1999, 2000, 5000), 7000),
            (DELAY, (60000,), 0),
        ]:
            clocks, now = Clocks(rule), 0
            for turn in turns:
                clocks.since, now = now, now + turn
                clocks.look("first", now)
                clocks.turn_over("first")
            self.assertEqual(clocks.left["first"], left, rule)

    def test_the_worked_example_of_the_page(self):
        told = {"left": {"first": 290000, "second": 303000}, "free": 0, "since": 62000}
        clocks = Clocks({"Fischer": {"base": 300000, "bonus": 3000}}, told)
        clocks.look("first", 71000)
        self.assertEqual(clocks.left["first"], 281000)
        clocks.turn_over("first")
        self.assertEqual(clocks.left["first"], 284000)

    def test_looking_in_between_changes_nothing(self):
        often, once = Clocks(DELAY), Clocks(DELAY)
        for clocks, moments in [(often, (600, 1700, 2400, 2600, 5000)), (once, (5000,))]:
            clocks.since = 500
            for at in moments:
                clocks.look("first", at)
                clocks.since = at
        self.assertEqual((often.left, often.free), (once.left, once.free))
        self.assertEqual(often.left["first"], 7500)

    def test_a_lobby_knows_what_is_left_at_every_moment(self):
        lobby = Lobby("first", snapshot(FISCHER, since=1000))
        self.assertEqual([lobby.clock_left(side, 4000) for side in ("first", "second")], [7000, 10000])
        take(lobby, 5000)
        self.assertEqual([lobby.clock_left(side, 6500) for side in ("first", "second")], [9000, 8500])
        self.assertEqual(lobby.clock_left("second", 99999), 0)
        happen(lobby, {"Ended": {"result": {"outcome": {"Win": "first"}, "cause": "time"}}}, 16000)
        self.assertEqual([lobby.clock_left(side, 99999) for side in ("first", "second")], [9000, 0])
        self.assertIsNone(Lobby("first", snapshot()).clock_left("first", 0))

    def test_a_clock_stands_while_the_game_rests_and_while_nobody_is_there(self):
        lobby = Lobby("first", snapshot({"Move": 5000}, since=1000))
        happen(lobby, "Paused", 2000)
        self.assertEqual(lobby.clock_left("first", 90000), 4000)
        happen(lobby, {"Resumed": {"side": "second"}}, 90000)
        self.assertEqual(lobby.clock_left("first", 91000), 3000)
        happen(lobby, {"Away": {"side": "first", "since": 91000, "loss": "closed"}}, 91000)
        self.assertEqual(lobby.clock_left("first", 92000), 2000, "the other one is there")
        happen(lobby, {"Away": {"side": "second", "since": 92000, "loss": "closed"}}, 92000)
        self.assertEqual((lobby.clock_left("first", 99000), lobby.began), (2000, 90000))
        happen(lobby, {"Back": {"side": "second"}}, 99000)
        self.assertEqual((lobby.clock_left("first", 99500), lobby.began), (1500, 99000))


class Offers(unittest.TestCase):
    def test_an_offer_lapses_with_the_turn(self):
        lobby = Lobby("first", snapshot())
        happen(lobby, {"Offered": {"side": "second", "offer": "draw"}})
        self.assertEqual((lobby.asked_for, lobby.may_offer("draw")), ("draw", False))
        happen(lobby, {"Declined": {"side": "first"}})
        self.assertEqual((lobby.asked_for, lobby.may_offer("draw"), lobby.offered["second"]), (None, True, {"draw"}))
        happen(lobby, {"Offered": {"side": "first", "offer": "pause"}})
        self.assertEqual((lobby.asked_for, lobby.offer["offer"]), (None, "pause"))
        take(lobby, 0)
        self.assertEqual((lobby.offer, lobby.offered), (None, {"first": set(), "second": set()}))

    def test_what_is_taken_back_was_never_played_and_turns_go_on(self):
        lobby = Lobby("first", snapshot())
        for count in (1, 2, 3):
            take(lobby, 0, count)
        happen(lobby, {"TakenBack": {"moves": 2}})
        self.assertEqual((lobby.position.piles, lobby.turn, lobby.to_move), ((20,), 5, "second"))
        happen(lobby, {"TakenBack": {"moves": 1}})
        self.assertEqual((lobby.position.piles, lobby.turn, lobby.my_turn), ((21,), 6, True))
        with self.assertRaises(Malformed):
            happen(lobby, {"TakenBack": {"moves": 1}})

    def test_a_position_that_is_taken_back_has_not_come_up(self):
        lobby = Lobby("first", snapshot(variant="pong-hau-ki", base="xx.oo first"))
        steps = [(0, 2), (3, 0), (2, 3), (0, 2), (3, 0), (2, 3)]

        def slide(start, end):
            mv = {"PongHauKi": {"from": start, "to": end}}
            happen(lobby, {"Moved": {"turn": lobby.turn, "player": 1, "mv": mv, "hand": "own"}})

        for step in steps:
            slide(*step)
        for _ in range(2):
            happen(lobby, {"TakenBack": {"moves": 1}})
            slide(*steps[-1])
        self.assertIsNotNone(lobby.to_move, "the second time, however often it was taken back")

    def test_a_snapshot_knows_the_moves_since_its_base(self):
        made = [(3, "own"), (2, "stand_in")]
        past = [{"mv": {"Nim": {"pile": 0, "count": count}}, "hand": hand} for count, hand in made]
        lobby = Lobby(None, snapshot(past=past, turn=3))
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
            Lobby("first", snapshot(past=past))

    def test_nobody_moves_while_the_game_rests(self):
        lobby = Lobby("first", snapshot(paused=True))
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
            lobby = Lobby("first", snapshot())
            lobby.conditions["best_of"], lobby.score = best_of, dict(zip(("first", "second", "Draw"), score))
            self.assertEqual(lobby.decision, decision, score)
            lobby.conditions["best_of"] = 0

    def test_the_score_goes_with_the_players_and_begins_anew(self):
        lobby = Lobby("first", snapshot())
        lobby.conditions = {**lobby.conditions, "best_of": 3}
        win = {"Ended": {"result": {"outcome": {"Win": "first"}, "cause": "rules"}}}
        happen(lobby, win)
        happen(lobby, {"Started": {"game": 2, "swap": True}})
        self.assertEqual((lobby.you, lobby.score), ("second", {"first": 0, "second": 1, "Draw": 0}))
        happen(lobby, {"Ended": {"result": {"outcome": "Draw", "cause": "agreed"}}})
        happen(lobby, {"Started": {"game": 3, "swap": True}})
        happen(lobby, win)
        self.assertEqual((lobby.decision, lobby.score), ("first", {"first": 2, "second": 0, "Draw": 1}))
        happen(lobby, {"Started": {"game": 4, "swap": True}})
        self.assertEqual(lobby.score, {"first": 0, "second": 0, "Draw": 0})


def said(*numbers, room="players"):
    return {"Said": [{"number": n, "room": room, "name": "ben", "at": 0, "words": f"line {n}"} for n in numbers]}


class Talks(unittest.TestCase):
    def client(self, *scripts, enter=lambda client: client.join("brave-otter")):
        self.servers = Servers(*scripts)
        self.addCleanup(self.servers.close)
        client = Client.connect("here", "anna", dial=self.servers.dial, patience=self.servers.patience())
        enter(client)
        return client

    def asked(self, connection=0):
        return [message["Lobby"]["request"] for message in self.servers.heard(connection) if "Lobby" in message]

    def play(self, *told):
        client = self.client([WELCOME, entered(), *told, ended(99)])
        client.play_game(lambda _: (0, 1))
        return self.asked()

    def test_a_line_that_comes_twice_is_told_once(self):
        back = [WELCOME, RETURNED, said(1, 2, 3), CAUGHT_UP, said(4)]
        client = self.client([WELCOME, entered(), said(1), said(2)], back)
        told = [[line["number"] for line in fields] for name, fields in (next(client) for _ in range(5)) if name == "Said"]
        self.assertEqual(told, [[1], [2], [3], [4]])
        self.assertEqual([line["words"] for line in client.lobby.chat], [f"line {n}" for n in (1, 2, 3, 4)])

    def test_a_muted_player_is_not_heard_until_unmuted(self):
        offered = event(5, {"Offered": {"side": "second", "offer": "draw"}})
        client = self.client([WELCOME, entered(), said(1), said(2), offered, said(3)])
        self.assertEqual([line["number"] for line in next(client)[1]], [1])
        client.mute("ben")
        self.assertEqual(next(client)[0], "Offered")
        client.unmute("ben")
        self.assertEqual([line["number"] for line in next(client)[1]], [3])
        self.assertEqual(len(client.lobby.chat), 3)

    def test_what_is_offered_is_answered(self):
        move = {"Play": {"turn": 1, "mv": {"Nim": {"pile": 0, "count": 1}}}}
        for offer, accept in [("draw", False), ("takeback", True), ("pause", True)]:
            offered = event(5, {"Offered": {"side": "second", "offer": offer}})
            self.assertEqual(self.play(moved(4, 1, 1, 1), offered), [answer(2, offer, accept)])
            self.assertEqual(self.play(event(4, {"Offered": {"side": "first", "offer": offer}})), [move])

    def test_after_a_rest_and_after_a_takeback_the_game_goes_on(self):
        offered = [event(4, {"Offered": {"side": "second", "offer": "pause"}}), event(5, "Paused")]
        asked = self.play(*offered, event(6, {"Resumed": {"side": "second"}}), moved(7, 1, 1, 1))
        self.assertEqual([*map(next, map(iter, asked))], ["Answer", "Play"])
        back = [event(7, {"Offered": {"side": "second", "offer": "takeback"}}), event(8, {"TakenBack": {"moves": 2}})]
        asked = self.play(moved(4, 1, 1, 1), moved(5, 2, 2, 1), moved(6, 3, 1, 1), *back)
        self.assertEqual(asked[-1], answer(4, "takeback", True))

    def test_an_answer_that_comes_too_late_is_no_error(self):
        offered = event(5, {"Offered": {"side": "second", "offer": "draw"}})
        late = [moved(6, 2, 2, 1), refused(2, {"Lobby": "NoOffer"}), moved(7, 3, 1, 1)]
        self.assertEqual(len(self.play(moved(4, 1, 1, 1), offered, *late)), 2)

    def test_requests_of_a_match_are_made_again_while_they_make_sense(self):
        offered = event(4, {"Offered": {"side": "second", "offer": "draw"}})
        mine = event(4, {"Offered": {"side": "first", "offer": "draw"}})
        over = {"Over": {"result": {"outcome": "Draw", "cause": "rules"}, "again": {"first": False, "second": False}}}
        for request, state, before, missed, expected in [
            (lambda client: client.offer("draw"), {}, [], [], [{"Offer": "draw"}]),
            (lambda client: client.offer("draw"), {}, [], [mine], []),
            (lambda client: client.offer("draw"), {}, [], [moved(4, 1, 1, 1, "stand_in")], []),
            (lambda client: client.answer(True), {}, [offered], [], [answer(1, "draw", True)]),
            (lambda client: client.answer(True), {}, [offered], [moved(5, 1, 1, 1, "stand_in")], []),
            (Client.go_on, {"paused": True}, [], [], ["Resume"]),
            (Client.go_on, {"paused": True}, [], [event(4, {"Resumed": {"side": "second"}})], []),
            (lambda client: client.say("hello"), {"phase": over}, [], [], []),
        ]:
            client = self.client([WELCOME, entered(**state), *before], [WELCOME, RETURNED, *missed, CAUGHT_UP])
            for _ in before:
                next(client)
            request(client)
            self.assertEqual(next(client)[0], "Returned")
            self.assertEqual(self.asked(1), expected)

    def test_a_review_is_told_or_refused(self):
        reviewed = next(v for v in load("to_client.json") if v["name"] == "reviewed")["value"]
        over = {"Over": {"result": {"outcome": "Draw", "cause": "rules"}, "again": {"first": False, "second": False}}}
        client = self.client([WELCOME, entered(phase=over), said(1), reviewed])
        self.assertEqual(client.review(3), reviewed["Reviewed"])
        self.assertEqual((self.asked(), next(client)[0]), ([{"Review": {"number": 3}}], "Said"))
        client = self.client([WELCOME, entered(phase=over), refused(2, {"Lobby": {"NoSuchMove": {"count": 3}}})])
        with self.assertRaisesRegex(Refused, "no move of that number: it has 3"):
            client.review(9)

    def test_a_watcher_has_no_side_and_watches_again(self):
        watching = {"Watching": {"lobby": snapshot(watchers=1), "now": 1000}}
        again = {"Watching": {"lobby": snapshot(watchers=1, events=9), "now": 9000}}
        heard = said(1, room="watchers")
        first, then = [WELCOME, watching, heard, moved(4, 1, 1, 2)], [WELCOME, again, heard, CAUGHT_UP]
        client = self.client(first, then, enter=lambda client: client.watch("brave-otter", "open sesame"))
        lobby = client.lobby
        self.assertEqual((lobby.you, lobby.opponent, lobby.my_turn, lobby.asked_for), (None, None, False, None))
        self.assertEqual([next(client)[0] for _ in range(3)], ["Said", "Moved", "Watching"])
        wish = {"Watch": {"code": "brave-otter", "password": "open sesame"}}
        self.assertEqual(self.servers.heard(0)[1]["Hall"]["request"], wish)
        self.assertEqual(self.servers.heard(1)[1]["Hall"]["request"], wish)
        self.assertIs(client.lobby, lobby)

    def test_bots_can_be_watched(self):
        bots = next(v for v in load("to_client.json") if v["name"] == "watching-bots")["value"]
        client = self.client([WELCOME, bots, "Outside"], enter=lambda client: client.create("nim:3-4-5", bot="both"))
        self.assertEqual((client.lobby.you, client.lobby.watchers), (None, 1))
        client.again()
        client.leave()
        self.assertEqual((self.asked(), client.lobby), (["Again", "Leave"], None))

    def test_what_was_refused_is_told_with_its_numbers(self):
        for reason, sentence in [
            ({"TooFast": {"most": 2000}}, "too many requests: 2000 a second are answered here"),
            ({"Chat": {"TooFast": {"most": 5, "seconds": 10}}}, "chat: too many lines: 5 in 10 seconds are passed on"),
            ({"Hall": {"LobbiesFull": {"most": 7}}}, "hall: as many lobbies are open here as may be at once: 7"),
            ({"Lobby": {"TooManyWatchers": {"most": 50}}}, "lobby: no more than 50 may watch there"),
            ({"Hall": "WrongPassword"}, "hall: wrong password"),
        ]:
            self.assertEqual(words(reason), sentence)


if __name__ == "__main__":
    unittest.main()
