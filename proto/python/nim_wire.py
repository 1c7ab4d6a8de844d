"""The messages of the protocol as bytes, written from proto/PROTOCOL.md and nothing else.

First the tables of the page, then how a message becomes a frame and is one again. Messages are plain values, as in the
JSON of proto/vectors: ``"Outside"``, ``{"Ping": 7}``.
"""

from __future__ import annotations

from typing import Any

from nim_values import (
    Bool, Byte, Choice, Code, Cursor, Fixed, Items, Malformed, Maybe, Name, Number, Record, Text,
)  # fmt: skip

MAX_FRAME = 16384

U8, U16, U32, U64 = Byte(), Number(16), Number(32), Number(64)
BOOL, NAME, CODE, SENTENCE = Bool(), Name(), Code(32), Text(300)
VARIANT = POSITION = Text(400)
FIXED16, MAGIC, TICKET, HASH = Fixed(2), Fixed(3, only=[110, 105, 109]), Fixed(16), Fixed(32)
PASSWORD = Maybe(Text(64))
CHAT = Text(200)
MOMENT = U64  # milliseconds of a lobby's time


def one_of(*names: str) -> Choice:
    return Choice(**dict.fromkeys(names))


def sides(each: Any) -> Record:
    return Record(first=each, second=each)


SIDE = one_of("first", "second")
KIND = one_of("person", "bot", "guest")
HINTS = one_of("nobody", "against_bots", "all", "watchers")
LEVEL = one_of("beginner", "easy", "fair", "strong", "perfect")
WHEN_AWAY = one_of("wait", "stand_in", "forfeit")
LOSS = one_of("closed", "silent")
HAND = one_of("own", "stand_in")
OFFER = one_of("draw", "takeback", "pause")
CLOCK_RULE = Choice(**{"None": None}, Move=U32, Fischer=Record(base=U32, bonus=U32), Delay=Record(base=U32, delay=U32))
SLIDE = Record(**{"from": U8, "to": U8})
MOVE = Choice(
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
    starts=one_of("variant", "me", "them"),
    bot=one_of("when_nobody_comes", "at_once", "people_only", "both"),
    hints=HINTS,
    level=LEVEL,
    away=Record(then=WHEN_AWAY, after=U32),
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
    Look=None,
    Create=NEW_LOBBY,
    Join=Record(code=Text(32), password=PASSWORD, seat=HASH),
    Quick=NEW_LOBBY,
    Return=Record(code=Text(32), ticket=TICKET, seen=U32),
    Watch=Record(code=Text(32), password=PASSWORD),
    Games=GAMES_WISH,
    Record=Record(name=GAME_NAME, tickets=TICKETS, part=U32),
    CreateForTwo=Record(lobby=NEW_LOBBY, guest=NAME),
)
LOBBY_REQUEST = Choice(
    Play=Record(turn=U32, mv=MOVE),
    Resign=None,
    Again=None,
    Hint=None,
    Leave=None,
    Wait=None,
    Claim=None,
    Offer=OFFER,
    Answer=Record(turn=U32, offer=OFFER, accept=BOOL),
    Resume=None,
    Say=Record(words=CHAT),
    Review=Record(number=U32),
    WaitNoMore=None,
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
    Hall=Choice(
        Variant=SENTENCE,
        NoSuchLobby=None,
        NoBots=None,
        BadTicket=None,
        WrongPassword=None,
        LobbiesFull=Record(most=U32),
        TooManyLobbies=Record(most=U32),
        Conditions=SENTENCE,
        TooManyGuesses=Record(most=U32),
        GivenUp=None,
        NoSuchRecord=None,
        NoRecords=None,
        RecordsBusy=None,
        RecordTooLong=None,
        RecordDamaged=None,
        SetAside=Record(lobby=U64),
        SeatHeld=Record(code=CODE),
    ),
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
        Paused=None,
        NotPaused=None,
        AnswerFirst=None,
        OfferedAlready=None,
        NoOffer=None,
        NothingToTakeBack=None,
        NoSuchMove=Record(count=U32),
        Closed=None,
        NoWatchers=None,
        TooManyWatchers=Record(most=U16),
        WaitsNot=None,
    ),
    Chat=Choice(Empty=None, TooFast=Record(most=U32, seconds=U32), Off=None),
    TooFast=Record(most=U32),
    Halted=Record(why=SENTENCE),
)
HELLO_REFUSAL = Choice(
    Version=Record(yours=FIXED16, ours=FIXED16),
    Name=one_of("Empty", "TooLong"),
    Full=Record(most=U32),
    Stopping=None,
    NotHello=None,
    Malformed=SENTENCE,
    Crowded=Record(most=U32),
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
    Kept=None,
    NoRoom=None,
)

SITTER = Record(name=NAME, kind=KIND, presence=one_of("here", "away", "stand_in"))
LISTING = Record(
    code=CODE,
    variant=VARIANT,
    position=Maybe(POSITION),
    seats=sides(Maybe(SITTER)),
    state=one_of("open", "playing", "over", "away"),
    level=LEVEL,
    clock=CLOCK_RULE,
    best_of=U8,
    watchers=U32,
    watched=BOOL,
    locked=BOOL,
)
HALL_EVENT = Choice(Lobbies=Record(listed=Items(LISTING, 16), gone=Items(CODE, 16), complete=BOOL))
CAUSE = one_of("rules", "resigned", "left", "repetition", "forfeited", "abandoned", "agreed", "time")
RESULT = Record(outcome=Choice(Win=SIDE, Draw=None), cause=CAUSE)
PLAYER = Record(id=U32, name=NAME, kind=KIND)
AWAY_RULE = Record(then=WHEN_AWAY, closed_after=U32, silent_after=U32, kept_for=U32, rests_for=U32)
ABSENCE = Record(since=MOMENT, loss=LOSS, cover=one_of("Agreed", "Waited", "StandIn"))
BOT_RULE = Choice(Never=None, After=U32, Both=None)
CONDITIONS = Record(
    opener=SIDE,
    bot=BOT_RULE,
    hints=HINTS,
    level=LEVEL,
    away=AWAY_RULE,
    clock=CLOCK_RULE,
    best_of=U8,
    watchers=U16,
    listed=BOOL,
    locked=BOOL,
)
SNAPSHOT = Record(
    code=CODE,
    variant=VARIANT,
    conditions=CONDITIONS,
    origin=Maybe(ORIGIN),
    seats=sides(Maybe(PLAYER)),
    gone=sides(Maybe(PLAYER)),
    absences=sides(Maybe(ABSENCE)),
    phase=Choice(Waiting=None, Playing=None, Over=Record(result=RESULT, again=sides(BOOL)), Closed=None),
    began=MOMENT,
    base=POSITION,
    past=Items(Record(mv=MOVE, hand=HAND), 1000),
    clocks=Record(left=sides(U32), free=U32, since=Maybe(MOMENT)),
    offers=Record(open=Maybe(Record(side=SIDE, offer=OFFER)), made=sides(U8)),
    paused=BOOL,
    score=Record(won=sides(U32), drawn=U32),
    watchers=U32,
    games=U32,
    turn=U32,
    next_player=U32,
    events=U32,
)
EVENT = Choice(
    Sat=Record(side=SIDE, player=PLAYER),
    Started=Record(game=U32, swap=BOOL),
    Moved=Record(turn=U32, player=U32, mv=MOVE, hand=HAND),
    Ended=Record(result=RESULT),
    AgainWanted=Record(side=SIDE),
    Left=Record(side=SIDE, how=one_of("quit", "lost")),
    Closed=None,
    Away=Record(side=SIDE, since=MOMENT, loss=LOSS),
    Back=Record(side=SIDE),
    StoodIn=Record(side=SIDE),
    WaitedFor=Record(side=SIDE),
    Offered=Record(side=SIDE, offer=OFFER),
    Declined=Record(side=SIDE),
    TakenBack=Record(moves=U8),
    Paused=None,
    Resumed=Record(side=SIDE),
    Watched=Record(name=NAME),
    Unwatched=Record(name=NAME),
    Restarted=None,
    Placed=Record(origin=ORIGIN),
    WaitedNoMore=Record(side=SIDE),
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
CHAT_LINE = Record(number=U32, room=one_of("players", "watchers"), name=NAME, at=MOMENT, words=CHAT)
IN_MOVES = Record(moves=Maybe(U32))
WORTH = Choice(Unknown=None, Win=IN_MOVES, Loss=IN_MOVES, Draw=None)
TO_CLIENT = Choice(
    Welcome=Record(version=U16, name=NAME, server=Text(64), ping_after=U32, gone_after=U32),
    Unwelcome=HELLO_REFUSAL,
    Refused=Record(id=U32, turn=U32, refusal=REFUSAL),
    Hall=HALL_EVENT,
    Entered=Record(you=SIDE, lobby=SNAPSHOT, now=MOMENT),
    Lobby=Record(number=U32, at=MOMENT, event=EVENT),
    Outside=None,
    Hint=Record(turn=U32, mv=MOVE, words=SENTENCE),
    Ping=U32,
    Pong=U32,
    Goodbye=FAREWELL,
    Returned=Record(now=MOMENT),
    Watching=Record(lobby=SNAPSHOT, now=MOMENT),
    Said=Items(CHAT_LINE, 32),
    Reviewed=Record(number=U32, count=U32, mv=MOVE, before=WORTH, after=WORTH, words=SENTENCE),
    Halted=Record(why=Maybe(SENTENCE), now=MOMENT),
    Games=Record(games=Items(PLAYED_GAME, 16), rest=Maybe(U64)),
    Record=Record(name=GAME_NAME, part=U32, parts=U32, text=Text(8192)),
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
