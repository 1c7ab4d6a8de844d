//! The objects that the program writes: events, prompts and refusals. `proto/JSON.md` describes them.
//!
//! Every field is always present; `null` means none.

use serde::{Deserialize, Serialize};

pub use super::part::{
    JsonConditions, JsonEnding, JsonListing, JsonOrigin, JsonPlayer, JsonScore, JsonValue, JsonWho, KeptSeat,
};
use super::words::{JsonOutcome, JsonRole, LineError, Word};
use crate::game::{BySide, Side};
use crate::lobby::{Cause, Code, ConnectionLoss, Departure, Hand, Name, NotatedMove, Offer, WhenAway};
use crate::wire::{ChatRoom, Sitter};

/// An object that the program writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum EventLine {
    /// The first object: the server has accepted the script.
    Welcome {
        /// Its name there.
        name: Name,
        /// The server's address as it was typed; `None` for the server inside this program.
        server: Option<String>,
    },
    /// Prompt: the script is in the hall.
    Hall {},
    /// Lobbies that are new or have changed, and those that are gone.
    Lobbies {
        /// New or changed.
        listed: Vec<JsonListing>,
        /// The codes of those that are gone.
        gone: Vec<Code>,
        /// Whether the update is complete.
        complete: bool,
    },
    /// The script is in a lobby.
    Entered {
        /// The script's name there, which is the seat's for a player; `None` if it plays both sides.
        name: Option<Name>,
        /// The lobby's code.
        code: Code,
        /// The variant, with all defaults filled in.
        variant: String,
        /// The record that the games continue; `None` if they start as the variant does.
        origin: Option<Box<JsonOrigin>>,
        /// The rules in two sentences.
        rules: String,
        /// What was agreed.
        #[serde(flatten)]
        conditions: JsonConditions,
        /// What the script is here.
        role: JsonRole,
        /// The script's side; `None` if it plays both sides or watches.
        you: Option<Side>,
        /// The seats.
        seats: BySide<Option<Sitter>>,
        /// The number of watchers.
        watchers: u32,
        /// What the lobby is doing.
        phase: Word,
        /// Whether the game is paused.
        paused: bool,
        /// The end of the last game; `None` before the first and during a game.
        result: Option<JsonEnding>,
        /// The score of the match so far.
        score: JsonScore,
        /// The number of games that were started.
        game: u32,
        /// The number of the next move.
        turn: u32,
        /// The moves of the current or last game, the oldest first.
        past: Vec<NotatedMove>,
        /// Milliseconds left for each side; `None` without a clock.
        clocks: Option<BySide<u32>>,
        /// The position, in the game's notation.
        position: String,
    },
    /// The ticket of the script's seat, for a script that keeps it by itself.
    Ticket {
        /// The lobby's code.
        code: Code,
        /// The ticket, in 32 hexadecimal digits.
        ticket: String,
    },
    /// Somebody sat down.
    Sat(JsonWho),
    /// A game starts.
    Started {
        /// Its number in this lobby, from 1.
        game: u32,
        /// Whether the players changed sides for it.
        swapped: bool,
        /// The script's side; `None` if it plays both sides or watches.
        you: Option<Side>,
        /// The seats.
        seats: BySide<Option<Sitter>>,
        /// The number of the next move.
        turn: u32,
        /// The position, in the game's notation.
        position: String,
    },
    /// Prompt: it is the script's turn.
    YourTurn {
        /// The number of the move that is asked for.
        turn: u32,
        /// Whose move it is.
        who: JsonPlayer,
        /// The position, in the game's notation.
        position: String,
        /// The number of legal moves, in decimal digits.
        move_count: String,
        /// The legal moves as they are typed; only the first ones of very many.
        moves: Vec<String>,
        /// The legal moves in words for people.
        words: String,
    },
    /// A move was made.
    Moved {
        /// Its number.
        turn: u32,
        /// Who made it.
        who: JsonPlayer,
        /// The move as it is typed.
        #[serde(rename = "move")]
        mv: String,
        /// Whether the player made it, or the stand-in bot.
        hand: Hand,
        /// Milliseconds left for each side; `None` without a clock.
        clocks: Option<BySide<u32>>,
        /// The position after it, in the game's notation.
        position: String,
    },
    /// A good move.
    Hint {
        /// The turn for which it is given.
        turn: u32,
        /// The move as it is typed.
        #[serde(rename = "move")]
        mv: String,
        /// Why it is good.
        words: String,
    },
    /// The game has ended.
    Ended {
        /// The result for the script; `None` if it plays both sides or watches.
        outcome: Option<JsonOutcome>,
        /// Who won; `None` for a draw.
        winner: Option<JsonPlayer>,
        /// What ended it.
        cause: Cause,
        /// The score of the match after it.
        score: JsonScore,
        /// The same as a sentence for people.
        words: String,
    },
    /// Prompt: the game is over; another one?
    Over {
        /// The number of the game that is over.
        game: u32,
    },
    /// A player asks for another game.
    AgainWanted(JsonWho),
    /// A player has left.
    Left {
        /// Who.
        who: JsonPlayer,
        /// How.
        how: Departure,
    },
    /// A player is away and keeps the seat.
    Away {
        /// Who.
        who: JsonPlayer,
        /// How it is known.
        loss: ConnectionLoss,
    },
    /// A player who was away is back.
    Back(JsonWho),
    /// The bot plays for a player who is away.
    StoodIn(JsonWho),
    /// The other player waits for a player who is away, whatever was agreed.
    WaitedFor(JsonWho),
    /// The other player no longer waits: what was agreed applies again.
    WaitedNoMore(JsonWho),
    /// A player offers something.
    Offered {
        /// Who.
        who: JsonPlayer,
        /// What.
        offer: Offer,
    },
    /// A player has declined an offer.
    Declined(JsonWho),
    /// Moves were taken back.
    TakenBack {
        /// How many.
        moves: u8,
        /// The number of the next move.
        turn: u32,
        /// Milliseconds left for each side; `None` without a clock.
        clocks: Option<BySide<u32>>,
        /// The position, in the game's notation.
        position: String,
    },
    /// The game is paused.
    Paused {
        /// Milliseconds left for each side; `None` without a clock.
        clocks: Option<BySide<u32>>,
    },
    /// The game is resumed.
    Resumed {
        /// Who resumed it.
        who: JsonPlayer,
        /// Milliseconds left for each side; `None` without a clock.
        clocks: Option<BySide<u32>>,
    },
    /// A watcher has joined.
    Watched {
        /// Their name.
        name: Name,
    },
    /// A watcher has left.
    Unwatched {
        /// Their name.
        name: Name,
    },
    /// A watcher was kicked: their address may not watch the lobby any more.
    Kicked {
        /// Their name.
        name: Name,
    },
    /// A line of chat.
    Said {
        /// Its readers.
        room: ChatRoom,
        /// Its author.
        name: Name,
        /// The line.
        words: String,
    },
    /// The review of a move of the last game.
    Reviewed {
        /// The move's number in the game, from 1.
        number: u32,
        /// How many moves the game has.
        count: u32,
        /// Who made it, even if they have left.
        who: JsonPlayer,
        /// The move as it is typed.
        #[serde(rename = "move")]
        mv: String,
        /// Whether the player made it, or the stand-in bot.
        hand: Hand,
        /// The value of the position before it, for the player who made it; `None` if it is unknown.
        before: Option<JsonValue>,
        /// The value after it.
        after: Option<JsonValue>,
        /// The same for people, to be shown after the move.
        words: String,
    },
    /// Prompt: the other player offers something. A move declines it.
    Answer {
        /// What is offered.
        offer: Offer,
        /// The number of the next move.
        turn: u32,
    },
    /// Prompt: the game is paused, and the script may resume it.
    Rest {},
    /// Prompt: the script watches.
    Watching {},
    /// Prompt: the other player is away on their turn; the script may wait, or let the agreed rule apply.
    Absent {
        /// Who is away.
        who: JsonPlayer,
        /// What happens.
        then: WhenAway,
        /// The number of the next move.
        turn: u32,
    },
    /// What the lobby waits for.
    Why {
        /// As a sentence for people.
        words: String,
    },
    /// What was agreed when the lobby was opened.
    Terms {
        /// The record that the games continue; `None` if they start as the variant does.
        origin: Option<Box<JsonOrigin>>,
        /// The conditions that the `entered` event has too.
        #[serde(flatten)]
        conditions: JsonConditions,
        /// For how many milliseconds seats are kept, and a game without connected players.
        kept_for: u32,
        /// For how many milliseconds a paused game without connected players is kept.
        rests_for: u32,
        /// The most watchers.
        watchers: u16,
        /// Whether joining and watching need a password.
        locked: bool,
        /// The same in sentences for people.
        words: Vec<String>,
    },
    /// The server was restarted: all players are away until they return, and no time has passed.
    Restarted {},
    /// The server cannot record, so that the lobby stands still; or it can again.
    Halted {
        /// Why it cannot, for people; `None` if it can.
        words: Option<String>,
    },
    /// The host says something to everybody.
    HostSaid {
        /// What.
        words: String,
    },
    /// The script's seat cannot be saved for `nim-client resume`, or can again.
    Seat {
        /// Whether another run of the program can take it up.
        kept: bool,
        /// The reason, for people.
        words: String,
    },
    /// The script has left its lobby.
    Outside {},
    /// The connection is lost, and the program reconnects by itself.
    Lost {
        /// For how many milliseconds it tries.
        patience: u32,
        /// What is wrong, for people.
        words: String,
    },
    /// The script is back in its seat, and all that it missed was written.
    Returned {},
    /// A request was refused; nothing has changed.
    Refused {
        /// The request; `None` if the script made none.
        request: Option<Word>,
        /// Why.
        refusal: Word,
        /// The number of the next move; 0 in the hall.
        turn: u32,
        /// The reason, for people.
        words: String,
    },
    /// A line was not a request; nothing has changed.
    Error {
        /// What is wrong with it.
        fault: LineError,
        /// The same for people, and what is expected.
        words: String,
    },
    /// No seat to resume, or several.
    Seats {
        /// The seats that are kept, the last used first.
        kept: Vec<KeptSeat>,
    },
    /// The last object.
    End {
        /// The program's exit code.
        exit_code: u8,
        /// Why the program failed, for people; `None` if it did not.
        words: Option<String>,
    },
}
