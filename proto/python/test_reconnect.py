"""Tests of returning to a seat after the connection was lost."""

import os
import stat
import tempfile
import unittest

from fake_server import (
    NOBODY, OVER, RETURNED, WELCOME, ClientCase, Servers, ended, entered, event, moved, notice, refused, take,
)
from nim_client import Client, Closed, Lost, NimError, Refused
from nim_tickets import hashed, keep, recall

STOOD_IN = event(4, {"StoodIn": {"side": "first"}})


class Returns(ClientCase):
    def test_what_was_missed_follows_the_last_event_that_was_seen(self):
        back = [WELCOME, {"Ping": 5}, moved(5, 2, 2, 3), event(6, {"PlaysAgain": {"side": "first"}}), RETURNED]
        client = self.client([WELCOME, entered(), moved(4, 1, 1, 2)], back)
        self.assertEqual(self.names(client, 4), ["Moved", "Moved", "PlaysAgain", "Returned"])
        self.assertEqual((client.lobby.turn, client.lobby.position.piles, client.lobby.seen), (3, (16,), 6))
        hello, shown, pong = self.servers.heard(1)
        self.assertEqual((hello["Hello"]["name"], pong), ("anna", {"Pong": 5}))
        ticket = client.tickets[0]
        self.assertEqual(shown["Hall"]["request"], {"Return": {"code": "brave-otter", "ticket": ticket, "seen": 4}})
        self.assertEqual(self.said, ["the server closed the connection; trying again"])

    def test_a_connection_that_is_lost_while_it_catches_up_is_replaced_too(self):
        half, rest = [WELCOME, moved(4, 1, 1, 2)], [WELCOME, moved(5, 2, 2, 3), RETURNED]
        client = self.client([WELCOME, entered()], half, rest)
        self.assertEqual(self.names(client, 3), ["Moved", "Moved", "Returned"])
        self.assertEqual(self.servers.heard(2)[1]["Hall"]["request"]["Return"]["seen"], 4)

    def test_a_client_whose_lobby_moves_comes_back_to_it(self):
        client = self.client([WELCOME, entered(), "LobbyMoved"], [WELCOME, RETURNED])
        self.assertEqual(self.names(client, 1), ["Returned"])
        self.assertEqual(self.servers.heard(1)[1]["Hall"]["request"]["Return"]["ticket"], client.tickets[0])
        self.assertEqual(self.said, ["the game goes on in another server; trying again"])

    def test_each_return_sends_the_same_ticket(self):
        again = [WELCOME, {"Returned": {"attendance": NOBODY, "now": 9500}}]
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED], again)
        self.assertEqual(self.names(client, 2), ["Returned", "Returned"])
        sent = [self.servers.heard(place)[1]["Hall"]["request"]["Return"]["ticket"] for place in (1, 2)]
        self.assertEqual(sent, [client.tickets[0]] * 2)

    def test_a_request_for_a_seat_is_repeated_if_its_answer_was_lost(self):
        client = self.client([WELCOME], [WELCOME, entered()])
        asked = [self.servers.heard(place)[1]["Hall"]["request"]["Join"] for place in (0, 1)]
        self.assertEqual(asked[0], asked[1])
        self.assertEqual(asked[0]["seat"], hashed(client.tickets[0]))

    def test_a_seat_that_the_client_has_already_is_taken_by_its_ticket(self):
        held = refused(2, {"Hall": {"SeatHeld": {"code": "brave-otter"}}})
        client = self.client([WELCOME], [WELCOME, held, entered()])
        sent = self.servers.heard(1)[-1]["Hall"]["request"]["Return"]
        self.assertEqual(sent, {"code": "brave-otter", "ticket": client.tickets[0], "seen": 0})

    def test_each_wait_is_at_most_twice_as_long_as_the_one_before_and_at_least_half_of_that(self):
        client = self.client([WELCOME, entered()], *[Lost("nobody")] * 8, [WELCOME, RETURNED])
        next(client)
        most = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
        self.assertEqual(len(self.servers.slept), len(most))
        self.assertTrue(all(wait / 2 <= slept <= wait for slept, wait in zip(self.servers.slept, most)))

    def test_after_its_time_it_gives_up_and_says_why(self):
        client = self.client([WELCOME, entered()], give_up=60.0)
        with self.assertRaisesRegex(Closed, "no server answers; gave up after 60 seconds"):
            next(client)
        self.assertTrue(55 < sum(self.servers.slept) <= 60)

    def test_without_patience_it_does_not_even_try(self):
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED], give_up=0.0)
        with self.assertRaisesRegex(Closed, "^the server closed the connection$"):
            next(client)
        self.assertEqual(len(self.servers.scripts), 1)

    def test_a_client_whose_seat_was_taken_over_does_not_take_it_back(self):
        client = self.client([WELCOME, entered(), {"Goodbye": "Elsewhere"}], [WELCOME, RETURNED])
        with self.assertRaisesRegex(Closed, "another connection has taken over the seat"):
            next(client)
        self.assertEqual((len(self.servers.scripts), self.servers.slept), (1, []))

    def test_the_last_words_are_heard_though_nothing_can_be_sent_any_more(self):
        client = self.client([WELCOME, entered(), {"Goodbye": "Elsewhere"}])
        self.servers.sockets[1].close()
        client.play(0, 1)
        client.play(0, 1)
        with self.assertRaisesRegex(Closed, "taken over"):
            next(client)

    def test_a_server_that_stops_may_come_back(self):
        full = [{"Unwelcome": {"Full": {"most": 2}}}]
        for word in ("Stopping", "Kept", "Silent", "Behind", "NoRoom", "Moved"):
            gone = [WELCOME, entered(), {"Goodbye": word}]
            client = self.client(gone, [{"Unwelcome": "Stopping"}], full, [WELCOME, RETURNED])
            self.assertEqual(next(client)[0], "Returned")

    def test_a_server_of_another_version_is_not_tried_again(self):
        other = [{"Unwelcome": {"Version": {"yours": [1, 0], "ours": [2, 0]}}}]
        client = self.client([WELCOME, entered()], other, [WELCOME, RETURNED])
        with self.assertRaisesRegex(Closed, "ours: 2"):
            next(client)

    def test_in_the_hall_there_is_nothing_to_return_to(self):
        client = self.client([WELCOME, entered(), "Outside"], [WELCOME, RETURNED])
        self.assertEqual(next(client)[0], "Outside")
        with self.assertRaises(Lost):
            next(client)

    def test_a_seat_that_is_not_kept_is_a_refusal_and_the_client_is_in_the_hall(self):
        for reason in ("BadTicket", "GivenUp", {"LobbyClosed": "no space"}, {"SetAside": {"lobby": 12}}):
            client = self.client([WELCOME, entered()], [WELCOME, refused(2, {"Hall": reason})])
            with self.assertRaises(Refused) as told:
                next(client)
            self.assertEqual((told.exception.reason, client.lobby), ({"Hall": reason}, None))

    def test_a_client_that_is_refused_for_a_while_tries_again_and_says_so_once(self):
        for reason in ({"Hall": "NoSuchLobby"}, {"Hall": {"TooManyGuesses": {"most": 60}}}, {"Halted": {"why": "no disk"}}):
            no = [WELCOME, refused(2, reason)]
            client = self.client([WELCOME, entered()], no, no, [WELCOME, RETURNED])
            self.assertEqual(next(client)[0], "Returned")
            self.assertEqual(len([said for said in self.said if "refuses" in said]), 1)

    def test_a_request_is_repeated_if_it_may_not_have_arrived_and_still_makes_sense(self):
        play = {"Play": {"turn": 1, "mv": take(3)}}
        accept = {"Answer": {"turn": 1, "offer": "draw", "accept": True}}
        offered = {"offers": {"open": {"side": "second", "offer": "draw"}, "made": {"first": 0, "second": 1}}}
        for request, state, back, repeated in [
            (lambda client: client.play(0, 3), {}, [RETURNED], [play]),
            (lambda client: client.play(0, 3), {}, [entered(events=99)], [play]),
            (lambda client: client.play(0, 3), {}, [moved(4, 1, 1, 3), RETURNED], []),
            (lambda client: client.play(0, 3), {}, [STOOD_IN, moved(5, 1, 1, 1, "stand_in"), moved(6, 2, 2, 1), RETURNED], []),
            (lambda client: client.play(0, 3), {}, [entered(turn=3, events=99)], []),
            (lambda client: client.answer(True), offered, [RETURNED], [accept]),
            (lambda client: client.answer(True), offered, [moved(4, 1, 1, 1, "stand_in"), RETURNED], []),
            (Client.resign, {}, [RETURNED], []),
            (lambda client: client.say("hello"), {"phase": OVER}, [RETURNED], []),
        ]:
            with self.subTest(repeated=repeated, back=back):
                client = self.client([WELCOME, entered(**state)], [WELCOME, *back])
                request(client)
                self.assertIn(self.names(client, len(back))[-1], ("Returned", "Entered"))
                self.assertEqual(self.asked(1), repeated)

    def test_a_hint_is_asked_for_again(self):
        hint = {"turn": 1, "mv": take(3), "words": "it leaves 1"}
        client = self.client([WELCOME, entered()], [WELCOME, RETURNED, {"Hint": hint}])
        self.assertEqual(client.hint(), hint)
        late = [WELCOME, moved(4, 1, 1, 1, "stand_in"), RETURNED, refused(3, {"Lobby": "NotYourTurn"})]
        client = self.client([WELCOME, entered()], late)
        with self.assertRaisesRegex(Refused, "not your turn"):
            client.hint()
        self.assertEqual(self.names(client, 2), ["Moved", "Returned"])

    def test_a_client_that_wants_to_leave_is_outside_in_the_end(self):
        still_there = [WELCOME, RETURNED, "Outside"]
        left_already = [WELCOME, refused(3, {"Hall": "BadTicket"})]
        for state, back, connections in [({}, still_there, 0), ({}, left_already, 0), ({"phase": OVER}, still_there, 1)]:
            client = self.client([WELCOME, entered(**state)], back)
            client.leave()
            self.assertEqual((client.lobby, len(self.servers.scripts)), (None, connections))

    def test_a_whole_game_goes_on_over_another_connection(self):
        back = [WELCOME, moved(5, 2, 2, 1), RETURNED, moved(6, 3, 1, 1), ended(7)]
        client = self.client([WELCOME, entered(), moved(4, 1, 1, 2), notice({"Back": {"side": "second"}})], back)
        chosen = []
        client.play_game(lambda position: chosen.append(position.piles) or (0, 1))
        self.assertEqual(chosen, [(18,)])
        self.assertEqual(self.asked(1), [{"Play": {"turn": 3, "mv": take(1)}}])

    def test_only_the_present_turn_is_played_however_many_were_missed(self):
        missed = [moved(4, 1, 1, 1, "stand_in"), moved(5, 2, 2, 1), moved(6, 3, 1, 1, "stand_in"), moved(7, 4, 2, 1)]
        client = self.client([WELCOME, entered()], [WELCOME, *missed, RETURNED, moved(8, 5, 1, 1), ended(9)])
        client.play_game(lambda _: (0, 1))
        self.assertEqual([request["Play"]["turn"] for request in self.asked(1)], [5])

    def test_a_game_that_ended_meanwhile_is_known_from_the_snapshot(self):
        result = {"outcome": {"Win": "first"}, "cause": "left"}
        over = {"Over": {"result": result, "again": {"first": False, "second": False}}}
        client = self.client([WELCOME, entered()], [WELCOME, entered(phase=over, events=99)])
        lobby = client.lobby
        client.play(0, 1)
        self.assertEqual(client.play_game(lambda _: self.fail("it is over")), result)
        self.assertTrue(client.lobby is lobby and lobby.won)

    def test_a_move_for_which_a_stand_in_was_quicker_is_no_error(self):
        late = refused(2, {"Lobby": "OtherTurn"}, turn=2)
        overtaken = [STOOD_IN, moved(5, 1, 1, 1, "stand_in"), event(6, {"PlaysAgain": {"side": "first"}})]
        client = self.client([WELCOME, entered(), *overtaken, late, ended(7)])
        client.play(0, 3)
        self.assertEqual(client.play_game(lambda _: (0, 1))["cause"], "resigned")

    def test_the_time_of_the_lobby_is_known(self):
        away = notice({"Away": {"side": "second", "since": 2000, "loss": "closed"}})
        client = self.client([WELCOME, entered(), away])
        self.servers.time += 2.5
        self.assertEqual(client.now(), 3500)
        next(client)
        self.assertEqual(client.now(), 2000, "the first message took longer than this one")


class TicketFiles(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "ticket")
        self.seat = {"address": "here:80", "name": "anna", "code": "brave-otter", "ticket": [1] * 16}

    def connect(self, connect, servers, *words, **options):
        self.addCleanup(servers.close)
        return connect(*words, dial=servers.dial, patience=servers.patience(), **options)

    def join(self, *scripts):
        servers = Servers([WELCOME, entered()], *scripts)
        client = self.connect(Client.connect, servers, "here:80", "anna", ticket_file=self.path)
        client.join("brave-otter")
        return client

    def test_another_program_returns_with_the_file(self):
        self.join().close()
        servers = Servers([WELCOME, entered(turn=5), "Outside"])
        client = self.connect(Client.resume, servers, self.path)
        self.assertEqual((client.lobby.turn, client.lobby.you), (5, "first"))
        seat = {"code": "brave-otter", "ticket": recall(self.path)["ticket"], "seen": 0}
        self.assertEqual(servers.heard(0)[1]["Hall"]["request"], {"Return": seat})
        self.assertEqual(client.tickets, [seat["ticket"]])
        client.leave()
        self.assertFalse(os.path.exists(self.path), "a player who left does not return")

    def test_another_program_waits_for_a_server_that_cannot_record(self):
        keep(self.path, self.seat)
        said = []
        halted = [WELCOME, refused(1, {"Halted": {"why": "the disk is full"}})]
        at_last = [WELCOME, {"Halted": {"why": "the disk is full", "now": 5}}, entered(turn=5)]
        client = self.connect(Client.resume, Servers(halted, halted, at_last), self.path, notify=said.append)
        self.assertEqual(client.lobby.turn, 5)
        self.assertEqual([line.count("the disk is full") for line in said], [1, 1], said)
        for scripts, reason in [([halted] * 200, "the disk is full.; gave up"), ([halted], "no server")]:
            with self.assertRaisesRegex(Closed, reason):
                self.connect(Client.resume, Servers(*scripts), self.path)
        self.assertEqual(recall(self.path), self.seat)

    def test_the_ticket_of_another_program_stays(self):
        client = self.join([WELCOME, refused(3, {"Hall": "BadTicket"})])
        keep(self.path, self.seat)
        client.leave()
        self.assertEqual(recall(self.path), self.seat)

    def test_the_ticket_stays_unless_the_seat_was_given_up(self):
        unknown = [[WELCOME, refused(3, {"Hall": "NoSuchLobby"})]] * 200
        for back, error in [
            (unknown, "no such lobby; gave up"),
            ([[WELCOME, refused(2, {"Hall": {"SetAside": {"lobby": 12}}})]], "set aside"),
            ([[WELCOME, refused(2, {"Hall": "BadTicket"})]], "bad ticket"),
        ]:
            client = self.join(*back)
            with self.assertRaisesRegex(NimError, error):
                next(client)
            self.assertEqual(recall(self.path)["ticket"], client.tickets[0])
        for reason, error in [("GivenUp", "given up"), ({"LobbyClosed": "no space"}, "no space")]:
            client = self.join([WELCOME, refused(2, {"Hall": reason})])
            with self.assertRaisesRegex(Refused, error):
                next(client)
            self.assertFalse(os.path.exists(self.path))

    def test_after_its_lobby_was_closed_the_client_does_not_return_and_keeps_no_ticket(self):
        for word, error in [("LobbyClosed", "host closed the lobby"), ("NoDiskSpace", "closed this lobby to make some")]:
            servers = Servers([WELCOME, entered(), {"Goodbye": word}])
            client = self.connect(Client.connect, servers, "here:80", "anna", ticket_file=self.path)
            client.join("brave-otter")
            self.assertTrue(os.path.exists(self.path))
            with self.assertRaisesRegex(Closed, error):
                next(client)
            self.assertFalse(os.path.exists(self.path))

    @unittest.skipUnless(os.name == "posix", "modes are those of Unix")
    def test_nobody_else_can_read_the_file(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        for _ in range(2):
            keep(self.path, self.seat)
            self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["ticket"])

    def test_a_file_without_a_ticket_is_an_error(self):
        with self.assertRaisesRegex(NimError, "there is no ticket in"):
            recall(self.path)
        kept = '{"address": "x", "name": "anna", "code": "brave-otter", "ticket": '
        for text in ("", "[]", "{}", "\0", kept + '"zz"}', kept + "7}"):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)
            with self.subTest(text), self.assertRaisesRegex(NimError, "does not contain a ticket"):
                recall(self.path)

    def test_a_ticket_that_cannot_be_kept_is_an_error_at_once(self):
        self.path = os.path.join(self.path, "nowhere")
        with self.assertRaisesRegex(NimError, "cannot be kept"):
            self.join()


if __name__ == "__main__":
    unittest.main()
