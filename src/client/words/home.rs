//! The sentences of the first screen: what can be chosen there, and what it means.

use std::time::Duration;

use crate::client::text::{capital, full_stop, spoken_time};
use crate::client::{SavedSeat, SeatStatus};
use crate::lobby::Level;

/// The name of the program, and what it is.
pub const TITLE: &str = "nim: two-player games on your network";

/// The lines of the first screen as a list, each with its command. The games that can be resumed follow.
pub const MENU: [(&str, &[&str]); 4] = [
    ("play here and now, against the bot", &["play"]),
    ("play here and now, two people at this keyboard", &["play", "--two"]),
    ("go to a host on this network", &["connect"]),
    ("list the games that were played at this keyboard", &["record", "list"]),
];

/// The text below that list.
pub const ABOUT_MENU: [&str; 2] = [
    "Type a number, or a command such as play nim:3-4-5 or connect 192.168.1.7.",
    "help shows this again, --help lists all commands, and quit ends.",
];

/// The line for a game that can be resumed.
pub fn going_on(kept: &str) -> String {
    format!("go on: {kept}")
}

/// More of them than are listed.
pub fn others(count: usize) -> String {
    format!("go on elsewhere: resume CODE; resume alone lists {count} more")
}

/// The question below the list of this length.
pub fn which(count: usize) -> String {
    format!("What would you like (1 to {count}, or a command)?")
}

/// The only saved seat is that of a game that has ended; above its line.
pub const ONLY_ONE_IS_OVER: &str = "No game is in progress. This one is over:";

/// The question below the list of this many games that can be resumed.
pub fn which_game(count: usize) -> String {
    match count {
        1 => "Return to it (1, or Enter for no)?".to_owned(),
        _ => format!("Which game (1 to {count}, a code, or Enter for none)?"),
    }
}

/// A number that is not in that list.
pub fn not_listed(number: usize) -> String {
    format!("There is no {number} in the list; help shows it again.")
}

/// No command was given, and there is no terminal to ask.
pub const NOBODY_TO_ASK: &str = "nothing was asked for, and there is no terminal at which somebody could be: say what to do, as in \
     nim-client play or nim-client connect 192.168.1.7";

/// No host was found yet.
pub const NOBODY: &str = "No hosts yet; new ones appear here.";

/// Why the person is back on the first screen.
pub fn failed(failure: &str) -> String {
    full_stop(&capital(failure))
}

/// The help: each key and what it does, and the mouse.
pub const ABOUT_KEYS: [&str; 11] = [
    "Arrows\tup and down go from line to line, and so do Tab and the wheel of the mouse; left and right go through the \
     games, the opponents, and who makes the first move",
    "Enter\tdo what the line is for: play, go to the server, go on with the game, or look at records",
    "?\tthis list, as F1 does",
    "Esc\tend the program; q does so too on lines that are not typed",
    "Ctrl-U\tempty the line that is typed",
    "",
    "A click chooses a line, and one more does what Enter does, or shows what else there is.",
    "Any game can be typed on its line, such as nim:5-6-7 or take:30:4, and on the line below the hosts the address of one.",
    "Hosts on your network come into the list by themselves, and leave it when they stop.",
    "In every game and in the hall ? shows what you can do there.",
    "The command nim-client tutorial teaches how such games are won, in three screens.",
];

/// The same where only a server is chosen.
pub const ABOUT_SERVER_KEYS: [&str; 7] = [
    "Arrows\tup and down go from line to line, and so do Tab and the wheel of the mouse",
    "Enter\tgo to the server of the line",
    "?\tthis list, as F1 does",
    "Esc\tend the program; q does so too on lines that are not typed",
    "Ctrl-U\tempty the line that is typed",
    "",
    "A click chooses a line, and one more goes there. An address can be typed on the line below the hosts. Hosts come into \
     the list by themselves, and leave it when they stop.",
];

/// Several hosts were found.
pub const WHICH: &str = "There are several hosts on this network: choose one.";

/// About the opponent.
pub const ABOUT_OPPONENTS: &str =
    "A bot of any strength, a second person at this keyboard, or two bots that you watch.";

/// About the first move.
pub const ABOUT_STARTING: &str = "After each game the sides are swapped.";

/// About the address.
pub const ABOUT_ADDRESSES: &str =
    "Type what the host's screen shows: HOST or HOST:PORT. Enter goes there, and shows who is waiting.";

/// About a game that can be resumed; its line may be cut.
pub fn about_kept(kept: &str) -> String {
    format!("{kept}. Enter brings you back to your seat.")
}

/// The time after which games that can be resumed are old.
pub const OLD: Duration = Duration::from_hours(7 * 24);

/// The line that forgets old games.
pub fn forget_old(count: usize) -> String {
    let games = if count == 1 { "the game" } else { "all games" };
    format!("forget {games} not played for a week ({count})")
}

/// The question before that.
pub fn ask_to_forget(count: usize) -> String {
    let (games, them) = if count == 1 { ("1 game", "it") } else { (&*format!("{count} games"), "them") };
    format!("Forget {games}? Press Enter once more; any other key keeps {them}.")
}

/// Old games were forgotten.
pub fn forgotten(count: usize) -> String {
    if count == 1 { "1 game is forgotten.".to_owned() } else { format!("{count} games are forgotten.") }
}

/// About the line that forgets old games.
pub const ABOUT_FORGETTING: &str =
    "They are not offered here any more, as with resume --forget-old 7d. Servers are not told.";

/// About records.
pub const ABOUT_RECORDS: &str = "Enter lists them: go through a game with what each move was worth, or write it into a file. Those of a \
    server are in its hall.";

/// A game that can be resumed: the variant, the opponent, the place, the age, and whether another window has
/// it.
pub fn kept(SeatStatus { seat, is_here, is_held, quiet, .. }: &SeatStatus) -> String {
    let SavedSeat { variant, opponent, code, server, .. } = seat;
    let opponent = opponent.as_deref().unwrap_or("nobody yet");
    let place = if *is_here { format!("in {code} here") } else { format!("in {code} on {server}") };
    // First, since a narrow window cuts the end of a line.
    let held = if *is_held { "[open elsewhere] " } else { "" };
    format!("{held}{variant} against {opponent}, {place}, {} ago", spoken_time(*quiet))
}

/// The opponent in a game at this keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opponent {
    /// A bot of this strength.
    Bot(Level),
    /// A second person at this keyboard.
    Person,
    /// Two bots play.
    Bots,
}

impl Default for Opponent {
    fn default() -> Self {
        Self::Bot(Level::default())
    }
}

impl Opponent {
    /// All of them, the strongest bot first.
    pub const ALL: [Self; 7] = [
        Self::Bot(Level::Perfect),
        Self::Bot(Level::Strong),
        Self::Bot(Level::Fair),
        Self::Bot(Level::Easy),
        Self::Bot(Level::Beginner),
        Self::Person,
        Self::Bots,
    ];

    /// Its name in the list.
    pub fn words(self) -> String {
        match self {
            Self::Bot(level) => format!("a bot, {level}"),
            Self::Person => "a second person at this keyboard".into(),
            Self::Bots => "nobody: watch two bots".into(),
        }
    }
}
