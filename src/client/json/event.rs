//! The objects that go out, one a line: what happened, what is asked for, what was refused. Their page is `proto/JSON.md`.
//!
//! Every field is always there; `null` says that there is nothing to say.

use serde::{Deserialize, Serialize};

pub use super::part::{Ending, KeptSeat, Listing, Made, Origin, Player, Score, Sitter, Worth};
use super::vocabulary::{
    Cause, Deed, Departure, Fault, Hand, Hints, Level, Loss, Offer, Outcome, Phase, Refusal, Role, Room,
    Side, WhenAway,
};
use crate::game::BySide;
use crate::lobby::{Code, Name};

/// One object that a script is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The first object: the server has taken the script in.
    Welcome {
        /// What it is called there.
        name: Name,
        /// The server's address as it was given; `None` for the one inside this program.
        server: Option<String>,
    },
    /// Prompt: the script is in the hall, and is asked where to go.
    Hall {},
    /// Lobbies that are new or have changed, and those that are gone.
    Lobbies {
        /// New or changed.
        listed: Vec<Listing>,
        /// The codes of those that are gone.
        gone: Vec<Code>,
        /// Whether no more of the same moment follows.
        complete: bool,
    },
    /// The script has a seat in a lobby.
    Entered {
        /// What the script is called there: whoever comes back has the seat's name. `None` where it plays both sides.
        name: Option<Name>,
        /// The lobby's code.
        code: Code,
        /// What is played, with all defaults filled in.
        variant: String,
        /// Where games come from; `None` if they begin as the variant does.
        origin: Option<Box<Origin>>,
        /// The rules in two sentences.
        rules: String,
        /// Who may ask for hints.
        hints: Hints,
        /// How strong the bot plays, if it comes.
        level: Level,
        /// After how many milliseconds the bot takes an empty seat; `None` if it never does.
        bot_after: Option<u32>,
        /// What happens on the turn of somebody who is away.
        when_away: WhenAway,
        /// After how many milliseconds, once the connection has closed.
        away_after: u32,
        /// After how many milliseconds, once nothing is heard over it any more.
        silent_after: u32,
        /// How much time players have, as it is typed.
        clock: String,
        /// How many games a match has; 0 if people play as long as they like.
        best_of: u8,
        /// Whether the lobby is in the list, or found by its code alone.
        listed: bool,
        /// What the script is here.
        role: Role,
        /// The script's side; `None` where it plays both, and where it watches.
        you: Option<Side>,
        /// Who sits where.
        seats: BySide<Option<Sitter>>,
        /// How many watch.
        watchers: u32,
        /// What the lobby is doing.
        phase: Phase,
        /// Whether the game rests.
        paused: bool,
        /// How the last game has ended; `None` while one goes on, or before the first.
        result: Option<Ending>,
        /// The score of the match so far.
        score: Score,
        /// Games started so far.
        game: u32,
        /// The number of the next move.
        turn: u32,
        /// The moves of the present or the last game, the oldest first.
        past: Vec<Made>,
        /// How many milliseconds each side has left; `None` without a clock.
        clocks: Option<BySide<u32>>,
        /// The board, in the game's notation.
        position: String,
    },
    /// Somebody sat down.
    Sat {
        /// Who.
        who: Player,
    },
    /// A game starts.
    Started {
        /// Its number in this lobby, from 1.
        game: u32,
        /// Whether the players changed sides for it.
        swapped: bool,
        /// The script's side; `None` where it plays both.
        you: Option<Side>,
        /// Who sits where.
        seats: BySide<Option<Sitter>>,
        /// The number of the next move.
        turn: u32,
        /// The board, in the game's notation.
        position: String,
    },
    /// Prompt: the script is asked for a move.
    YourTurn {
        /// The number of the move that is asked for.
        turn: u32,
        /// Whose move it is.
        who: Player,
        /// The board, in the game's notation.
        position: String,
        /// How many moves there are, in decimal digits.
        move_count: String,
        /// The moves as they are typed, or the first ones of very many.
        moves: Vec<String>,
        /// What can be played, in a few words for people.
        words: String,
    },
    /// A move was made.
    Moved {
        /// Its number.
        turn: u32,
        /// Who made it.
        who: Player,
        /// The move as it is typed.
        #[serde(rename = "move")]
        mv: String,
        /// Whether the player made it, or the bot that stands in.
        hand: Hand,
        /// How many milliseconds each side has left; `None` without a clock.
        clocks: Option<BySide<u32>>,
        /// The board behind it, in the game's notation.
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
        /// How, for the script; `None` where it plays both sides.
        outcome: Option<Outcome>,
        /// Who won; `None` for a draw.
        winner: Option<Player>,
        /// What ended it.
        cause: Cause,
        /// The score of the match behind it.
        score: Score,
        /// The same in a sentence for people.
        words: String,
    },
    /// Prompt: the game is over, and the script is asked whether it wants another one.
    Over {
        /// The number of the game that is over.
        game: u32,
    },
    /// A player would like another game.
    AgainWanted {
        /// Who.
        who: Player,
    },
    /// A player is gone.
    Left {
        /// Who.
        who: Player,
        /// How they went.
        how: Departure,
    },
    /// A player is away and keeps the seat.
    Away {
        /// Who.
        who: Player,
        /// How it is known.
        loss: Loss,
    },
    /// A player who was away is back.
    Back {
        /// Who.
        who: Player,
    },
    /// The house's bot plays for somebody who is away.
    StoodIn {
        /// For whom.
        who: Player,
    },
    /// The other player waits for somebody who is away, whatever was agreed.
    WaitedFor {
        /// For whom.
        who: Player,
    },
    /// The other player waits no more: what was agreed takes its course again.
    WaitedNoMore {
        /// For whom.
        who: Player,
    },
    /// A player offers something.
    Offered {
        /// Who.
        who: Player,
        /// What.
        offer: Offer,
    },
    /// A player does not accept what the other one offered.
    Declined {
        /// Who.
        who: Player,
    },
    /// Moves were taken back.
    TakenBack {
        /// How many.
        moves: u8,
        /// The number of the next move.
        turn: u32,
        /// How many milliseconds each side has left; `None` without a clock.
        clocks: Option<BySide<u32>>,
        /// The board, in the game's notation.
        position: String,
    },
    /// The game rests.
    Paused {
        /// How many milliseconds each side has left; `None` without a clock.
        clocks: Option<BySide<u32>>,
    },
    /// The game goes on.
    Resumed {
        /// Who said so.
        who: Player,
        /// How many milliseconds each side has left; `None` without a clock.
        clocks: Option<BySide<u32>>,
    },
    /// Somebody has come to watch.
    Watched {
        /// What they are called.
        name: Name,
    },
    /// Somebody who watched is gone.
    Unwatched {
        /// What they are called.
        name: Name,
    },
    /// Somebody said something.
    Said {
        /// Who hears it.
        room: Room,
        /// Who said it.
        name: Name,
        /// The line.
        words: String,
    },
    /// What a move of the game that is over was worth.
    Reviewed {
        /// The move's number in the game, from 1.
        number: u32,
        /// How many moves the game has.
        count: u32,
        /// Who made it, be they gone by now.
        who: Player,
        /// The move as it is typed.
        #[serde(rename = "move")]
        mv: String,
        /// Whether the player made it, or the bot that stood in.
        hand: Hand,
        /// What the position was worth before it, for whoever made it; `None` if nobody knows.
        before: Option<Worth>,
        /// What it was worth behind it.
        after: Option<Worth>,
        /// The same for people, to be put behind the move.
        words: String,
    },
    /// Prompt: the other player offers something, and the script is asked for an answer. A move is one too.
    Answer {
        /// What is offered.
        offer: Offer,
        /// The number of the next move.
        turn: u32,
    },
    /// Prompt: the game rests, and the script may go on with it.
    Rest {},
    /// Prompt: the script watches, and may say something.
    Watching {},
    /// Prompt: a player is away on their turn, and the script may have what was agreed, or wait.
    Absent {
        /// Who is away.
        who: Player,
        /// What happens.
        then: WhenAway,
        /// The number of the next move.
        turn: u32,
    },
    /// What the lobby waits for.
    Why {
        /// In one sentence for people.
        words: String,
    },
    /// What was agreed when the lobby was opened.
    Terms {
        /// Where games come from; `None` if they begin as the variant does.
        origin: Option<Box<Origin>>,
        /// Who may ask for hints.
        hints: Hints,
        /// How strong the bot plays, if it comes or stands in.
        level: Level,
        /// After how many milliseconds the bot takes an empty seat; `None` if it never does.
        bot_after: Option<u32>,
        /// What happens on the turn of somebody who is away.
        when_away: WhenAway,
        /// After how many milliseconds, once the connection has closed.
        away_after: u32,
        /// After how many milliseconds, once nothing is heard over it any more.
        silent_after: u32,
        /// For how many milliseconds seats are kept, and a game where nobody is there.
        kept_for: u32,
        /// For how many milliseconds a game that rests is kept where nobody is there.
        rests_for: u32,
        /// How much time players have, as it is typed.
        clock: String,
        /// How many games a match has; 0 if people play as long as they like.
        best_of: u8,
        /// How many may watch.
        watchers: u16,
        /// Whether the lobby is in the list, or found by its code alone.
        listed: bool,
        /// Whether whoever joins or watches is asked for a password.
        locked: bool,
        /// The same in sentences for people.
        words: Vec<String>,
    },
    /// The host was away and is back: everybody in the lobby is away until they come back, and its time stood still.
    Restarted {},
    /// The host cannot record anything, so that nothing happens and the lobby's time stands still; or it can again.
    Halted {
        /// Why it cannot, for people; `None` if it can.
        words: Option<String>,
    },
    /// Something is wrong with how the script's seat is kept for `nim-client resume`, or is so no more.
    Seat {
        /// Whether another run of the program can come back to it.
        kept: bool,
        /// What is wrong, or that all is well again, for people.
        words: String,
    },
    /// The script has left its lobby.
    Outside {},
    /// The connection is lost, and the program tries to come back by itself.
    Lost {
        /// For how many milliseconds it tries.
        patience: u32,
        /// What is wrong, for people.
        words: String,
    },
    /// The script is back in its seat, and has been told all that it missed.
    Returned {},
    /// A request was understood and not granted, and nothing has changed.
    Refused {
        /// Which request; `None` if the script made none.
        request: Option<Deed>,
        /// Why.
        refusal: Refusal,
        /// The number of the next move; 0 in the hall.
        turn: u32,
        /// What is wrong and what would be right, for people.
        words: String,
    },
    /// A line was not understood, and nothing has changed.
    Error {
        /// What is wrong with it.
        fault: Fault,
        /// The same for people, and what would be right.
        words: String,
    },
    /// The program was to come back to a seat, and it is not clear to which one, or there is none.
    Seats {
        /// Those that are kept, the one that was used last first.
        kept: Vec<KeptSeat>,
    },
    /// The last object.
    End {
        /// The exit code of the program.
        exit_code: u8,
        /// Why the program ends early, for people; `None` if all went as it should.
        words: Option<String>,
    },
}
