"""The games of the server, as values: positions that know their legal moves. It knows no network.

Every position of every game has ``turn``, ``moves()``, ``random_move()``, ``play(*move)`` and ``result()``.
A move is a tuple of numbers; which ones, each game says. At the end `GAMES` is the one list of them all.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Any, Iterator

from nim_wire import Malformed, NimError, split

Move = tuple  # of int

MAX_PILE = MAX_TOKENS = 10**18
MAX_PILES = 16
SIDES = ("first", "second")


class Position:
    """What all games have in common. Positions are never changed: `play` makes new ones."""

    NAME = ""  # of a game without parameters
    KIND = ""  # the name of a move of this game in the protocol
    NUMBERS: tuple[str, ...] = ()  # and of its numbers; () if it is one number without a name
    REPEATS = False  # whether moves can lead back to an earlier position

    turn: str  # the side to move: "first" or "second"

    @classmethod
    def start(cls, name: str, parameters: list[str]) -> Position | None:
        """The position in which a variant starts; None if the name is not one of this game's."""
        return cls() if name == cls.NAME and not parameters else None

    def read(self, text: str) -> Position:
        """The position that this text stands for in the variant that starts here. Raises Malformed if none."""
        raise NotImplementedError

    def moves(self) -> Iterator[Move]:
        """All legal moves, one by one: there may be 10^18 of them. None once the game is over."""
        raise NotImplementedError

    def random_move(self) -> Move:
        """One of the legal moves, each as likely as the others. The game must not be over."""
        return random.choice(list(self.moves()))

    def play(self, *move: int) -> Any:
        """The position after a legal move. Raises ValueError for another one."""
        if not self.allows(*move):
            raise ValueError(f"{move} is not a legal move here: {self}")
        return self.after(*move)

    def allows(self, *move: int) -> bool:
        """Whether a move is legal."""
        return move in self.moves()

    def after(self, *move: int) -> Any:
        """The position after a move that is known to be legal."""
        raise NotImplementedError

    def result(self) -> str | None:
        """Who has won: "first", "second", or "Draw". None while the game goes on."""
        raise NotImplementedError

    def write_move(self, move: Move) -> Any:
        """The move as it stands in a message. Raises ValueError if it has too few or too many numbers."""
        if len(move) != max(1, len(self.NUMBERS)):
            raise ValueError(f"{move} is not a move of {self.KIND}")
        return {self.KIND: dict(zip(self.NUMBERS, move)) if self.NUMBERS else move[0]}

    def read_move(self, value: Any) -> Move:
        """The move that stands in a message. Raises Malformed for one of another game."""
        kind, numbers = split(value)
        if kind != self.KIND:
            raise Malformed(f"a move of {kind}, and the game is {self.KIND}")
        return tuple(numbers[name] for name in self.NUMBERS) if self.NUMBERS else (numbers,)


def other(side: str) -> str:
    return "second" if side == "first" else "first"


def number(text: str, least: int = 1, most: int = MAX_PILE) -> int:
    if not re.fullmatch("[0-9]{1,19}", text) or not least <= int(text) <= most:
        raise Malformed(f"{text!r} is not a number from {least} to {most}")
    return int(text)


@dataclass(frozen=True)
class Nim(Position):
    """What lies on the table, how it is played, and whose turn it is. A move: the pile from 0, and how many."""

    KIND, NUMBERS = "Nim", ("pile", "count")

    piles: tuple[int, ...]
    limit: int | None  # the most that one move takes; None for as many as lie there
    misere: bool  # whether the player who takes the last object loses
    turn: str = "first"
    counts_up: bool = False  # whether positions are written as a count from 0 up

    @classmethod
    def start(cls, name: str, parameters: list[str]) -> Nim | None:
        if name == "one-two-ten" and not parameters:
            return cls((10,), 2, False, counts_up=True)
        if name in ("java-tech", "zero-sum") and len(parameters) == 1:
            return cls((number(parameters[0]),), 3 if name == "java-tech" else 2, True)
        text = ":".join([name, *parameters])
        match = re.fullmatch(r"take:([0-9]+):([0-9]+):(normal|misere)", text)
        if match:
            return cls((number(match[1]),), number(match[2]), match[3] == "misere")
        match = re.fullmatch(r"nim:([0-9-]+)(?::max=([0-9]+))?:(normal|misere)", text)
        if not match:
            return None
        piles = tuple(number(part) for part in match[1].split("-"))
        if len(piles) > MAX_PILES:
            raise Malformed(f"there are at most {MAX_PILES} piles")
        return cls(piles, number(match[2]) if match[2] else None, match[3] == "misere")

    def read(self, text: str) -> Nim:
        match = re.fullmatch(r"([0-9-]+) (first|second)", text)
        parts = match[1].split("-") if match else []
        if not match or len(parts) != len(self.piles):
            raise Malformed(f"{text!r} is not a position of this game")
        piles = tuple(number(part, 0, most) for part, most in zip(parts, self.piles))
        if self.counts_up:
            piles = (self.piles[0] - piles[0],)
        return replace(self, piles=piles, turn=match[2])

    def most(self, pile: int) -> int:
        """The most that a move may take from this pile, counted from 0; 0 if nothing."""
        there = self.piles[pile] if 0 <= pile < len(self.piles) else 0
        return there if self.limit is None else min(there, self.limit)

    def choices(self) -> list[tuple[int, int]]:
        """The piles that are not empty, each with the most that a move may take from it."""
        return [(pile, self.most(pile)) for pile, there in enumerate(self.piles) if there]

    def moves(self) -> Iterator[Move]:
        return ((pile, count) for pile, most in self.choices() for count in range(1, most + 1))

    def random_move(self) -> Move:
        place = random.randrange(sum(most for _, most in self.choices()))
        for pile, most in self.choices():
            if place < most:
                return pile, place + 1
            place -= most
        raise AssertionError("the place is among the moves")

    def allows(self, pile: int, count: int) -> bool:
        return 1 <= count <= self.most(pile)

    def after(self, pile: int, count: int) -> Nim:
        piles = list(self.piles)
        piles[pile] -= count
        return replace(self, piles=tuple(piles), turn=other(self.turn))

    def result(self) -> str | None:
        if any(self.piles):
            return None
        return self.turn if self.misere else other(self.turn)


@dataclass(frozen=True)
class EvenOrOdd(Position):
    """The tokens in the middle and both heaps. A move: how many to take, as in (2,)."""

    KIND = "EvenOrOdd"

    middle: int
    heaps: tuple[int, int] = (0, 0)  # the first side's, the second side's
    turn: str = "first"

    @classmethod
    def start(cls, name: str, parameters: list[str]) -> EvenOrOdd | None:
        if name != "even-or-odd" or len(parameters) != 1:
            return None
        return cls(number(parameters[0], most=MAX_TOKENS))

    def read(self, text: str) -> EvenOrOdd:
        match = re.fullmatch(r"([0-9]+) ([0-9]+)-([0-9]+) (first|second)", text)
        counts = [number(part, least=0) for part in match.group(1, 2, 3)] if match else []
        if not match or sum(counts) != self.middle + sum(self.heaps):
            raise Malformed(f"{text!r} is not a position of this game")
        return EvenOrOdd(counts[0], (counts[1], counts[2]), match[4])

    def moves(self) -> Iterator[Move]:
        return ((count,) for count in range(1, min(self.middle, 3) + 1))

    def after(self, count: int) -> EvenOrOdd:
        first, second = self.heaps
        heaps = (first + count, second) if self.turn == "first" else (first, second + count)
        return EvenOrOdd(self.middle - count, heaps, other(self.turn))

    def result(self) -> str | None:
        if self.middle:
            return None
        even = [side for side, heap in zip(SIDES, self.heaps) if heap % 2 == 0]
        return even[0] if len(even) == 1 else "Draw"


@dataclass(frozen=True)
class TicTacToe(Position):
    """The nine squares from the top left, row by row. A move: a free square from 0 to 8, as in (4,)."""

    NAME, KIND = "tic-tac-toe", "TicTacToe"
    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    squares: str = "........."  # "x" for the first side's stones, "o" for the second side's, "." for free ones

    @property
    def turn(self) -> str:
        return SIDES[(len(self.squares) - self.squares.count(".")) % 2]

    def read(self, text: str) -> TicTacToe:
        squares = text.replace("/", "")
        shape = re.fullmatch("[xo.]{3}/[xo.]{3}/[xo.]{3}", text)
        if not shape or squares.count("x") - squares.count("o") not in (0, 1):
            raise Malformed(f"{text!r} is not a position of this game")
        return TicTacToe(squares)

    def moves(self) -> Iterator[Move]:
        free = [] if self.winner() else [at for at, stone in enumerate(self.squares) if stone == "."]
        return ((square,) for square in free)

    def after(self, square: int) -> TicTacToe:
        stone = "x" if self.turn == "first" else "o"
        return TicTacToe(self.squares[:square] + stone + self.squares[square + 1 :])

    def winner(self) -> str | None:
        """The side that has three in a row."""
        for line in self.LINES:
            stones = {self.squares[square] for square in line}
            if stones in ({"x"}, {"o"}):
                return SIDES["xo".index(stones.pop())]
        return None

    def result(self) -> str | None:
        return self.winner() or (None if "." in self.squares else "Draw")


@dataclass(frozen=True)
class ConnectFour(Position):
    """The seven columns from the left. A move: a column from 0 to 6 that is not full, as in (3,)."""

    NAME, KIND = "connect-four", "ConnectFour"
    HEIGHT = 6
    DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # up, along, rising and falling: columns, rows

    columns: tuple[str, ...] = ("",) * 7  # the stones from the bottom up, "x" for the first side's

    @property
    def turn(self) -> str:
        return SIDES[sum(map(len, self.columns)) % 2]

    def read(self, text: str) -> ConnectFour:
        if not re.fullmatch("-|[1-7]{1,42}", text):
            raise Malformed(f"{text!r} is not a position of this game")
        position = ConnectFour()
        for column in text.replace("-", ""):
            try:
                position = position.play(int(column) - 1)
            except ValueError as error:
                raise Malformed(f"{text!r} is not a position of this game: {error}") from None
        return position

    def moves(self) -> Iterator[Move]:
        heights = [] if self.winner() else [len(stones) for stones in self.columns]
        return ((column,) for column, height in enumerate(heights) if height < self.HEIGHT)

    def after(self, column: int) -> ConnectFour:
        columns = list(self.columns)
        columns[column] += "x" if self.turn == "first" else "o"
        return ConnectFour(tuple(columns))

    def stone(self, column: int, row: int) -> str:
        """The stone in a row counted from 0 at the bottom; "" if there is none, or no such cell."""
        stones = self.columns[column] if 0 <= column < len(self.columns) else ""
        return stones[row] if 0 <= row < len(stones) else ""

    def winner(self) -> str | None:
        """The side that has four in a row."""
        cells = [(column, row) for column, stones in enumerate(self.columns) for row in range(len(stones))]
        for column, row in cells:
            for right, up in self.DIRECTIONS:
                stones = {self.stone(column + right * step, row + up * step) for step in range(4)}
                if stones in ({"x"}, {"o"}):
                    return SIDES["xo".index(stones.pop())]
        return None

    def result(self) -> str | None:
        full = all(len(stones) == self.HEIGHT for stones in self.columns)
        return self.winner() or ("Draw" if full else None)


@dataclass(frozen=True)
class Sliding(Position):
    """Stones that slide along lines to the free point. A move: from where to where, points counted from 0."""

    NUMBERS, REPEATS = ("from", "to"), True
    LINES = frozenset()  # the pairs of points that are joined, each a frozenset

    points: str = ""  # "x" for the first side's stones, "o" for the second side's, "." for the free point
    turn: str = "first"

    def read(self, text: str) -> Sliding:
        match = re.fullmatch("([xo.]+) (first|second)", text)
        if not match or sorted(match[1]) != sorted(self.points):
            raise Malformed(f"{text!r} is not a position of this game")
        return replace(self, points=match[1], turn=match[2])

    def moves(self) -> Iterator[Move]:
        free, mine = self.points.index("."), "x" if self.turn == "first" else "o"
        stones = [point for point, stone in enumerate(self.points) if stone == mine]
        return ((stone, free) for stone in stones if {stone, free} in self.LINES and self.may(stone, free))

    def may(self, start: int, end: int) -> bool:
        """Whether the stone may go this way, a line to the free point, as far as this one game goes."""
        return True

    def after(self, start: int, end: int) -> Sliding:
        points = list(self.points)
        points[start], points[end] = points[end], points[start]
        return replace(self, points="".join(points), turn=other(self.turn))

    def result(self) -> str | None:
        return None if any(True for _ in self.moves()) else other(self.turn)


def lines(*pairs: tuple[int, int]) -> frozenset[frozenset[int]]:
    return frozenset(map(frozenset, pairs))


@dataclass(frozen=True)
class PongHauKi(Sliding):
    """0 and 1 are the corners at the top, 2 is the centre, 3 and 4 are the corners at the bottom."""

    NAME, KIND = "pong-hau-ki", "PongHauKi"
    points: str = "xx.oo"
    LINES = lines((2, 0), (2, 1), (2, 3), (2, 4), (0, 3), (1, 4), (3, 4))


@dataclass(frozen=True)
class MuTorere(Sliding):
    """0 to 7 are the ring, 8 is the centre."""

    NAME, KIND = "mu-torere", "MuTorere"
    points: str = "xxxxoooo."
    LINES = lines(*((point, (point + 1) % 8) for point in range(8)), *((8, point) for point in range(8)))

    def may(self, start: int, end: int) -> bool:
        beside = {self.points[(start + 1) % 8], self.points[(start - 1) % 8]}
        return end != 8 or bool(beside - {self.points[start]})


GAMES = (Nim, EvenOrOdd, TicTacToe, ConnectFour, PongHauKi, MuTorere)


def start_of(variant: str) -> Any:
    """The position in which a game starts. The variant is as the server sends it, with nothing left out."""
    name, *parameters = variant.split(":")
    starts = (game.start(name, parameters) for game in GAMES)
    start = next((start for start in starts if start), None)
    if not start:
        shown = "".join(c if c.isprintable() else "?" for c in variant)
        raise NimError(f"this client does not know the game {shown}")
    return start


def read_position(variant: str, text: str) -> Any:
    """The position that a text such as "3-0-5 second" stands for."""
    return start_of(variant).read(text)
