"""Tests of nim_games.py: what is known of the games, and texts, right and wrong."""

import unittest
from pathlib import Path

from nim_games import ConnectFour, EvenOrOdd, MuTorere, Nim, PongHauKi, TicTacToe, read_position, start_of
from nim_wire import Malformed, NimError

STARTS = {
    "java-tech:21": Nim((21,), 3, True),
    "zero-sum:11": Nim((11,), 2, True),
    "one-two-ten": Nim((10,), 2, False, counts_up=True),
    "take:7:4:misere": Nim((7,), 4, True),
    "nim:3-4-5:normal": Nim((3, 4, 5), None, False),
    "nim:3-4-5:max=2:misere": Nim((3, 4, 5), 2, True),
    "even-or-odd:15": EvenOrOdd(15),
    "tic-tac-toe": TicTacToe("........."),
    "connect-four": ConnectFour(("", "", "", "", "", "", "")),
    "pong-hau-ki": PongHauKi("xx.oo"),
    "mu-torere": MuTorere("xxxxoooo."),
}

BAD_VARIANTS = """java-tech java-tech:0 java-tech:x java-tech:1000000000000000001 take:7:4 one-two-ten:5 nim:3-4-5
    nim:3--5:normal even-or-odd even-or-odd:0 even-or-odd:x even-or-odd:1:2 tic-tac-toe:3 connect-four:7 pong-hau-ki:5 mu-torere:
    chess""".split()

BAD_POSITIONS = {
    "java-tech:21": ["", "13", "22 first", "13 third", "1-2 first", "-1 first", "13 first ", "x first"],
    "even-or-odd:15": ["", "15 first", "14 0-0 first", "9 4-2", "9 4-2 third", "9 4--2 first"],
    "tic-tac-toe": ["", "x.o/.x.", "x.o.x....", "x.o/.x./..y", "o../.../...", "xx./x../...", "x.o/.x./... first"],
    "connect-four": ["", "4453 ", "48", "04", "4-4", "--", "4" * 7, "12121213", "4" * 10_000, "\u0664"],
    "pong-hau-ki": ["", "xx.oo", "xxxoo first", "xx..o first", "xx.ooo first", "xx.oo third"],
    "mu-torere": ["", "xxxxoooo first", "xxxxooo.. first", "xxxxoooo. third", "xxxxxooo. first"],
}


VAST = {"connect-four"}  # games with more positions than a test can look at


def on_the_way(start, games=50):
    """The positions of some games at random."""
    for _ in range(games):
        position = start
        yield position
        while position.result() is None:
            position = position.play(*position.random_move())
            yield position


def reachable(start):
    """All positions that moves lead to."""
    seen, waiting = {start}, [start]
    while waiting:
        position = waiting.pop()
        after = {position.play(*move) for move in position.moves()} - seen
        seen |= after
        waiting.extend(after)
    return seen


class Facts(unittest.TestCase):
    def test_as_many_positions_can_be_reached_as_is_known(self):
        known = {"tic-tac-toe": 5478, "pong-hau-ki": 56, "mu-torere": 1180}
        for variant, count in known.items():
            with self.subTest(variant):
                self.assertEqual(len(reachable(start_of(variant))), count)

    def test_a_game_is_over_just_when_no_move_is_left(self):
        for variant, start in STARTS.items():
            with self.subTest(variant):
                for position in on_the_way(start) if variant in VAST else reachable(start):
                    self.assertEqual(position.result() is not None, next(position.moves(), None) is None, position)

    def test_a_random_move_is_one_of_the_legal_moves_and_may_be_any_of_them(self):
        for variant, start in STARTS.items():
            with self.subTest(variant):
                moves = set(start.moves())
                self.assertEqual({start.random_move() for _ in range(100 * len(moves))}, moves)

    def test_a_random_move_from_piles_of_10_to_the_18_comes_at_once(self):
        huge = Nim((10**18, 0, 10**18), None, False)
        for pile, count in (huge.random_move() for _ in range(100)):
            self.assertTrue(pile in (0, 2) and 1 <= count <= 10**18)

    def test_in_mu_torere_a_stone_goes_to_the_centre_only_from_beside_one_of_the_other_side(self):
        self.assertEqual(set(MuTorere("xxxxoooo.").moves()), {(0, 8), (3, 8)})

    def test_results(self):
        for result, position in [
            ("first", Nim((0,), 3, True)),
            ("second", Nim((0,), 3, False)),
            ("first", EvenOrOdd(0, (8, 7))),
            ("second", EvenOrOdd(0, (7, 8))),
            ("Draw", EvenOrOdd(0, (2, 2))),
            ("Draw", EvenOrOdd(0, (3, 1))),
            ("first", TicTacToe("xxxoo....")),
            ("second", TicTacToe("oooxx.x..")),
            ("Draw", TicTacToe("xoxxoooxx")),
            ("first", ConnectFour().read("1213141")),
            ("first", ConnectFour().read("1122334")),
            ("first", ConnectFour().read("12233434464")),
            ("second", ConnectFour().read("176655454424")),
            ("Draw", ConnectFour().read("712557637731335257312613646221671244464545")),
            (None, ConnectFour().read("51617112131")),
            ("second", PongHauKi("x.oxo")),
            (None, PongHauKi("x.oxo", "second")),
            ("first", MuTorere(".xxooooxx", "second")),
            (None, MuTorere(".xxooooxx")),
        ]:
            with self.subTest(position):
                self.assertEqual(position.result(), result)


class Readme(unittest.TestCase):
    def test_the_bot_that_it_shows_wins(self):
        text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
        names = {}
        exec(text.split("```python\n")[1].split("```")[0], names)
        for _ in range(100):
            position, turns = start_of("java-tech:20"), [names["choose"], Nim.random_move] * 10
            while position.result() is None:
                position = position.play(*turns.pop(0)(position))
            self.assertEqual(position.result(), "first")


class Moves(unittest.TestCase):
    def test_in_nim_they_are_made_in_one_pile(self):
        position = Nim((3, 0, 5), 2, False)
        self.assertEqual(position.choices(), [(0, 2), (2, 2)])
        self.assertEqual(list(position.moves()), [(0, 1), (0, 2), (2, 1), (2, 2)])
        self.assertEqual(position.play(2, 2), Nim((3, 0, 3), 2, False, "second"))

    def test_illegal_ones_are_refused(self):
        for position, moves in [
            (Nim((3, 0, 5), 2, False), [(0, 0), (0, 3), (1, 1), (3, 1), (-1, 1)]),
            (EvenOrOdd(2, (7, 6)), [(0,), (3,), (-1,)]),
            (TicTacToe("x........"), [(0,), (9,), (-1,)]),
            (TicTacToe("xxxoo...."), [(5,)]),
            (ConnectFour().read("444444"), [(3,), (7,), (-1,), (255,)]),
            (ConnectFour().read("1213141"), [(6,)]),
            (PongHauKi("xx.oo"), [(3, 2), (2, 2), (0, 3), (5, 2), (-1, 2)]),
            (PongHauKi("x.xoo"), [(0, 1)]),
            (MuTorere("xxxxoooo."), [(1, 8), (4, 8), (9, 8), (0, 1)]),
        ]:
            for move in moves:
                with self.subTest(position, move=move), self.assertRaises(ValueError):
                    position.play(*move)

    def test_with_too_few_or_too_many_numbers_are_not_written(self):
        for start in STARTS.values():
            for move in ((), (1, 1, 1), (1, 1) if not start.NUMBERS else (1,)):
                with self.subTest(start, move=move), self.assertRaises(ValueError):
                    start.write_move(move)


class Texts(unittest.TestCase):
    def test_variants(self):
        for variant, start in STARTS.items():
            with self.subTest(variant):
                self.assertEqual(start_of(variant), start)
        for text in ("", f"nim:{'-'.join('1' * 17)}:normal", "x\x1b[2J", *BAD_VARIANTS):
            with self.subTest(text), self.assertRaises(NimError):
                start_of(text)

    def test_positions(self):
        for variant, text, position in [
            ("java-tech:21", "13 first", Nim((13,), 3, True)),
            ("nim:3-4-5:normal", "3-0-5 second", Nim((3, 0, 5), None, False, "second")),
            ("one-two-ten", "7 second", Nim((3,), 2, False, "second", counts_up=True)),
            ("even-or-odd:15", "9 4-2 second", EvenOrOdd(9, (4, 2), "second")),
            ("tic-tac-toe", "x.o/.x./...", TicTacToe("x.o.x....")),
            ("connect-four", "-", ConnectFour()),
            ("connect-four", "4453", ConnectFour(("", "", "o", "xo", "x", "", ""))),
            ("pong-hau-ki", ".xxoo second", PongHauKi(".xxoo", "second")),
            ("mu-torere", "xxx.oooox second", MuTorere("xxx.oooox", "second")),
        ]:
            with self.subTest(text):
                self.assertEqual(read_position(variant, text), position)

    def test_bad_positions(self):
        for variant, texts in BAD_POSITIONS.items():
            for text in texts:
                with self.subTest(variant, text=text), self.assertRaises(Malformed):
                    read_position(variant, text)


if __name__ == "__main__":
    unittest.main()
