"""Tests of coming back: the other ends of pairs of sockets say what a server would say, and nobody really waits."""

import os
import socket
import stat
import tempfile
import unittest

from nim_client import Client, Closed, Link, Lost, NimError, Patience, Refused
from nim_return import hashed, keep, recall
from nim_wire import TO_CLIENT, TO_SERVER, cut, decode, encode
from test_vectors import load

WELCOME = {"Welcome": {"version": 1, "name": "anna", "server": "x", "ping_after": 15000, "gone_after": 45000}}
RETURNED = {"Returned": {"now": 9000}}
CAUGHT_UP = {"Pong": 1}


def entered(**changes):
    """anna sits on the first side of a game of java-tech:21 against ben, and is to move at turn 1."""
    vector = next(v for v in load("to_client.json") if v["name"] == "entered-as-the-second")["value"]["Entered"]
    ben = {"id": 2, "name": "ben", "kind": "person"}
    lobby = {**vector["lobby"], "seats": {"first": {"id": 1, "name": "anna", "kind": "person"}, "second": ben}}
    lobby = {**lobby, "phase": "Playing", "games": 1, "events": 3, "next_player": 3, **changes}
    return {"Entered": {"you": "first", "lobby": lobby, "now": 1000}}


def event(number, event, at=2000):
    return {"Lobby": {"number": number, "at": at, "event": event}}


def moved(number, turn, player, count, hand="own"):
    mv = {"Nim": {"pile": 0, "count": count}}
    return event(number, {"Moved": {"turn": turn, "player": player, "mv": mv, "hand": hand}})


def ended(number, side="first"):
    return event(number, {"Ended": {"result": {"outcome": {"Win": side}, "cause": "resigned"}}})


def refused(id, reason, turn=1):
    return {"Refused": {"id": id, "turn": turn, "refusal": reason}}


class Servers:
    """One connection after another, each with all that it says, and then an end."""

    def __init__(self, *scripts):
        self.scripts, self.sockets, self.slept = list(scripts), [], []
        self.time = 0.0

    def dial(self, _address):
        if not self.scripts:
            raise Lost("no server answers")
        script = self.scripts.pop(0)
        if isinstance(script, Exception):
            raise script
        ours, theirs = socket.socketpair()
        theirs.sendall(b"".join(encode(TO_CLIENT, message) for message in script))
        theirs.shutdown(socket.SHUT_WR)
        self.sockets += [ours, theirs]
        return Link(ours)

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.time += seconds

    def patience(self, give_up=600.0, chance=1.0):
        return Patience(give_up, self.sleep, lambda: self.time, lambda: chance)

    def heard(self, connection):
        """All that the client has said over this connection, the first being 0."""
        theirs = self.sockets[2 * connection + 1]
        theirs.setblocking(False)
        try:
            buffer, messages = bytearray(theirs.recv(65536)), []
        except BlockingIOError:
            return []
        while buffer:
            messages.append(decode(TO_SERVER, cut(buffer)))
        return messages

    def close(self):
        for each in self.sockets:
            each.close()


class Returns(unittest.TestCase):
    def client(self, *scripts, give_up=600.0, **options):
        """A client that has joined a lobby over the first connection."""
        self.servers = Servers(*scripts)
        self.addCleanup(self.servers.close)
        self.said = []
        options = {"patience": self.servers.patience(give_up), "notify": self.said.append, **options}
        client = Client.connect("here", "anna", dial=self.servers.dial, **options)
        client.join("brave-otter")
        return client

    def asked(self, connection):
        """What was asked for in the lobby over this connection."""
        return [message["Lobby"]["request"] for message in self.servers.heard(connection) if "Lobby" in message]

    def test_what_was_missed_is_taken_in_behind_the_last_event_that_was_seen(self):
        back = [WELCOME, RETURNED, {"Ping": 5}, moved(5, 2, 2, 3), event(6, {"Back": {"side": "first"}}), CAUGHT_UP]
        client = self.client([WELCOME, entered(), moved(4, 1, 1, 2)], back)
        self.assertEqual(next(client)[0], "Moved")
        self.assertEqual([next(client)[0] for _ in range(3)], ["Returned", "Moved", "Back"])
        self.assertEqual((client.lobby.turn, client.lobby.position.piles, client.lobby.seen), (3, (16,), 6))
        hello, shown, ping, pong = self.servers.heard(1)
        self.assertEqual(hello["Hello"]["name"], "anna")
        ticket = shown["Hall"]["request"]["Return"]["ticket"]
        self.assertEqual(shown["Hall"]["request"], {"Return": {"code": "brave-otter", "ticket": ticket, "seen": 4}})
        self.assertEqual(ticket, client.tickets[0])
        self.assertEqual([ping, pong], [{"Ping": 1}, {"Pong": 5}])
        self.assertEqual(self.said, ["the server closed the connection; trying to come back"])

    def test_each_return_shows_the_same_ticket(self):
        again = [WELCOME, {"Returned": {"now": 9500}}, CAUGHT_UP]
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, CAUGHT_UP], again)
        self.assertEqual([next(client)[0], next(client)[0]], ["Returned", "Returned"])
        shown = [self.servers.heard(place)[1]["Hall"]["request"]["Return"]["ticket"] for place in (1, 2)]
        self.assertEqual(shown, [client.tickets[0]] * 2)

    def test_a_request_for_a_seat_is_repeated_where_its_answer_was_lost(self):
        client = self.client([WELCOME], [WELCOME, entered()])
        asked = [self.servers.heard(place)[1]["Hall"]["request"]["Join"] for place in (0, 1)]
        self.assertEqual(asked[0], asked[1])
        self.assertEqual(asked[0]["seat"], hashed(client.tickets[0]))

    def test_a_seat_that_the_client_has_already_is_taken_up_by_its_ticket(self):
        held = refused(2, {"Hall": {"SeatHeld": {"code": "brave-otter"}}})
        client = self.client([WELCOME], [WELCOME, held, entered()])
        shown = self.servers.heard(1)[-1]["Hall"]["request"]["Return"]
        self.assertEqual(shown, {"code": "brave-otter", "ticket": client.tickets[0], "seen": 0})
        self.assertEqual(client.lobby.code, "brave-otter")

    def test_a_connection_that_breaks_among_the_missed_events_costs_none_of_them(self):
        half = [WELCOME, RETURNED, moved(4, 1, 1, 1)]
        client = self.client([WELCOME, entered()], half, [WELCOME, RETURNED, moved(5, 2, 2, 1), CAUGHT_UP])
        told = [next(client)[0] for _ in range(4)]
        self.assertEqual(told, ["Returned", "Moved", "Returned", "Moved"])
        self.assertEqual(self.servers.heard(2)[1]["Hall"]["request"]["Return"]["seen"], 4)

    def test_each_wait_is_twice_as_long_as_the_one_before_up_to_5_seconds(self):
        failures = [Lost("nobody")] * 8
        client = self.client([WELCOME, entered()], *failures, [WELCOME, RETURNED, CAUGHT_UP])
        next(client)
        self.assertEqual(self.servers.slept, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0])

    def test_of_each_wait_a_random_part_is_taken_which_is_half_at_least(self):
        servers = Servers()
        for chance, parts in [(0.0, [0.05, 0.1, 0.2]), (0.5, [0.075, 0.15, 0.3])]:
            servers.slept.clear()
            patience = servers.patience(chance=chance)
            self.assertTrue(all(patience.wait() for _ in range(3)))
            self.assertEqual([round(slept, 6) for slept in servers.slept], parts)

    def test_after_its_time_it_gives_up_and_says_why(self):
        client = self.client([WELCOME, entered()], give_up=60.0)
        with self.assertRaisesRegex(Closed, "no server answers; gave up after 60 seconds"):
            next(client)
        self.assertTrue(55 < sum(self.servers.slept) <= 60)

    def test_without_patience_it_does_not_even_try(self):
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, CAUGHT_UP], give_up=0.0)
        with self.assertRaisesRegex(Closed, "^the server closed the connection$"):
            next(client)
        self.assertEqual(len(self.servers.scripts), 1)

    def test_who_came_over_another_connection_is_not_thrown_out_again(self):
        client = self.client([WELCOME, entered(), {"Goodbye": "Elsewhere"}], [WELCOME, RETURNED, CAUGHT_UP])
        with self.assertRaisesRegex(Closed, "taken up again over another connection"):
            next(client)
        self.assertEqual((len(self.servers.scripts), self.servers.slept), (1, []))

    def test_the_last_words_are_heard_though_nothing_can_be_sent_any_more(self):
        client = self.client([WELCOME, entered(), {"Goodbye": "Elsewhere"}])
        self.servers.sockets[1].close()
        client.play(0, 1)
        client.play(0, 1)
        with self.assertRaisesRegex(Closed, "taken up again over another connection"):
            next(client)

    def test_a_server_that_stops_may_come_back(self):
        full = [{"Unwelcome": {"Full": {"most": 2}}}]
        for word in ("Stopping", "Kept", "Silent", "Behind"):
            gone = [WELCOME, entered(), {"Goodbye": word}]
            client = self.client(gone, [{"Unwelcome": "Stopping"}], full, [WELCOME, RETURNED, CAUGHT_UP])
            self.assertEqual(next(client)[0], "Returned")
            said = {"Kept": "all games are kept until it is started again; trying to come back"}.get(word, "")
            self.assertIn(said, self.said[0])

    def test_a_server_of_another_version_is_not_tried_again(self):
        other = [{"Unwelcome": {"Version": {"yours": [1, 0], "ours": [2, 0]}}}]
        client = self.client([WELCOME, entered()], other, [WELCOME, RETURNED, CAUGHT_UP])
        with self.assertRaisesRegex(Closed, "version 2"):
            next(client)

    def test_in_the_hall_there_is_nothing_to_come_back_to(self):
        client = self.client([WELCOME, entered(), "Outside"], [WELCOME, RETURNED, CAUGHT_UP])
        self.assertEqual(next(client)[0], "Outside")
        with self.assertRaises(Lost):
            next(client)

    def test_a_seat_that_is_not_kept_is_a_refusal_and_the_client_is_in_the_hall(self):
        for reason in ("BadTicket", "GivenUp", {"SetAside": {"lobby": 12}}):
            client = self.client([WELCOME, entered()], [WELCOME, refused(2, {"Hall": reason})])
            with self.assertRaises(Refused) as told:
                next(client)
            self.assertEqual((told.exception.reason, client.lobby), ({"Hall": reason}, None))

    def test_who_is_refused_for_a_while_tries_again_and_says_so_once(self):
        for reason in ("NoSuchLobby", {"TooManyGuesses": {"most": 60}}):
            no = [WELCOME, refused(2, {"Hall": reason})]
            client = self.client([WELCOME, entered()], no, no, [WELCOME, RETURNED, CAUGHT_UP])
            self.assertEqual(next(client)[0], "Returned")
            self.assertEqual(len([said for said in self.said if "trying on" in said]), 1)
        halted = [WELCOME, refused(2, {"Halted": {"why": "the disk is full"}})]
        client = self.client([WELCOME, entered()], halted, [WELCOME, RETURNED, CAUGHT_UP])
        self.assertEqual(next(client)[0], "Returned")

    def test_a_move_that_did_not_arrive_is_sent_again_once(self):
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, CAUGHT_UP, moved(4, 1, 1, 3)])
        client.play(0, 3)
        self.assertEqual([next(client)[0], next(client)[0]], ["Returned", "Moved"])
        mv = {"Nim": {"pile": 0, "count": 3}}
        self.assertEqual(self.asked(1), [{"Play": {"turn": 1, "mv": mv}}])

    def test_a_move_that_arrived_is_not_sent_again(self):
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, moved(4, 1, 1, 3), CAUGHT_UP])
        client.play(0, 3)
        self.assertEqual([next(client)[0], next(client)[0]], ["Returned", "Moved"])
        self.assertEqual(self.asked(1), [])

    def test_a_move_that_a_stand_in_made_in_the_meantime_is_not_sent(self):
        missed = [event(4, {"StoodIn": {"side": "first"}}), moved(5, 1, 1, 1, "stand_in"), moved(6, 2, 2, 1)]
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, *missed, CAUGHT_UP])
        client.play(0, 3)
        self.assertEqual(next(client)[0], "Returned")
        self.assertEqual(self.asked(1), [])

    def test_a_move_is_not_sent_into_another_turn_of_a_snapshot(self):
        client = self.client([WELCOME, entered()], [WELCOME, entered(turn=3, events=99), CAUGHT_UP])
        client.play(0, 3)
        self.assertEqual(next(client)[0], "Entered")
        self.assertEqual(self.asked(1), [])

    def test_a_move_is_sent_again_after_a_snapshot_of_the_same_turn(self):
        client = self.client([WELCOME, entered()], [WELCOME, entered(events=99), CAUGHT_UP])
        client.play(0, 3)
        self.assertEqual(next(client)[0], "Entered")
        self.assertEqual(len(self.asked(1)), 1)

    def test_other_requests_are_made_again_while_they_make_sense(self):
        waited_for = {"second": {"since": 1, "loss": "closed", "cover": "Agreed"}, "first": None}
        over = {"Over": {"result": {"outcome": "Draw", "cause": "rules"}, "again": {"first": False, "second": False}}}
        for request, state, missed, expected in [
            (Client.resign, {}, [], ["Resign"]),
            (Client.resign, {}, [moved(4, 1, 1, 1, "stand_in")], ["Resign"]),
            (Client.resign, {}, [ended(4)], []),
            (Client.again, {"phase": over}, [], ["Again"]),
            (Client.again, {"phase": over}, [event(4, {"AgainWanted": {"side": "second"}})], ["Again"]),
            (Client.again, {"phase": over}, [event(4, {"AgainWanted": {"side": "first"}})], []),
            (Client.wait, {"absences": waited_for}, [], ["Wait"]),
            (Client.wait, {"absences": waited_for}, [event(4, {"WaitedFor": {"side": "second"}})], []),
            (Client.wait_no_more, {"absences": waited_for}, [], []),
            (Client.wait_no_more, {"absences": waited_for}, [event(4, {"WaitedFor": {"side": "second"}})], ["WaitNoMore"]),
            (Client.claim, {"absences": waited_for}, [], ["Claim"]),
            (Client.claim, {"absences": waited_for}, [event(4, {"WaitedFor": {"side": "second"}})], ["Claim"]),
            (Client.claim, {"absences": waited_for}, [event(4, {"Back": {"side": "second"}})], []),
        ]:
            with self.subTest(request=request.__name__, missed=missed):
                client = self.client([WELCOME, entered(**state)], [WELCOME, RETURNED, *missed, CAUGHT_UP])
                request(client)
                self.assertEqual(next(client)[0], "Returned")
                self.assertEqual(self.asked(1), expected)

    def test_a_hint_is_asked_for_again_or_refused_as_late(self):
        hint = {"turn": 1, "mv": {"Nim": {"pile": 0, "count": 3}}, "words": "it leaves 1"}
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, CAUGHT_UP, {"Hint": hint}])
        self.assertEqual(client.hint(), hint)
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, moved(4, 1, 1, 1, "stand_in"), CAUGHT_UP])
        with self.assertRaisesRegex(Refused, "hint late"):
            client.hint()
        self.assertEqual(next(client)[0], "Returned")

    def test_who_wants_to_leave_is_outside_in_the_end(self):
        still_there = [WELCOME, RETURNED, CAUGHT_UP, "Outside"]
        left_already = [WELCOME, refused(3, {"Hall": "BadTicket"})]
        for back in (still_there, left_already):
            client = self.client([WELCOME, entered()], back)
            client.leave()
            self.assertIsNone(client.lobby)
        over = {"Over": {"result": {"outcome": "Draw", "cause": "rules"}, "again": {"first": False, "second": False}}}
        client = self.client([WELCOME, entered(phase=over)], still_there)
        client.leave()
        self.assertEqual((client.lobby, len(self.servers.scripts)), (None, 1))

    def test_a_whole_game_goes_on_over_another_connection(self):
        back = [WELCOME, RETURNED, moved(5, 2, 2, 1), CAUGHT_UP, moved(6, 3, 1, 1), ended(7)]
        client = self.client([WELCOME, entered(), moved(4, 1, 1, 2), event(9, {"Back": {"side": "second"}})], back)
        chosen = []
        client.play_game(lambda position: chosen.append(position.piles) or (0, 1))
        self.assertEqual(chosen, [(18,)])
        self.assertEqual(self.asked(1), [{"Play": {"turn": 3, "mv": {"Nim": {"pile": 0, "count": 1}}}}])

    def test_only_the_present_turn_is_played_however_many_were_missed(self):
        missed = [moved(4, 1, 1, 1, "stand_in"), moved(5, 2, 2, 1), moved(6, 3, 1, 1, "stand_in"), moved(7, 4, 2, 1)]
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, *missed, CAUGHT_UP, moved(8, 5, 1, 1), ended(9)])
        client.play_game(lambda _: (0, 1))
        self.assertEqual([request["Play"]["turn"] for request in self.asked(1)], [5])

    def test_a_game_that_ended_meanwhile_is_told_from_the_snapshot(self):
        result = {"outcome": {"Win": "first"}, "cause": "left"}
        over = {"Over": {"result": result, "again": {"first": False, "second": False}}}
        client = self.client([WELCOME, entered()], [WELCOME, entered(phase=over, events=99), CAUGHT_UP])
        lobby = client.lobby
        client.play(0, 1)
        self.assertEqual(client.play_game(lambda _: self.fail("it is over")), result)
        self.assertIs(client.lobby, lobby)
        self.assertTrue(lobby.won)

    def test_an_opponent_who_left_meanwhile_is_still_known_by_name(self):
        missed = [ended(4), event(5, {"Left": {"side": "second", "how": "quit"}})]
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, *missed, CAUGHT_UP])
        client.play(0, 1)
        client.play_game(lambda _: self.fail("it is over"))
        self.assertEqual((client.lobby.opponent, client.lobby.seats["second"]), ("ben", None))

    def test_the_refusal_of_a_move_for_which_a_stand_in_was_quicker_is_no_error(self):
        overtaken = [event(4, {"StoodIn": {"side": "first"}}), moved(5, 1, 1, 1, "stand_in")]
        late = refused(2, {"Lobby": "OtherTurn"}, turn=2)
        client = self.client([WELCOME, entered(), *overtaken, event(6, {"Back": {"side": "first"}}), late, ended(7)])
        client.play(0, 3)
        self.assertEqual(client.play_game(lambda _: (0, 1))["cause"], "resigned")

    def test_the_time_of_the_lobby_is_known(self):
        client = self.client([WELCOME, entered()])
        self.servers.time += 2.5
        self.assertEqual(client.now(), 3500)

    def test_an_event_tells_the_time_too(self):
        client = self.client([WELCOME, entered(), event(4, {"Away": {"side": "second", "since": 2000, "loss": "closed"}})])
        # The first message took longer than this one.
        self.servers.time += 0.5
        next(client)
        self.assertEqual(client.now(), 2000)


class TicketFiles(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "ticket")

    def connect(self, connect, servers, *words, **options):
        self.addCleanup(servers.close)
        return connect(*words, dial=servers.dial, patience=servers.patience(), **options)

    def test_another_program_comes_back_with_the_file(self):
        servers = Servers([WELCOME, entered()], [WELCOME, RETURNED, CAUGHT_UP])
        client = self.connect(Client.connect, servers, "here:80", "anna", ticket_file=self.path)
        client.join("brave-otter")
        self.assertEqual(next(client)[0], "Returned")
        client.close()
        servers = Servers([WELCOME, entered(turn=5), CAUGHT_UP, "Outside"])
        client = self.connect(Client.resume, servers, self.path)
        self.assertEqual((client.lobby.turn, client.lobby.you), (5, "first"))
        seat = {"code": "brave-otter", "ticket": recall(self.path)["ticket"], "seen": 0}
        self.assertEqual(servers.heard(0)[1]["Hall"]["request"], {"Return": seat})
        self.assertEqual(client.tickets, [seat["ticket"]])
        client.leave()
        self.assertFalse(os.path.exists(self.path), "a player who left does not come back")

    def test_another_program_waits_for_a_server_that_cannot_record(self):
        keep(self.path, {"address": "here:80", "name": "anna", "code": "brave-otter", "ticket": "01" * 16})
        said = []
        halted = [WELCOME, refused(1, {"Halted": {"why": "the disk is full"}})]
        at_last = [WELCOME, {"Halted": {"why": "the disk is full", "now": 5}}, CAUGHT_UP, entered(turn=5)]
        servers = Servers(halted, halted, at_last)
        client = self.connect(Client.resume, servers, self.path, notify=said.append)
        self.assertEqual(client.lobby.turn, 5)
        self.assertEqual([line.count("the disk is full") for line in said], [1, 1], said)
        for scripts, reason in [([halted] * 200, "the host cannot record it: the disk is full; gave up"), ([halted], "no server")]:
            servers = Servers(*scripts)
            with self.assertRaisesRegex(Closed, reason):
                self.connect(Client.resume, servers, self.path)
        self.assertEqual(recall(self.path)["ticket"], [1] * 16)

    def test_the_ticket_of_another_program_is_left_alone(self):
        servers = Servers([WELCOME, entered()], [WELCOME, refused(3, {"Hall": "BadTicket"})])
        client = self.connect(Client.connect, servers, "here:80", "anna", ticket_file=self.path)
        client.join("brave-otter")
        seat = recall(self.path)
        keep(self.path, {**seat, "ticket": "02" * 16})
        client.leave()
        self.assertEqual(recall(self.path)["ticket"], [2] * 16)

    def test_a_server_that_does_not_know_the_lobby_costs_nobody_the_ticket(self):
        wrong = [[WELCOME, refused(3, {"Hall": "NoSuchLobby"})] for _ in range(200)]
        servers = Servers([WELCOME, entered()], *wrong)
        client = self.connect(Client.connect, servers, "here:80", "anna", ticket_file=self.path)
        client.join("brave-otter")
        with self.assertRaisesRegex(Closed, "no such lobby; gave up"):
            next(client)
        self.assertEqual(recall(self.path)["ticket"], client.tickets[0])
        servers = Servers([WELCOME, refused(3, {"Hall": "NoSuchLobby"})])
        with self.assertRaises(Refused):
            self.connect(Client.resume, servers, self.path)
        self.assertEqual(recall(self.path)["ticket"], client.tickets[0])

    @unittest.skipUnless(os.name == "posix", "modes are those of Unix")
    def test_nobody_else_can_read_the_file(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        for _ in range(2):
            keep(self.path, {})
            self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["ticket"])

    def test_the_ticket_of_a_lobby_that_was_set_aside_is_kept_for_a_copy_that_the_host_may_have(self):
        for reason, words in (({"SetAside": {"lobby": 12}}, "damaged"), ("BadTicket", "bad ticket")):
            servers = Servers([WELCOME, entered()], [WELCOME, refused(2, {"Hall": reason})])
            client = self.connect(Client.connect, servers, "here:80", "anna", ticket_file=self.path)
            client.join("brave-otter")
            with self.assertRaisesRegex(Refused, words):
                next(client)
            self.assertEqual((client.lobby, recall(self.path)["ticket"]), (None, client.tickets[0]))

    def test_what_is_no_ticket_is_said_to_be_none(self):
        with self.assertRaisesRegex(NimError, "there is no ticket in"):
            recall(self.path)
        kept = '{"address": "x", "name": "anna", "code": "brave-otter", "ticket": '
        for text in ("", "[]", "{}", "\0", kept + '"zz"}', kept + "7}"):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)
            with self.subTest(text), self.assertRaisesRegex(NimError, "is no ticket"):
                recall(self.path)

    def test_a_ticket_that_cannot_be_kept_is_told(self):
        with self.assertRaisesRegex(NimError, "cannot be kept"):
            keep(os.path.join(self.path, "nowhere"), {})

    def test_a_program_that_cannot_keep_its_first_ticket_hears_so_at_once(self):
        servers = Servers([WELCOME, entered()])
        nowhere = os.path.join(self.path, "nowhere")
        client = self.connect(Client.connect, servers, "here:80", "anna", ticket_file=nowhere)
        with self.assertRaisesRegex(NimError, "cannot be kept"):
            client.join("brave-otter")


if __name__ == "__main__":
    unittest.main()
