"""Tests of nim_client.py without a server: the other end of a pair of sockets says what one would say."""

import socket
import unittest

from nim_client import PORT, Client, Closed, Position, Refused, read_position, split_address, start_of, words
from nim_wire import TO_CLIENT, TO_SERVER, Malformed, NimError, cut, decode, encode
from test_vectors import load

WELCOME = {"version": 1, "name": "anna-2", "server": "x", "ping_after": 15000, "gone_after": 45000}


def frames(sender):
    return [bytes.fromhex(frame["hex"]) for frame in load("session.json") if frame["from"] == sender]


class ClientTest(unittest.TestCase):
    def setUp(self):
        ours, self.server = socket.socketpair()
        self.client = Client(ours)
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
        self.client.hello("anna")
        lobby = self.client.create("java-tech:4", bot="AtOnce")
        moves = iter([(0, 4), (0, 3)])
        with self.assertRaises(Refused) as refused:
            self.client.play_game(lambda _: next(moves))
        self.assertEqual((refused.exception.id, refused.exception.turn), (2, 1))
        self.assertIn("a move takes at most 3", str(refused.exception))
        self.client.play(*next(moves))
        result = self.client.play_game(lambda _: self.fail("it is never her turn again"))
        self.assertEqual(result, {"outcome": {"Win": "First"}, "cause": "Rules"})
        self.assertTrue(lobby.won)
        self.assertEqual((lobby.you, lobby.opponent), ("First", "minimax [bot]"))
        self.client._send({"Ping": 7})
        self.client.leave()
        self.assertIsNone(self.client.lobby)
        self.assertEqual(self.server.recv(65536), b"".join(frames("client")))

    def test_the_name_is_the_one_in_the_welcome(self):
        self.tell({"Welcome": WELCOME})
        self.client.hello("anna")
        self.assertEqual(self.client.name, "anna-2")

    def test_another_version_is_told_with_both_numbers(self):
        self.tell({"Unwelcome": {"Version": {"yours": [1, 0], "ours": [2, 1]}}})
        with self.assertRaisesRegex(Closed, "speaks version 1 .* version 258"):
            self.client.hello("anna")

    def test_a_ping_gets_its_pong(self):
        self.tell({"Ping": 5}, "Outside")
        self.assertEqual(next(self.client), ("Outside", {}))
        self.assertEqual(self.heard(), [{"Pong": 5}])

    def test_messages_of_a_later_release_are_skipped(self):
        self.server.sendall(bytes.fromhex("00000004 0b010203 00000006 050307010203"))
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

    def test_whoever_was_there_before_is_the_opponent_and_sides_are_swapped(self):
        entered = next(v for v in load("to_client.json") if v["name"] == "entered-as-the-second")
        self.tell(entered["value"], {"Lobby": {"number": 3, "event": {"Started": {"game": 2, "swap": True}}}})
        lobby = self.client.join("brave otter")
        self.assertEqual((lobby.you, lobby.opponent, lobby.my_turn), ("Second", "anna", False))
        self.assertEqual(next(self.client), ("Started", {"game": 2, "swap": True}))
        self.assertEqual((lobby.you, lobby.opponent, lobby.my_turn), ("First", "anna", True))

    def test_an_impossible_move_is_not_believed(self):
        self.server.sendall(b"".join(frames("server")[:4]))
        moved = {"turn": 1, "player": 1, "mv": {"Nim": {"pile": 9, "count": 1}}}
        self.tell({"Lobby": {"number": 4, "event": {"Moved": moved}}})
        self.client.hello("anna")
        self.client.create("java-tech:4", bot="AtOnce")
        with self.assertRaises(Malformed):
            self.client.play_game(lambda _: (0, 1))

    def test_a_silent_server_is_asked_and_then_given_up(self):
        self.client.ping_after, self.client.gone_after = 0.01, 0.02
        with self.assertRaisesRegex(Closed, "nothing was heard"):
            next(self.client)
        self.assertEqual(self.heard(), [{"Ping": 0}])

    def test_a_closed_connection_is_told(self):
        self.server.close()
        with self.assertRaises(Closed):
            next(self.client)


class Texts(unittest.TestCase):
    def test_variants(self):
        self.assertEqual(start_of("java-tech:21"), Position((21,), 3, True))
        self.assertEqual(start_of("zero-sum:11"), Position((11,), 2, True))
        self.assertEqual(start_of("one-two-ten"), Position((10,), 2, False))
        self.assertEqual(start_of("take:7:4:misere"), Position((7,), 4, True))
        self.assertEqual(start_of("nim:3-4-5:normal"), Position((3, 4, 5), None, False))
        self.assertEqual(start_of("nim:3-4-5:max=2:misere"), Position((3, 4, 5), 2, True))
        too_large, too_many = "java-tech:1000000000000000001", f"nim:{'-'.join('1' * 17)}:normal"
        bad = [
            "java-tech",
            "java-tech:0",
            "java-tech:x",
            "take:7:4",
            "one-two-ten:5",
            "nim:3-4-5",
            "nim:3--5:normal",
            "chess",
        ]
        for text in ("", too_large, too_many, *bad):
            with self.subTest(text), self.assertRaises(NimError):
                start_of(text)

    def test_positions(self):
        self.assertEqual(read_position("java-tech:21", "13 first"), Position((13,), 3, True))
        three = Position((3, 0, 5), None, False, "Second")
        self.assertEqual(read_position("nim:3-4-5:normal", "3-0-5 second"), three)
        self.assertEqual(read_position("one-two-ten", "7 second"), Position((3,), 2, False, "Second"))
        for text in ("", "13", "22 first", "13 third", "1-2 first", "-1 first", "13 first ", "x first"):
            with self.subTest(text), self.assertRaises(Malformed):
                read_position("java-tech:21", text)

    def test_moves(self):
        position = Position((3, 0, 5), 2, False)
        self.assertEqual(position.choices(), [(0, 2), (2, 2)])
        self.assertEqual(position.play(2, 2), Position((3, 0, 3), 2, False, "Second"))
        for pile, count in ((0, 0), (0, 3), (1, 1), (3, 1), (-1, 1)):
            with self.subTest((pile, count)), self.assertRaises(ValueError):
                position.play(pile, count)

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
        self.assertEqual(words({"Hall": {"Variant": "a\x1b[2Jb"}}), "hall: variant: a?[2Jb")


if __name__ == "__main__":
    unittest.main()
