"""Tests of nim_client.py without a server: the other end of a pair of sockets says what one would say."""

import socket
import unittest
import unittest.mock

from nim_client import PORT, Client, Closed, Link, Malformed, NimError, Refused, split_address, words
from nim_games import read_position
from nim_wire import TO_CLIENT, TO_SERVER, cut, decode, encode
from test_vectors import load

WELCOME = {"version": 1, "name": "anna-2", "server": "x", "ping_after": 15000, "gone_after": 45000}


def frames(sender):
    return [bytes.fromhex(frame["hex"]) for frame in load("session.json") if frame["from"] == sender]


class ClientTest(unittest.TestCase):
    def setUp(self):
        ours, self.server = socket.socketpair()
        self.client = Client(Link(ours), "anna")
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
        self.server.sendall(b"".join(frames("server")))
        self.client.hello()
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
        self.client.link.send({"Ping": 7})
        self.client.leave()
        self.assertIsNone(self.client.lobby)
        self.assertEqual(self.server.recv(65536), b"".join(frames("client")))

    def test_the_name_is_the_one_in_the_welcome(self):
        self.tell({"Welcome": WELCOME})
        self.client.hello()
        self.assertEqual(self.client.name, "anna-2")

    def test_another_version_is_told_with_both_numbers(self):
        self.tell({"Unwelcome": {"Version": {"yours": [1, 0], "ours": [2, 1]}}})
        with self.assertRaisesRegex(Closed, "speaks version 1 .* version 258"):
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

    def test_the_player_who_was_there_before_is_the_opponent_and_sides_are_swapped(self):
        entered = next(v for v in load("to_client.json") if v["name"] == "entered-as-the-second")
        self.tell(entered["value"], {"Lobby": {"number": 3, "at": 0, "event": {"Started": {"game": 2, "swap": True}}}})
        lobby = self.client.join("brave otter")
        self.assertEqual((lobby.you, lobby.opponent, lobby.my_turn), ("second", "anna", False))
        self.assertEqual(next(self.client), ("Started", {"game": 2, "swap": True}))
        self.assertEqual((lobby.you, lobby.opponent, lobby.my_turn), ("first", "anna", True))

    def test_an_impossible_move_is_not_believed(self):
        self.server.sendall(b"".join(frames("server")[:4]))
        moved = {"turn": 1, "player": 1, "mv": {"Nim": {"pile": 9, "count": 1}}, "hand": "own"}
        self.tell({"Lobby": {"number": 4, "at": 0, "event": {"Moved": moved}}})
        self.client.hello()
        self.client.create("java-tech:4", bot="at_once")
        with self.assertRaises(Malformed):
            self.client.play_game(lambda _: (0, 1))

    def enter(self, variant, position):
        """Puts the client on the first side of a lobby in which ben sits on the second, and starts a game."""
        entered = next(v for v in load("to_client.json") if v["name"] == "entered-as-the-second")["value"]
        ben = {"id": 2, "name": "ben", "kind": "person"}
        seats = {"first": entered["Entered"]["lobby"]["seats"]["first"], "second": ben}
        lobby = {**entered["Entered"]["lobby"], "variant": variant, "base": position, "seats": seats, "turn": 1}
        started = {"Started": {"game": 1, "swap": False}}
        entered = {**entered["Entered"], "you": "first", "lobby": lobby}
        self.tell({"Entered": entered}, {"Lobby": {"number": 3, "at": 0, "event": started}})
        return self.client.join("brave-otter")

    def test_a_bot_is_named_with_its_level(self):
        entered = next(v for v in load("to_client.json") if v["name"] == "entered-as-the-second")["value"]
        lobby = entered["Entered"]["lobby"]
        bot = {"id": 2, "name": "minimax", "kind": "bot"}
        conditions = {**lobby["conditions"], "level": "easy"}
        seats = {"first": lobby["seats"]["first"], "second": bot}
        lobby = {**lobby, "conditions": conditions, "seats": seats}
        self.tell({"Entered": {**entered["Entered"], "you": "first", "lobby": lobby}})
        entered_lobby = self.client.create("java-tech:21", bot="at_once", level="easy")
        self.assertEqual((entered_lobby.level, entered_lobby.opponent), ("easy", "minimax [bot, easy]"))
        asked = self.heard()[0]["Hall"]["request"]["Create"]
        self.assertEqual(asked["level"], "easy")

    def moved(self, turn, mv):
        self.tell({"Lobby": {"number": 3 + turn, "at": 0, "event": {"Moved": {"turn": turn, "player": 2, "mv": mv, "hand": "own"}}}})

    def test_a_move_of_each_game_is_sent_and_heard(self):
        games = [
            ("nim:3-4-5:normal", "3-4-5 first", (2, 5), {"Nim": {"pile": 2, "count": 5}}, "3-4-0 second"),
            ("even-or-odd:15", "15 0-0 first", (3,), {"EvenOrOdd": 3}, "12 3-0 second"),
            ("tic-tac-toe", ".../.../...", (4,), {"TicTacToe": 4}, ".../.x./..."),
            ("connect-four", "-", (2,), {"ConnectFour": 2}, "3"),
            ("pong-hau-ki", "xx.oo first", (0, 2), {"PongHauKi": {"from": 0, "to": 2}}, ".xxoo second"),
            ("mu-torere", "xxxxoooo. first", (3, 8), {"MuTorere": {"from": 3, "to": 8}}, "xxx.oooox second"),
        ]
        for variant, position, move, mv, after in games:
            with self.subTest(variant):
                lobby = self.enter(variant, position)
                self.assertEqual(next(self.client)[0], "Started")
                self.client.play(*move)
                self.assertEqual(self.heard()[-1]["Lobby"]["request"], {"Play": {"turn": 1, "mv": mv}})
                self.moved(1, mv)
                self.assertEqual(next(self.client)[0], "Moved")
                self.assertEqual(lobby.position, read_position(variant, after))

    def test_what_choose_answers_has_to_be_a_move(self):
        for variant, position, wrong, complaint in [
            ("nim:3-4-5:normal", "3-4-5 first", None, r"answered nothing.*\(pile, count\).*such as \(0, 1\)"),
            ("nim:3-4-5:normal", "3-4-5 first", 3, r"answered 3: a move here is \(pile, count\)"),
            ("nim:3-4-5:normal", "3-4-5 first", (1, 2, 3), r"answered \(1, 2, 3\)"),
            ("nim:3-4-5:normal", "3-4-5 first", ("a", 1), r"answered \('a', 1\).*whole numbers"),
            ("even-or-odd:15", "15 0-0 first", (True,), r"\(number,\), whole numbers, such as \(1,\)"),
        ]:
            with self.subTest(wrong):
                self.enter(variant, position)
                with self.assertRaisesRegex(NimError, complaint):
                    self.client.play_game(lambda _: wrong)

    def test_a_move_of_another_game_is_not_believed(self):
        self.enter("tic-tac-toe", ".../.../...")
        self.moved(1, {"EvenOrOdd": 1})
        with self.assertRaises(Malformed):
            self.client.play_game(lambda _: (0,))

    def test_after_the_third_repetition_it_is_nobodys_turn(self):
        lobby = self.enter("pong-hau-ki", "xx.oo first")
        steps = [(0, 2), (3, 0), (2, 3), (0, 2), (3, 0), (2, 3)] * 2
        for turn, (start, end) in enumerate(steps, 1):
            self.moved(turn, {"PongHauKi": {"from": start, "to": end}})
        result = {"outcome": "Draw", "cause": "repetition"}
        self.tell({"Lobby": {"number": 99, "at": 0, "event": {"Ended": {"result": result}}}})
        turns = [lobby.my_turn for _ in self.until("Ended")]
        self.assertEqual(turns, [True] + [False, True] * 5 + [False, False, False])
        self.assertTrue(lobby.drawn and not lobby.won)

    def until(self, wanted):
        """What the client hears, up to an event of this name."""
        for name, _ in self.client:
            yield name
            if name == wanted:
                return

    def test_a_silent_server_is_asked_and_then_given_up(self):
        self.client.link.ping_after, self.client.link.gone_after = 0.01, 0.02
        with self.assertRaisesRegex(Closed, "nothing was heard"):
            next(self.client)
        self.assertEqual(self.heard(), [{"Ping": 0}])

    def test_a_closed_connection_is_told(self):
        self.server.close()
        with self.assertRaises(Closed):
            next(self.client)


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
        self.assertEqual(words({"Lobby": "SeatTaken"}), "lobby: seat taken")
        self.assertEqual(words({"Name": "Empty"}), "a name needs at least one visible character")
        self.assertEqual(words({"Name": "TooLong"}), "a name has at most 24 characters")
        self.assertEqual(words({"Hall": {"Variant": "a\x1b[2Jb"}}), "hall: variant: a?[2Jb")


if __name__ == "__main__":
    unittest.main()
