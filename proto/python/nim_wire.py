"""The codec: messages as bytes, written from proto/PROTOCOL.md and nothing else.

First the kinds of values, then the page's tables, then frames. Messages are plain values, as in the JSON of
proto/vectors: ``"Outside"``, ``{"Ping": 7}``. Nothing from the network is believed before it was checked.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

MAX_FRAME = 16384


class NimError(Exception):
    """Whatever goes wrong here; its text is fit to be shown."""


class Malformed(NimError):
    """The bytes are not a message."""


class Unknown(Malformed):
    """An index that this version does not have. Skip the whole frame."""


class Unfit(NimError):
    """A value that does not fit into a message."""


class Cursor:
    """Bytes, and how far they were read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        taken = self.data[self.at : self.at + count]
        if len(taken) < count:
            raise Malformed("the message ends too early")
        self.at += count
        return taken

    def varint(self, bits: int) -> int:
        first = self.take(1)[0]
        if first <= 250:
            return first
        width = {251: 2, 252: 4, 253: 8}.get(first)
        if width is None or 8 * width > bits:
            raise Malformed(f"byte {first} does not begin a number of {bits} bits")
        return int.from_bytes(self.take(width), "little")

    def flag(self) -> bool:
        byte = self.take(1)[0]
        if byte > 1:
            raise Malformed(f"byte {byte} is neither 0 nor 1")
        return byte == 1


def varint(number: int) -> bytes:
    if number <= 250:
        return bytes([number])
    prefix, width = next((p, w) for p, w in ((251, 2), (252, 4), (253, 8)) if number < 256**w)
    return bytes([prefix]) + number.to_bytes(width, "little")


def at_most(count: int, most: int) -> int:
    if count > most:
        raise Malformed(f"{count}, and at most {most} are allowed")
    return count


# --- Kinds of values. Each reads itself from a cursor, and writes itself behind some bytes. ---


class Number:
    """u16, u32 and u64 are varints; u8 is one byte."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def read(self, cursor: Cursor) -> int:
        return cursor.take(1)[0] if self.bits == 8 else cursor.varint(self.bits)

    def write(self, value: int, out: bytearray) -> None:
        if not 0 <= value < 1 << self.bits:
            raise Unfit(f"{value} is not a number of {self.bits} bits")
        out += bytes([value]) if self.bits == 8 else varint(value)


class Bool:
    def read(self, cursor: Cursor) -> bool:
        return cursor.flag()

    def write(self, value: bool, out: bytearray) -> None:
        out.append(value)


class Fixed:
    """This many bytes, as a list of them; only these, if some are given."""

    def __init__(self, count: int, only: list[int] | None = None) -> None:
        self.count, self.only = count, only

    def read(self, cursor: Cursor) -> list[int]:
        value = list(cursor.take(self.count))
        if self.only and value != self.only:
            raise Malformed(f"{value} is not {self.only}")
        return value

    def write(self, value: list[int], out: bytearray) -> None:
        if len(value) != self.count:
            raise Unfit(f"{len(value)} bytes, and it takes {self.count}")
        out += bytes(value)


class Text:
    """At most this many bytes of UTF-8."""

    def __init__(self, most: int) -> None:
        self.most = most

    def read(self, cursor: Cursor) -> str:
        try:
            text = cursor.take(at_most(cursor.varint(64), self.most)).decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("a text is not UTF-8") from None
        if not self.fits(text):
            raise Malformed(f"{text!r} cannot stand here")
        return text

    def write(self, value: str, out: bytearray) -> None:
        data = value.encode("utf-8", "replace")
        if len(data) > self.most:
            raise Unfit(f"a text of {len(data)} bytes, and at most {self.most} are allowed")
        out += varint(len(data)) + data

    def fits(self, text: str) -> bool:
        return True


class Name(Text):
    """A player's name: 1 to 24 characters, visible, trimmed, without brackets."""

    def fits(self, text: str) -> bool:
        unfit = ("Cc", "Cf", "Zl", "Zp", "Ps", "Pe")
        return (
            1 <= len(text) <= 24
            and not any(unicodedata.category(c) in unfit or c in "<>" for c in text)
            and text == " ".join(text.split())
        )


class Code(Text):
    """The code of a lobby."""

    def fits(self, text: str) -> bool:
        return re.fullmatch("[a-z0-9-]+", text) is not None


class Maybe:
    """A value, or None."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def read(self, cursor: Cursor) -> Any:
        return self.inner.read(cursor) if cursor.flag() else None

    def write(self, value: Any, out: bytearray) -> None:
        out.append(value is not None)
        if value is not None:
            self.inner.write(value, out)


class Items:
    """At most this many values."""

    def __init__(self, item: Any, most: int) -> None:
        self.item, self.most = item, most

    def read(self, cursor: Cursor) -> list[Any]:
        return [self.item.read(cursor) for _ in range(at_most(cursor.varint(64), self.most))]

    def write(self, value: list[Any], out: bytearray) -> None:
        out += varint(len(value))
        for item in value:
            self.item.write(item, out)


class Record:
    """Named fields, in order."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def read(self, cursor: Cursor) -> dict[str, Any]:
        return {name: field.read(cursor) for name, field in self.fields.items()}

    def write(self, value: dict[str, Any], out: bytearray) -> None:
        for name, field in self.fields.items():
            field.write(value[name], out)


class Choice:
    """One of these names, by its index, with the value that belongs to it, if any."""

    def __init__(self, names: str, **values: Any) -> None:
        self.names, self.values = names.split(), values
        assert set(values) <= set(self.names)

    def read(self, cursor: Cursor) -> Any:
        index = cursor.varint(32)
        if index >= len(self.names):
            raise Unknown(f"there is no index {index} here")
        name = self.names[index]
        return {name: self.values[name].read(cursor)} if name in self.values else name

    def write(self, value: Any, out: bytearray) -> None:
        name, inner = split(value)
        if name not in self.names:
            raise Unfit(f"{name!r} is none of {', '.join(self.names)}")
        out += varint(self.names.index(name))
        if name in self.values:
            self.values[name].write(inner, out)


def split(value: Any) -> tuple[str, Any]:
    """The name of a choice and its value: ``{"Ping": 7}`` is Ping and 7, ``"Outside"`` is Outside and {}."""
    return (value, {}) if isinstance(value, str) else next(iter(value.items()))


def sides(each: Any) -> Record:
    return Record(first=each, second=each)


# --- The tables of the page. ---

U8, U16, U32, U64, BOOL = Number(8), Number(16), Number(32), Number(64), Bool()
NAME, CODE, SENTENCE = Name(96), Code(32), Text(300)
VARIANT = POSITION = Text(400)
FIXED16, MAGIC, TICKET, HASH = Fixed(2), Fixed(3, only=[110, 105, 109]), Fixed(16), Fixed(32)
PASSWORD = Maybe(Text(64))
CHAT = Text(200)
MOMENT = U64  # milliseconds of a lobby's time

SIDE = Choice("first second")
KIND = Choice("person bot guest program")
HINTS = Choice("nobody against_bots all watchers")
LEVEL = Choice("beginner easy fair strong perfect")
WHEN_AWAY = Choice("wait stand_in forfeit")
LOSS = Choice("closed silent")
HAND = Choice("own stand_in")
OFFER = Choice("draw takeback pause")
CLOCK_RULE = Choice(
    "None Move Fischer Delay", Move=U32, Fischer=Record(base=U32, bonus=U32), Delay=Record(base=U32, delay=U32)
)
SLIDE = Record(**{"from": U8, "to": U8})
MOVE = Choice(
    "Nim EvenOrOdd TicTacToe ConnectFour PongHauKi MuTorere",
    Nim=Record(pile=U8, count=U64),
    EvenOrOdd=U8,
    TicTacToe=U8,
    ConnectFour=U8,
    PongHauKi=SLIDE,
    MuTorere=SLIDE,
)

ORIGIN = Record(record=U32, moves=U32, position=POSITION)
NEW_LOBBY = Record(
    variant=VARIANT,
    starts=Choice("variant me them"),
    bot=Choice("when_nobody_comes at_once people_only both"),
    hints=HINTS,
    level=LEVEL,
    away=Record(then=WHEN_AWAY, level=Maybe(LEVEL), after=U32),
    clock=CLOCK_RULE,
    best_of=U8,
    watched=BOOL,
    listed=BOOL,
    password=PASSWORD,
    origin=Maybe(ORIGIN),
    seat=HASH,
)
GAME_NAME = Record(lobby=U64, game=U32)
TICKETS = Items(TICKET, 256)
GAMES_WISH = Record(
    **{"tickets": TICKETS, "mine": BOOL, "with": Maybe(Text(256)), "game": Maybe(VARIANT), "code": Maybe(Text(32))},
    since=U64,
    before=Maybe(U64),
)
HALL_REQUEST = Choice(
    "Look Create Join Quick Return Watch Games Record CreateForTwo",
    Create=NEW_LOBBY,
    Join=Record(code=Text(32), password=PASSWORD, seat=HASH),
    Quick=NEW_LOBBY,
    Return=Record(code=Text(32), ticket=TICKET, seen=U32),
    Watch=Record(code=Text(32), password=PASSWORD),
    Games=GAMES_WISH,
    Record=Record(name=GAME_NAME, tickets=TICKETS, part=U32),
    CreateForTwo=Record(lobby=NEW_LOBBY, guest=Text(256)),
)
LOBBY_REQUEST = Choice(
    "Play Resign Again Hint Leave Wait Claim Offer Answer Resume Say Review WaitNoMore Kick",
    Play=Record(turn=U32, mv=MOVE),
    Offer=OFFER,
    Answer=Record(turn=U32, offer=OFFER, accept=BOOL),
    Say=Record(words=CHAT),
    Review=Record(number=U32),
    Kick=Record(name=Text(256)),
)
TO_SERVER = Choice(
    "Hello Hall Lobby Ping Pong",
    Hello=Record(magic=MAGIC, version=FIXED16, name=Text(256), kind=Choice("person program")),
    Hall=Record(id=U32, request=HALL_REQUEST),
    Lobby=Record(id=U32, request=LOBBY_REQUEST),
    Ping=U32,
    Pong=U32,
)

MOST = Record(most=U32)
HALL_REFUSAL = Choice(
    "Variant NoSuchLobby NoBots BadTicket WrongPassword LobbiesFull TooManyLobbies Conditions TooManyGuesses GivenUp "
    "NoSuchRecord NoRecords RecordsBusy RecordTooLong RecordDamaged SetAside SeatHeld LobbyClosed",
    Variant=SENTENCE,
    LobbiesFull=MOST,
    TooManyLobbies=MOST,
    Conditions=SENTENCE,
    TooManyGuesses=MOST,
    SetAside=Record(lobby=U64),
    LobbyClosed=SENTENCE,
    SeatHeld=Record(code=CODE),
)
LOBBY_REFUSAL = Choice(
    "SeatTaken AlreadySeated NotSeated NoGame NotOver NotYourTurn OtherTurn Illegal AlreadyAsked NoHints HintPending "
    "HintLate NobodyHere NobodyAway WaitsAlready NothingToClaim ClaimTooEarly Paused NotPaused AnswerFirst "
    "OfferedAlready NoOffer NothingToTakeBack NoSuchMove Closed NoWatchers TooManyWatchers WaitsNot "
    "PlayerAtAddress NotOpener NoSuchWatcher OwnAddress Kicked PeopleOnly OpponentAway",
    Illegal=Text(200),
    ClaimTooEarly=Record(millis=U32),
    NoSuchMove=Record(count=U32),
    TooManyWatchers=Record(most=U16),
    NoSuchWatcher=Record(watchers=Items(NAME, 64)),
)
REFUSAL = Choice(
    "Misplaced Hall Lobby Chat TooFast Halted Draining",
    Misplaced=Choice("InLobby InHall SecondHello"),
    Hall=HALL_REFUSAL,
    Lobby=LOBBY_REFUSAL,
    Chat=Choice("Empty TooFast Off Muted", TooFast=Record(most=U32, seconds=U32)),
    TooFast=MOST,
    Halted=Record(why=SENTENCE),
)
HELLO_REFUSAL = Choice(
    "Version Name Full Stopping NotHello Malformed Crowded Banned",
    Version=Record(yours=FIXED16, ours=FIXED16),
    Name=Choice("Empty TooLong Bracket MixedScripts StandIn"),
    Full=MOST,
    Malformed=SENTENCE,
    Crowded=MOST,
)
FAREWELL = Choice(
    "Stopping Behind Silent HalfFrame NoHello FrameTooLong Malformed Elsewhere Kept NoRoom ClosedByHost LobbyClosed "
    "NoDiskSpace Moved",
    Malformed=SENTENCE,
)

SITTER = Record(name=NAME, kind=KIND, presence=Choice("here away stand_in"))
LISTING = Record(
    code=CODE,
    variant=VARIANT,
    position=Maybe(POSITION),
    seats=sides(Maybe(SITTER)),
    state=Choice("open playing over away"),
    level=LEVEL,
    clock=CLOCK_RULE,
    best_of=U8,
    watchers=U32,
    watched=BOOL,
    locked=BOOL,
)
LOBBIES = Record(listed=Items(LISTING, 16), gone=Items(CODE, 16), complete=BOOL)
CAUSE = Choice("rules resigned left repetition forfeited abandoned agreed time move_limit")
RESULT = Record(outcome=Choice("Win Draw", Win=SIDE), cause=CAUSE)
PLAYER = Record(id=U32, name=NAME, kind=KIND)
CONDITIONS = Record(
    opener=SIDE,
    bot=Choice("Never After Both PeopleOnly", After=U32),
    hints=HINTS,
    level=LEVEL,
    away=Record(then=WHEN_AWAY, level=LEVEL, closed_after=U32, silent_after=U32, kept_for=U32, rests_for=U32),
    clock=CLOCK_RULE,
    best_of=U8,
    watchers=U16,
    listed=BOOL,
    locked=BOOL,
)
ATTENDANCE = Record(
    absences=sides(Maybe(Record(since=MOMENT, loss=LOSS, waited=BOOL))),
    watchers=U32,
    since=MOMENT,
)
SNAPSHOT = Record(
    code=CODE,
    variant=VARIANT,
    conditions=CONDITIONS,
    origin=Maybe(ORIGIN),
    seats=sides(Maybe(PLAYER)),
    gone=sides(Maybe(PLAYER)),
    stand_ins=sides(BOOL),
    phase=Choice("Waiting Playing Over Closed", Over=Record(result=RESULT, again=sides(BOOL))),
    began=MOMENT,
    base=POSITION,
    past=Items(Record(mv=MOVE, hand=HAND), 1000),
    clocks=Record(left=sides(U32), free=U32, since=Maybe(MOMENT), stopped=BOOL),
    offers=Record(open=Maybe(Record(side=SIDE, offer=OFFER)), made=sides(U8)),
    paused=BOOL,
    score=Record(won=sides(U32), drawn=U32),
    games=U32,
    moves=U32,
    turn=U32,
    next_player=U32,
    events=U32,
    attendance=ATTENDANCE,
)
BY_SIDE = Record(side=SIDE)
EVENT = Choice(
    "Sat Started Moved Ended AgainWanted Left Closed StoodIn PlaysAgain Offered Declined TakenBack Paused Resumed "
    "ClockStopped ClockStarted Restarted Placed",
    Sat=Record(side=SIDE, player=PLAYER),
    Started=Record(game=U32, swap=BOOL),
    Moved=Record(turn=U32, player=U32, mv=MOVE, hand=HAND),
    Ended=Record(result=RESULT),
    AgainWanted=BY_SIDE,
    Left=Record(side=SIDE, how=Choice("quit lost")),
    StoodIn=BY_SIDE,
    PlaysAgain=BY_SIDE,
    Offered=Record(side=SIDE, offer=OFFER),
    Declined=BY_SIDE,
    TakenBack=Record(moves=U8),
    Resumed=BY_SIDE,
    Placed=Record(origin=ORIGIN),
)
NOTICE = Choice(
    "Away Back WaitedFor WaitedNoMore Watched Unwatched Kicked",
    Away=Record(side=SIDE, since=MOMENT, loss=LOSS),
    Back=BY_SIDE,
    WaitedFor=BY_SIDE,
    WaitedNoMore=BY_SIDE,
    Watched=Record(name=NAME),
    Unwatched=Record(name=NAME),
    Kicked=Record(name=NAME),
)
PLAYED_GAME = Record(
    name=GAME_NAME,
    code=CODE,
    variant=VARIANT,
    players=sides(Record(name=NAME, kind=KIND)),
    level=LEVEL,
    started=U64,
    result=Maybe(RESULT),
    mine=BOOL,
)
CHAT_LINE = Record(number=U32, room=Choice("players watchers"), name=NAME, at=MOMENT, words=CHAT)
IN_PLIES = Record(moves=Maybe(U32))
POSITION_VALUE = Choice("Unknown Win Loss Draw", Win=IN_PLIES, Loss=IN_PLIES)
TO_CLIENT = Choice(
    "Welcome Unwelcome Refused Hall Entered Lobby Outside Hint Ping Pong Goodbye Returned Watching Said Reviewed Halted "
    "Games Record Notice HostSaid Servers LobbyMoved LobbyAt",
    Welcome=Record(version=U16, name=NAME, server=Text(64), ping_after=U32, gone_after=U32),
    Unwelcome=HELLO_REFUSAL,
    Refused=Record(id=U32, turn=U32, refusal=REFUSAL),
    Hall=Choice("Lobbies", Lobbies=LOBBIES),
    Entered=Record(you=SIDE, lobby=SNAPSHOT, now=MOMENT),
    Lobby=Record(number=U32, at=MOMENT, event=EVENT),
    Hint=Record(turn=U32, mv=MOVE, words=SENTENCE),
    Ping=U32,
    Pong=U32,
    Goodbye=FAREWELL,
    Returned=Record(attendance=ATTENDANCE, now=MOMENT),
    Watching=Record(lobby=SNAPSHOT, now=MOMENT),
    Said=Items(CHAT_LINE, 32),
    Reviewed=Record(number=U32, count=U32, mv=MOVE, before=POSITION_VALUE, after=POSITION_VALUE, words=SENTENCE),
    Halted=Record(why=Maybe(SENTENCE), now=MOMENT),
    Games=Record(games=Items(PLAYED_GAME, 16), rest=Maybe(U64)),
    Record=Record(name=GAME_NAME, part=U32, parts=U32, text=Text(8192)),
    Notice=Record(at=MOMENT, notice=NOTICE),
    HostSaid=Record(words=CHAT),
    Servers=Record(addresses=Items(Text(260), 24)),
    LobbyAt=Record(address=Text(260)),
)

# --- Frames. ---


def encode(table: Any, message: Any) -> bytes:
    """The message as a whole frame. Raises Unfit for a value that has no place in it."""
    body = bytearray()
    table.write(message, body)
    return len(body).to_bytes(4, "big") + bytes(body)


def decode(table: Any, body: bytes) -> Any:
    """The message in a frame's body. Raises Malformed, or Unknown if it is to be skipped."""
    cursor = Cursor(body)
    message = table.read(cursor)
    if cursor.at < len(body):
        raise Malformed(f"{len(body) - cursor.at} bytes are left over behind the message")
    return message


def cut(buffer: bytearray) -> bytes | None:
    """Takes the body of the next frame off the front of the buffer; None if it is not whole yet."""
    length = int.from_bytes(buffer[:4], "big")
    if len(buffer) >= 4:
        at_most(length, MAX_FRAME)
    if len(buffer) < 4 + length:
        return None
    body = bytes(buffer[4 : 4 + length])
    del buffer[: 4 + length]
    return body
