//! The table of all commands of a person: the name, the default key, the label and a sentence for the help.
//! The keys, the key bar, the help, the list of actions and the settings all read it.

use crossterm::event::KeyCode;

use crate::client::Action;
use crate::lobby::Offer;

/// A command of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyCommand {
    /// Send this action.
    Act(Action),
    /// Make the selected move.
    Move,
    /// Make the move of the selected line of the learn panel.
    MakeFromTree,
    /// Go to the next turning point of a finished game.
    TurningPoint,
    /// Open the learn panel during a game.
    Learn,
    /// Open the learn panel after a game.
    Review,
    /// Open or close a line of the tree.
    Unfold,
    /// Open one more level of the tree.
    Deepen,
    /// Read everything about a line of the tree.
    Reason,
    /// Go back one move of the game.
    Earlier,
    /// Go on one move of the game.
    Later,
    /// Type a chat message.
    Chat,
    /// Read the rules and the agreed conditions.
    Rules,
    /// Open the help.
    Help,
    /// The same while a text is typed that may contain the usual key.
    HelpInText,
    /// Go back to the hall, or end the program too.
    Leave {
        /// Whether the program ends.
        quits: bool,
    },
    /// Leave a game and keep it for later.
    KeepGame,
    /// Leave a game and give it up.
    GiveUpGame,
    /// Confirm a question.
    Confirm,
    /// Close what is open.
    Close,
    /// Join the selected lobby.
    Join,
    /// Watch the selected lobby.
    Watch,
    /// Fill in the form of a new lobby.
    New,
    /// Fill in the form of a quick match.
    Quick,
    /// Type a filter for the list of lobbies.
    Filter,
    /// Show all lobbies again.
    ShowAll,
    /// Type the code of a lobby to join.
    ByCode,
    /// Look at the records of the server.
    Records,
    /// Send the form.
    Submit,
    /// Select the next value in a form.
    NextValue,
    /// Finish the text that is being typed.
    Finish,
    /// Discard the text that is being typed.
    Discard,
    /// Open the selected record.
    OpenRecord,
    /// Type the name of a file for a record.
    Export,
    /// Write that file.
    WriteFile,
    /// Go back to the list of records.
    BackToList,
    /// Go back to the screen before.
    Back,
    /// Open the list of all actions.
    Palette,
    /// Do the selected one of these actions.
    Choose,
}

/// A screen with keys of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The list of lobbies.
    Hall,
    /// A lobby.
    Game,
    /// The learn panel during a game.
    Learn,
    /// The learn panel after a game.
    Review,
    /// The records.
    Records,
}

impl Place {
    /// All of them.
    const ALL: &'static [Self] = &[Self::Hall, Self::Game, Self::Learn, Self::Review, Self::Records];
    /// The learn panel at any time.
    const PANEL: &'static [Self] = &[Self::Learn, Self::Review];

    /// Its name after "in".
    pub fn words(self) -> &'static str {
        match self {
            Self::Hall => "the hall",
            Self::Game => "a game",
            Self::Learn => "the learn panel",
            Self::Review => "a review",
            Self::Records => "the records",
        }
    }
}

/// A row of the table.
struct Row {
    name: &'static str,
    key: KeyCode,
    label: &'static str,
    meaning: &'static str,
    /// Where its key can be changed; empty for Enter, Esc and other keys that mean the same on every screen.
    places: &'static [Place],
}

/// The row of a command with a key that can be changed.
const fn row(
    places: &'static [Place],
    name: &'static str,
    key: char,
    label: &'static str,
    meaning: &'static str,
) -> Row {
    Row { name, key: KeyCode::Char(key), label, meaning, places }
}

/// The row of a command with a key that cannot be changed.
const fn fixed(name: &'static str, key: KeyCode, label: &'static str, meaning: &'static str) -> Row {
    Row { name, key, label, meaning, places: &[] }
}

impl KeyCommand {
    /// The commands whose keys can be changed, one for each name.
    pub const NAMED: [Self; 31] = [
        Self::Act(Action::Hint),
        Self::Learn,
        Self::Review,
        Self::Act(Action::Offer(Offer::Takeback)),
        Self::Act(Action::Offer(Offer::Draw)),
        Self::Act(Action::Offer(Offer::Pause)),
        Self::Act(Action::Resign),
        Self::Act(Action::Answer { offer: Offer::Draw, accept: true }),
        Self::Act(Action::Answer { offer: Offer::Draw, accept: false }),
        Self::Act(Action::Again),
        Self::Act(Action::Wait),
        Self::Act(Action::Claim),
        Self::Chat,
        Self::Rules,
        Self::Leave { quits: false },
        Self::Leave { quits: true },
        Self::Help,
        Self::Palette,
        Self::MakeFromTree,
        Self::Deepen,
        Self::Reason,
        Self::Earlier,
        Self::Later,
        Self::TurningPoint,
        Self::New,
        Self::Quick,
        Self::Watch,
        Self::ByCode,
        Self::Filter,
        Self::Records,
        Self::Export,
    ];

    /// Its name in the settings and in the list of actions.
    pub fn name(&self) -> &'static str {
        self.row().name
    }

    /// Its default key.
    pub fn key(&self) -> KeyCode {
        self.row().key
    }

    /// One or two words, for the key bar.
    pub fn label(&self) -> &'static str {
        self.row().label
    }

    /// A sentence, for the help.
    pub fn meaning(&self) -> &'static str {
        self.row().meaning
    }

    /// The screens on which it has its key; none if the key cannot be changed.
    pub fn places(&self) -> &'static [Place] {
        self.row().places
    }

    fn row(&self) -> Row {
        match self {
            Self::Act(action) => row_of(action),
            Self::Learn | Self::Review | Self::Chat | Self::Rules | Self::Leave { .. } => self.row_in_lobby(),
            Self::MakeFromTree
            | Self::TurningPoint
            | Self::Deepen
            | Self::Reason
            | Self::Earlier
            | Self::Later => self.row_in_panel(),
            Self::Watch | Self::New | Self::Quick | Self::ByCode | Self::Filter | Self::Records => {
                self.row_in_hall()
            }
            Self::Help => {
                row(Place::ALL, "help", '?', "help", "this list, as F1 does, also while a line is typed")
            }
            Self::Palette => {
                row(Place::ALL, "actions", ':', "actions", "all actions by name, as Ctrl-P does")
            }
            Self::Export => {
                row(&[Place::Records], "export", 'e', "export", "write the record of this game into a file")
            }
            _ => self.row_of_fixed_key(),
        }
    }

    fn row_in_lobby(&self) -> Row {
        const GAME: &[Place] = &[Place::Game];
        match self {
            Self::Learn => row(
                &[Place::Game, Place::Records],
                "learn",
                's',
                "learn",
                "what every move is worth, and the tree below",
            ),
            Self::Review => row(
                GAME,
                "review",
                'v',
                "review",
                "the turning points, how accurate each player was, and the tree below every move",
            ),
            Self::Chat => row(
                GAME,
                "talk",
                't',
                "talk",
                "say something; /mute NAME hides what a person says, /kick NAME removes a watcher",
            ),
            Self::Leave { quits: false } => row(GAME, "leave", 'l', "leave", "go back to the hall"),
            Self::Leave { quits: true } => row(Place::ALL, "quit", 'q', "quit", "leave, and end the program"),
            _ => row(GAME, "rules", 'i', "rules", "how this game is played, and what was agreed"),
        }
    }

    fn row_in_panel(&self) -> Row {
        const PANEL: &[Place] = Place::PANEL;
        match self {
            Self::MakeFromTree => {
                row(&[Place::Learn], "make-move", 'm', "move", "make the move of the selected line")
            }
            Self::TurningPoint => row(
                &[Place::Review],
                "turning-point",
                'n',
                "next turning point",
                "go to the next turning point",
            ),
            Self::Deepen => {
                row(PANEL, "open-all", 'o', "open all", "open one more level of all below the selected line")
            }
            Self::Reason => row(PANEL, "reason", 'r', "reason", "read everything about the selected line"),
            Self::Earlier => row(PANEL, "earlier", 'b', "earlier", "go to the position before the last move"),
            _ => row(PANEL, "later", 'f', "later", "go to the position after the next move of the game"),
        }
    }

    fn row_in_hall(&self) -> Row {
        const HALL: &[Place] = &[Place::Hall];
        match self {
            Self::Watch => row(HALL, "watch", 'w', "watch", "watch in the selected lobby"),
            Self::New => row(HALL, "new", 'n', "new", "open a lobby of your own, on your terms"),
            Self::Quick => {
                row(HALL, "quick", 'm', "quick", "join a person who waits for a game, or wait for one")
            }
            Self::ByCode => {
                row(HALL, "code", 'c', "code", "join a lobby by its code, also one that is not listed")
            }
            Self::Filter => {
                row(HALL, "filter", '/', "filter", "show only lobbies whose line contains a word")
            }
            _ => row(
                HALL,
                "records",
                'r',
                "records",
                "look at the games played on this server that are open to you",
            ),
        }
    }

    fn row_of_fixed_key(&self) -> Row {
        use KeyCode::{Char, Enter, Esc, F, Right};
        match self {
            Self::Move => fixed("move", Enter, "move", "make the chosen move"),
            Self::Unfold => fixed("open", Enter, "open", "open or close the selected line"),
            Self::HelpInText => fixed("help", F(1), "help", "this list"),
            Self::KeepGame => fixed("keep", Enter, "keep it", "leave the game, and keep it for later"),
            Self::GiveUpGame => fixed("give-up", Char('g'), "give it up", "leave the game, and lose it"),
            Self::Confirm => fixed("yes", Char('y'), "yes", "do it"),
            Self::Close => fixed("close", Esc, "close", "close this"),
            Self::Join => fixed(
                "join",
                Enter,
                "join",
                "join the selected lobby, return to your seat there, or watch where both are taken",
            ),
            Self::Submit => fixed("open", Enter, "open it", "do it on these terms"),
            Self::NextValue => {
                fixed("others", Right, "others", "go to the next choice; the left arrow key goes back")
            }
            Self::ShowAll => fixed("show-all", Esc, "show all", "show all lobbies again"),
            Self::Finish => fixed("done", Enter, "done", "finish the line"),
            Self::Discard => fixed("discard", Esc, "never mind", "discard the line"),
            Self::OpenRecord => fixed("open", Enter, "open", "open the selected game, and go through it"),
            Self::WriteFile => fixed("write", Enter, "write", "write the file of this name"),
            Self::BackToList => fixed("back", Esc, "games", "back to the list of games"),
            Self::Choose => fixed("choose", Enter, "do it", "do the selected action"),
            _ => fixed("back", Esc, "back", "back to where you came from"),
        }
    }

    /// Whether the key bar shows it even where there is no room for all commands: the help and the ways out.
    pub(super) fn stays(&self) -> bool {
        matches!(
            self,
            Self::Help
                | Self::HelpInText
                | Self::Close
                | Self::Leave { quits: true }
                | Self::Discard
                | Self::BackToList
                | Self::Back
        )
    }
}

/// The row of an action.
fn row_of(action: &Action) -> Row {
    const GAME: &[Place] = &[Place::Game];
    // An offer can be answered in the learn panel too.
    const ANSWERS: &[Place] = &[Place::Game, Place::Learn];
    match action {
        Action::Hint => row(GAME, "hint", 'h', "hint", "the best move and why"),
        Action::Offer(Offer::Draw) => row(GAME, "draw", 'd', "draw", "offer a draw"),
        Action::Offer(Offer::Takeback) => {
            row(GAME, "take-back", 'u', "take back", "ask to take your last move back")
        }
        // A game can either be paused or resumed, so that one key does both.
        Action::Offer(Offer::Pause) => row(GAME, "pause", 'p', "pause", "ask to pause the game"),
        Action::Resume => row(GAME, "pause", 'p', "resume", "resume the paused game"),
        Action::Answer { accept: true, .. } => row(ANSWERS, "accept", 'y', "accept", "accept the offer"),
        Action::Answer { accept: false, .. } => row(ANSWERS, "decline", 'n', "decline", "decline the offer"),
        Action::Resign => row(GAME, "resign", 'r', "resign", "give this game up"),
        Action::Again => row(GAME, "again", 'a', "again", "play another game, with the sides swapped"),
        Action::Wait => row(GAME, "wait", 'w', "wait", "wait for the other player, whatever was agreed"),
        Action::WaitNoMore => row(GAME, "wait", 'w', "wait no more", "let what was agreed apply again"),
        Action::Claim => {
            row(GAME, "claim", 'c', "claim", "take the game, as the other player has been away for too long")
        }
        // Other commands send these.
        Action::Look
        | Action::Create(_)
        | Action::CreateForTwo(..)
        | Action::Quick(_)
        | Action::Join(..)
        | Action::Watch(..)
        | Action::Return(_)
        | Action::Play(_)
        | Action::Say(_)
        | Action::Review(_)
        | Action::Kick(_)
        | Action::Leave(_)
        | Action::Quit(_) => fixed("", KeyCode::Null, "", ""),
    }
}
