"""The messages of the protocol as bytes, written from proto/PROTOCOL.md and nothing else.

First the tables of the page, then how a message becomes a frame and is one again. Messages are plain values, as in the
JSON of proto/vectors: ``"Outside"``, ``{"Ping": 7}``.
"""

from __future__ import annotations

from typing import Any

from nim_values import Bool, Byte, Choice, Code, Cursor, Fixed, Items, Malformed, Maybe, Name, Number, Record, Text

MAX_FRAME = 16384

U8, U16, U32, U64 = Byte(), Number(16), Number(32), Number(64)
BOOL, NAME, CODE, SENTENCE = Bool(), Name(), Code(32), Text(300)
VARIANT = POSITION = Text(400)
FIXED16, MAGIC, TICKET = Fixed(2), Fixed(3, only=[110, 105, 109]), Fixed(16)
MOMENT = U64  # milliseconds of a lobby's time


def one_of(*names: str) -> Choice:
    return Choice(**dict.fromkeys(names))


def sides(each: Any) -> Record:
    return Record(first=each, second=each)


SIDE = one_of("First", "Second")
KIND = one_of("Person", "Bot")
HINTS = one_of("Nobody", "AgainstBots", "Everyone")
LEVEL = one_of("Beginner", "Easy", "Fair", "Strong", "Perfect")
WHEN_AWAY = one_of("Wait", "StandIn", "Forfeit")
LOSS = one_of("Closed", "Silent")
SLIDE = Record(**{"from": U8, "to": U8})
MOVE = Choice(
    Nim=Record(pile=U8, count=U64),
    EvenOrOdd=U8,
    TicTacToe=U8,
    ConnectFour=U8,
    PongHauKi=SLIDE,
    MuTorere=SLIDE,
)

NEW_LOBBY = Record(
    variant=VARIANT,
    starts=one_of("Variant", "Me", "Them"),
    bot=one_of("WhenNobodyComes", "AtOnce", "PeopleOnly"),
    hints=HINTS,
    level=LEVEL,
    away=Record(then=WHEN_AWAY, after=U32),
)
HALL_REQUEST = Choice(
    Look=None,
    Create=NEW_LOBBY,
    Join=Record(code=Text(32)),
    Quick=NEW_LOBBY,
    Return=Record(code=Text(32), ticket=TICKET, seen=U32),
)
LOBBY_REQUEST = Choice(
    Play=Record(turn=U32, mv=MOVE), Resign=None, Again=None, Hint=None, Leave=None, Wait=None, Claim=None
)
TO_SERVER = Choice(
    Hello=Record(magic=MAGIC, version=FIXED16, name=Text(256)),
    Hall=Record(id=U32, request=HALL_REQUEST),
    Lobby=Record(id=U32, request=LOBBY_REQUEST),
    Ping=U32,
    Pong=U32,
)

REFUSAL = Choice(
    Misplaced=one_of("InLobby", "InHall", "SecondHello"),
    Hall=Choice(Variant=SENTENCE, NoSuchLobby=None, NoBots=None, BadTicket=None),
    Lobby=Choice(
        SeatTaken=None,
        AlreadySeated=None,
        NotSeated=None,
        NoGame=None,
        NotOver=None,
        NotYourTurn=None,
        OtherTurn=None,
        Illegal=Text(200),
        AlreadyAsked=None,
        NoHints=None,
        HintPending=None,
        HintLate=None,
        NobodyHere=None,
        NobodyAway=None,
        WaitsAlready=None,
        NothingToClaim=None,
        ClaimTooEarly=Record(millis=U32),
    ),
)
HELLO_REFUSAL = Choice(
    Version=Record(yours=FIXED16, ours=FIXED16),
    Name=one_of("Empty", "TooLong"),
    Full=None,
    Stopping=None,
    NotHello=None,
    Malformed=SENTENCE,
)
FAREWELL = Choice(
    Stopping=None,
    Behind=None,
    Silent=None,
    HalfFrame=None,
    NoHello=None,
    FrameTooLong=None,
    Malformed=SENTENCE,
    Elsewhere=None,
)

SITTER = Record(name=NAME, kind=KIND, presence=one_of("Here", "Away", "StandIn"))
LISTING = Record(
    code=CODE,
    variant=VARIANT,
    seats=sides(Maybe(SITTER)),
    state=one_of("Open", "Playing", "Over"),
    level=LEVEL,
)
HALL_EVENT = Choice(Lobbies=Record(listed=Items(LISTING, 16), gone=Items(CODE, 16), complete=BOOL))
CAUSE = one_of("Rules", "Resigned", "Left", "Repetition", "Forfeited", "Abandoned")
RESULT = Record(outcome=Choice(Win=SIDE, Draw=None), cause=CAUSE)
PLAYER = Record(id=U32, name=NAME, kind=KIND)
AWAY_RULE = Record(then=WHEN_AWAY, closed_after=U32, silent_after=U32, kept_for=U32)
ABSENCE = Record(since=MOMENT, loss=LOSS, cover=one_of("Agreed", "Waited", "StandIn"))
BOT_RULE = Choice(Never=None, After=U32)
SNAPSHOT = Record(
    code=CODE,
    variant=VARIANT,
    conditions=Record(opener=SIDE, bot=BOT_RULE, hints=HINTS, level=LEVEL, away=AWAY_RULE),
    seats=sides(Maybe(PLAYER)),
    absences=sides(Maybe(ABSENCE)),
    phase=Choice(Waiting=None, Playing=None, Over=Record(result=RESULT, again=sides(BOOL)), Closed=None),
    began=MOMENT,
    position=POSITION,
    games=U32,
    turn=U32,
    next_player=U32,
    events=U32,
)
EVENT = Choice(
    Sat=Record(side=SIDE, player=PLAYER),
    Started=Record(game=U32, swap=BOOL),
    Moved=Record(turn=U32, player=U32, mv=MOVE, hand=one_of("Own", "StandIn")),
    Ended=Record(result=RESULT),
    AgainWanted=Record(side=SIDE),
    Left=Record(side=SIDE, how=one_of("Quit", "Lost")),
    Closed=None,
    Away=Record(side=SIDE, since=MOMENT, loss=LOSS),
    Back=Record(side=SIDE),
    StoodIn=Record(side=SIDE),
    WaitedFor=Record(side=SIDE),
)
TO_CLIENT = Choice(
    Welcome=Record(version=U16, name=NAME, server=Text(64), ping_after=U32, gone_after=U32),
    Unwelcome=HELLO_REFUSAL,
    Refused=Record(id=U32, turn=U32, refusal=REFUSAL),
    Hall=HALL_EVENT,
    Entered=Record(you=SIDE, lobby=SNAPSHOT, now=MOMENT, ticket=TICKET),
    Lobby=Record(number=U32, at=MOMENT, event=EVENT),
    Outside=None,
    Hint=Record(turn=U32, mv=MOVE, words=SENTENCE),
    Ping=U32,
    Pong=U32,
    Goodbye=FAREWELL,
    Returned=Record(now=MOMENT, ticket=TICKET),
)


def encode(table: Any, message: Any) -> bytes:
    """The message as a whole frame. Raises Unfit for a value that has no place in it."""
    body = bytearray()
    table.write(message, body)
    return len(body).to_bytes(4, "big") + bytes(body)


def decode(table: Any, body: bytes) -> Any:
    """The one message that a frame's body holds. Raises Malformed, or Unknown if it is to be skipped."""
    cursor = Cursor(body)
    message = table.read(cursor)
    if cursor.at < len(body):
        raise Malformed(f"{len(body) - cursor.at} bytes are left over behind the message")
    return message


def cut(buffer: bytearray) -> bytes | None:
    """Takes the body of the next frame off the front of the buffer; None if it is not whole yet."""
    length = int.from_bytes(buffer[:4], "big")
    if len(buffer) >= 4 and length > MAX_FRAME:
        raise Malformed(f"a frame of {length} bytes, and at most {MAX_FRAME} are allowed")
    if len(buffer) < 4 + length:
        return None
    body = bytes(buffer[4 : 4 + length])
    del buffer[: 4 + length]
    return body
