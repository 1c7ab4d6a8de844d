"""Tests of nim_client.py without a server: the other end of a pair of sockets says what one would say."""

import socket
import unittest
import unittest.mock

from fake_server import (
    NOBODY, OVER, RETURNED, WELCOME, ClientCase, ended, entered, event, load, moved, refused, said, vector,
)
from nim_client import PORT, Client, Closed, Connection, Malformed, NimError, Refused, split_address, words
from nim_games import read_position
from nim_wire import TO_CLIENT, TO_SERVER, cut, decode, encode


def frames(sender):
    return [bytes.fromhex(frame["hex"]) for frame in load("session.json") if frame["from"] == sender]


class ClientTest(unittest.TestCase):
    def setUp(self):
        ours, self.server = socket.socketpair()
        self.client = Client(Connection(ours), "anna")
        self.addCleanup(ours.close)
        self.addCleanup(self.server.close)

    def tell(self, *messages):
        for message in messages:
            self.server.sendall(encode(TO_CLIENT, message))

    def heard(self):
        """All that the client has said."""
        buffer, messages = bytearray(self.server.recv(65536)), []
        while buffer:
            messages.append(decode(TO_SERVER, cut(buffer)))
        return messages

    def test_the_session_of_the_page(self):
        self.client = Client(self.client.connection, "anna", kind="person")
        self.server.sendall(b"".join(frames("server")))
        self.client.hello()
        self.assertEqual(self.client.name, "anna")
        ticket = [number * 0x11 for number in range(16)]
        with unittest.mock.patch("nim_client.new_ticket", return_value=ticket):
            lobby = self.client.create("java-tech:4", bot="at_once")
        moves = iter([(0, 4), (0, 3)])
        with self.assertRaises(Refused) as refused:
            self.client.play_game(lambda _: next(moves))
        self.assertEqual((refused.exception.id, refused.exception.turn), (2, 1))
        self.assertIn("a move takes at most 3", str(refused.exception))
        self.client.play(*next(moves))
        result = self.client.play_game(lambda _: self.fail("it is never her turn again"))
        self.assertEqual(result, {"outcome": {"Win": "first"}, "cause": "rules"})
        self.assertTrue(lobby.won)
        self.assertEqual((lobby.you, lobby.opponent), ("first", "minimax [bot, perfect]"))
        self.client.connection.send({"Ping": 7})
        self.client.leave()
        self.assertIsNone(self.client.lobby)
        self.assertEqual(self.server.recv(65536), b"".join(frames("client")))

    def test_another_version_is_told_with_both_numbers(self):
        self.tell({"Unwelcome": {"Version": {"yours": [1, 0], "ours": [2, 1]}}})
        with self.assertRaisesRegex(Closed, "version .yours: 1, ours: 258."):
            self.client.hello()

    def test_a_ping_gets_its_pong(self):
        self.tell({"Ping": 5}, "Outside")
        self.assertEqual(next(self.client), ("Outside", {}))
        self.assertEqual(self.heard(), [{"Pong": 5}])

    def test_messages_of_a_later_release_are_skipped(self):
        self.server.sendall(bytes.fromhex("00000004 63010203 00000007 05030063010203"))
        self.tell("Outside")
        self.assertEqual(next(self.client), ("Outside", {}))

    def test_a_refusal_for_an_unknown_reason_is_a_refusal(self):
        self.server.sendall(bytes.fromhex("00000005 0207090163"))
        with self.assertRaises(Refused) as refused:
            next(self.client)
        self.assertEqual((refused.exception.id, refused.exception.turn), (7, 9))

    def test_the_news_between_a_request_and_its_answer_is_kept(self):
        lobbies = {"Lobbies": {"listed": [], "gone": ["brave-otter"], "complete": True}}
        self.tell({"Hall": lobbies}, "Outside")
        self.client.leave()
        self.assertEqual(next(self.client)[0], "Lobbies")

    def test_a_silent_server_is_asked_and_then_given_up(self):
        self.client.connection.ping_after, self.client.connection.gone_after = 0.01, 0.02
        with self.assertRaisesRegex(Closed, "nothing was heard"):
            next(self.client)
        self.assertEqual(self.heard(), [{"Ping": 0}])


class Texts(unittest.TestCase):
    def test_addresses(self):
        self.assertEqual(split_address("example.org"), ("example.org", PORT))
        self.assertEqual(split_address("127.0.0.1:80"), ("127.0.0.1", 80))
        self.assertEqual(split_address("[::1]:80"), ("::1", 80))
        self.assertEqual(split_address("[::1]"), ("::1", PORT))
        self.assertEqual(split_address("::1"), ("::1", PORT))
        for text in ("", ":80", "host:", "host:x", "host:65536", "[::1]:x", "[]:80", "[::1", "a]b"):
            with self.subTest(text), self.assertRaises(NimError):
                split_address(text)

    def test_reasons(self):
        for reason, text in [
            ({"Lobby": "SeatTaken"}, "lobby: seat taken"),
            ({"Name": "TooLong"}, "name: too long"),
            ({"Hall": {"Variant": "a\x1b[2Jb"}}, "hall: variant: a?[2Jb"),
            ({"TooFast": {"most": 2000}}, "too fast (most: 2000)"),
            ({"Chat": {"TooFast": {"most": 5, "seconds": 10}}}, "chat: too fast (most: 5, seconds: 10)"),
        ]:
            self.assertEqual(words(reason), text)


def answer(turn, offer, accept):
    """The answer to what was offered in this turn."""
    return {"Answer": {"turn": turn, "offer": offer, "accept": accept}}


class Games(ClientCase):
    def test_the_player_who_was_there_before_is_the_opponent_and_sides_are_swapped(self):
        client = self.client([WELCOME, vector("entered-as-the-second"), event(3, {"Started": {"game": 2, "swap": True}})])
        lobby = client.lobby
        self.assertEqual((lobby.you, lobby.opponent, lobby.my_turn), ("second", "anna", False))
        self.assertEqual(next(client), ("Started", {"game": 2, "swap": True}))
        self.assertEqual((lobby.you, lobby.opponent, lobby.my_turn), ("first", "anna", True))

    def test_a_move_of_each_game_is_sent_and_heard(self):
        for variant, position, move, mv, after in [
            ("nim:3-4-5:normal", "3-4-5 first", (2, 5), {"Nim": {"pile": 2, "count": 5}}, "3-4-0 second"),
            ("even-or-odd:15", "15 0-0 first", (3,), {"EvenOrOdd": 3}, "12 3-0 second"),
            ("tic-tac-toe", ".../.../...", (4,), {"TicTacToe": 4}, ".../.x./..."),
            ("connect-four", "-", (2,), {"ConnectFour": 2}, "3"),
            ("pong-hau-ki", "xx.oo first", (0, 2), {"PongHauKi": {"from": 0, "to": 2}}, ".xxoo second"),
            ("mu-torere", "xxxxoooo. first", (3, 8), {"MuTorere": {"from": 3, "to": 8}}, "xxx.oooox second"),
        ]:
            with self.subTest(variant):
                client = self.client([WELCOME, entered(variant=variant, base=position), moved(4, 1, 1, mv)])
                client.play(*move)
                self.assertEqual((self.asked(), next(client)[0]), ([{"Play": {"turn": 1, "mv": mv}}], "Moved"))
                self.assertEqual(client.lobby.position, read_position(variant, after))

    def test_an_impossible_move_is_not_believed(self):
        for mv in ({"Nim": {"pile": 9, "count": 1}}, {"EvenOrOdd": 1}):
            client = self.client([WELCOME, entered(), moved(4, 1, 1, mv)])
            with self.assertRaises(Malformed):
                client.play_game(lambda _: (0, 1))

    def test_what_choose_returns_has_to_be_a_move(self):
        for variant, position, wrong, complaint in [
            ("nim:3-4-5:normal", "3-4-5 first", None, r"returned None: .*\(pile, count\).*such as \(0, 1\)"),
            ("nim:3-4-5:normal", "3-4-5 first", 3, r"returned 3: a move here is \(pile, count\)"),
            ("nim:3-4-5:normal", "3-4-5 first", (1, 2, 3), r"returned \(1, 2, 3\)"),
            ("nim:3-4-5:normal", "3-4-5 first", ("a", 1), r"returned \('a', 1\).*whole numbers"),
            ("even-or-odd:15", "15 0-0 first", (True,), r"\(number,\), whole numbers, such as \(1,\)"),
        ]:
            client = self.client([WELCOME, entered(variant=variant, base=position), said(1)])
            with self.subTest(wrong), self.assertRaisesRegex(NimError, complaint):
                client.play_game(lambda _: wrong)

    def play(self, *told):
        client = self.client([WELCOME, entered(), *told, ended(99)])
        client.play_game(lambda _: (0, 1))
        return self.asked()

    def test_a_line_that_comes_twice_is_told_once(self):
        back = [WELCOME, RETURNED, said(1, 2, 3), said(4)]
        client = self.client([WELCOME, entered(), said(1), said(2)], back)
        told = [[line["number"] for line in fields] for name, fields in (next(client) for _ in range(5)) if name == "Said"]
        self.assertEqual(told, [[1], [2], [3], [4]])
        self.assertEqual([line["words"] for line in client.lobby.chat], [f"line {n}" for n in (1, 2, 3, 4)])

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

    def test_a_review_is_told_or_refused(self):
        reviewed = vector("reviewed")
        client = self.client([WELCOME, entered(phase=OVER), said(1), reviewed])
        self.assertEqual(client.review(3), reviewed["Reviewed"])
        self.assertEqual((self.asked(), next(client)[0]), ([{"Review": {"number": 3}}], "Said"))
        client = self.client([WELCOME, entered(phase=OVER), refused(2, {"Lobby": {"NoSuchMove": {"count": 3}}})])
        with self.assertRaisesRegex(Refused, "no such move .count: 3."):
            client.review(9)

    def test_a_watcher_has_no_side_and_watches_again(self):
        watching = {"Watching": {"lobby": entered(attendance={**NOBODY, "watchers": 1})["Entered"]["lobby"], "now": 1000}}
        again = {"Watching": {"lobby": entered(attendance={**NOBODY, "watchers": 1}, events=9)["Entered"]["lobby"], "now": 9000}}
        heard = said(1, room="watchers")
        first, then = [WELCOME, watching, heard, moved(4, 1, 1, 2)], [WELCOME, again, heard]
        client = self.client(first, then, enter=lambda client: client.watch("brave-otter", "open sesame"))
        lobby = client.lobby
        self.assertEqual((lobby.you, lobby.opponent, lobby.my_turn, lobby.asked_for), (None, None, False, None))
        self.assertEqual([next(client)[0] for _ in range(3)], ["Said", "Moved", "Watching"])
        wish = {"Watch": {"code": "brave-otter", "password": "open sesame"}}
        self.assertEqual(self.servers.heard(0)[1]["Hall"]["request"], wish)
        self.assertEqual(self.servers.heard(1)[1]["Hall"]["request"], wish)
        self.assertIs(client.lobby, lobby)

    def test_bots_can_be_watched(self):
        bots = vector("watching-bots")
        client = self.client([WELCOME, bots, "Outside"], enter=lambda client: client.create("nim:3-4-5", bot="both"))
        self.assertEqual((client.lobby.you, client.lobby.watchers), (None, 1))
        client.again()
        client.leave()
        self.assertEqual((self.asked(), client.lobby), (["Again", "Leave"], None))


if __name__ == "__main__":
    unittest.main()
