//! The commands of a person, each with its key, its label and a sentence for the help; and the key bar, a row
//! of keys to press or click.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::appearance::{Appearance, Tone};
use super::painter::{Painter, width};
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
}

impl KeyCommand {
    /// Its key.
    pub fn key(&self) -> KeyCode {
        self.entry().0
    }

    /// One or two words, for the key bar.
    pub fn label(&self) -> &'static str {
        self.entry().1
    }

    /// A sentence, for the help.
    pub fn meaning(&self) -> &'static str {
        self.entry().2
    }

    fn entry(&self) -> (KeyCode, &'static str, &'static str) {
        use KeyCode::{Char, Enter, Esc, F, Right};
        match self {
            Self::Act(action) => entry_of(action),
            Self::Move => (Enter, "move", "make the chosen move"),
            Self::MakeFromTree => (Char('m'), "move", "make the move of the selected line"),
            Self::TurningPoint => {
                (Char('n'), "next turning point", "go to the next move that gave a result away")
            }
            Self::Learn => (Char('s'), "learn", "what every move is worth, and the tree below"),
            Self::Review => (
                Char('v'),
                "review",
                "the turning points, how accurate each player was, and the tree below every move",
            ),
            Self::Unfold => (Enter, "open", "open or close the selected line"),
            Self::Deepen => (Char('o'), "open all", "open one more level of all below the selected line"),
            Self::Reason => (Char('r'), "reason", "read everything about the selected line"),
            Self::Earlier => (Char('b'), "earlier", "go to the position before the last move"),
            Self::Later => (Char('f'), "later", "go to the position after the next move of the game"),
            Self::Chat => (
                Char('t'),
                "talk",
                "say something; /mute NAME hides what a person says, /kick NAME removes a watcher",
            ),
            Self::Rules => (Char('i'), "rules", "how this game is played, and what was agreed"),
            Self::Help => (Char('?'), "help", "this list, as F1 does, also while a line is typed"),
            Self::HelpInText => (F(1), "help", "this list"),
            Self::Leave { quits: false } => (Char('l'), "leave", "go back to the hall"),
            Self::Leave { quits: true } => (Char('q'), "quit", "leave, and end the program"),
            Self::KeepGame => (Enter, "keep it", "leave the game, and keep it for later"),
            Self::GiveUpGame => (Char('g'), "give it up", "leave the game, and lose it"),
            Self::Confirm => (Char('y'), "yes", "do it"),
            Self::Close => (Esc, "close", "close this"),
            Self::Join => (
                Enter,
                "join",
                "join the selected lobby, return to your seat there, or watch where both are taken",
            ),
            Self::Watch => (Char('w'), "watch", "watch in the selected lobby"),
            Self::New => (Char('n'), "new", "open a lobby of your own, on your terms"),
            Self::Quick => (Char('m'), "quick", "join a person who waits for a game, or wait for one"),
            Self::Filter => (Char('/'), "filter", "show only lobbies whose line contains a word"),
            Self::Records => {
                (Char('r'), "records", "look at the games played on this server that are open to you")
            }
            Self::Submit => (Enter, "open it", "do it on these terms"),
            Self::NextValue => (Right, "others", "go to the next choice; the left arrow key goes back"),
            Self::Finish => (Enter, "done", "finish the line"),
            Self::Discard => (Esc, "never mind", "discard the line"),
            Self::OpenRecord => (Enter, "open", "open the selected game, and go through it"),
            Self::Export => (Char('e'), "export", "write the record of this game into a file"),
            Self::WriteFile => (Enter, "write", "write the file of this name"),
            Self::BackToList => (Esc, "games", "back to the list of games"),
            Self::Back => (Esc, "back", "back to where you came from"),
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

    /// The name of its key.
    pub(super) fn key_name(&self, appearance: Appearance) -> String {
        match self.key() {
            KeyCode::Enter if appearance.ascii => "Enter".into(),
            KeyCode::Enter => "⏎".into(),
            KeyCode::Right if appearance.ascii => "Right".into(),
            KeyCode::Right => "→".into(),
            KeyCode::Char(letter) => letter.to_string(),
            KeyCode::F(number) => format!("F{number}"),
            _ => "Esc".into(),
        }
    }
}

/// The key, the label and the meaning of an action.
fn entry_of(action: &Action) -> (KeyCode, &'static str, &'static str) {
    use KeyCode::Char;
    match action {
        Action::Hint => (Char('h'), "hint", "the best move and why"),
        Action::Offer(Offer::Draw) => (Char('d'), "draw", "offer a draw"),
        Action::Offer(Offer::Takeback) => (Char('u'), "take back", "ask to take your last move back"),
        Action::Offer(Offer::Pause) => (Char('p'), "pause", "ask to pause the game"),
        Action::Answer { accept: true, .. } => (Char('y'), "accept", "accept the offer"),
        Action::Answer { accept: false, .. } => (Char('n'), "decline", "decline the offer"),
        Action::Resign => (Char('r'), "resign", "give this game up"),
        Action::Resume => (Char('p'), "resume", "resume the paused game"),
        Action::Again => (Char('a'), "again", "play another game, with the sides swapped"),
        Action::Wait => (Char('w'), "wait", "wait for the other player, whatever was agreed"),
        Action::WaitNoMore => (Char('w'), "wait no more", "let what was agreed apply again"),
        Action::Claim => {
            (Char('c'), "claim", "take the game, as the other player has been away for too long")
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
        | Action::Quit(_) => (KeyCode::Null, "", ""),
    }
}

/// The columns between two keys.
const GAP: u16 = 3;

/// A key of the bar.
#[derive(Debug, Clone)]
pub(super) struct KeyHint {
    /// The key itself: a click on the bar presses it.
    pub(super) code: KeyCode,
    /// Its name.
    pub(super) name: String,
    /// What it does, in one or two words.
    pub(super) label: String,
    /// It is shown even where there is no room for all keys.
    pub(super) stays: bool,
}

impl KeyHint {
    /// A key that is always shown.
    pub(super) fn new(code: KeyCode, name: &str, label: &str) -> Self {
        Self { code, name: name.to_owned(), label: label.to_owned(), stays: true }
    }

    /// The key of a command.
    pub(super) fn of(command: &KeyCommand, appearance: Appearance) -> Self {
        let key = Self::new(command.key(), &command.key_name(appearance), command.label());
        Self { stays: command.stays(), ..key }
    }

    fn width(&self) -> u16 {
        width(&self.name) + 1 + width(&self.label) + GAP
    }
}

/// The keys that have room in this row, with their areas; those that stay are always among them.
fn placed(keys: Vec<KeyHint>, row: Rect) -> Vec<(Rect, KeyHint)> {
    let kept: u16 = keys.iter().filter(|key| key.stays).map(KeyHint::width).sum();
    let mut room = (row.width + GAP).saturating_sub(kept);
    let mut x = row.x;
    let mut placed = Vec::new();
    for key in keys {
        let width = key.width();
        if !key.stays {
            if width > room {
                continue;
            }
            room -= width;
        }
        placed.push((Rect { x, y: row.y, width: width - GAP, height: 1 }, key));
        x += width;
    }
    placed
}

/// The key at this position.
pub(super) fn key_at(keys: Vec<KeyHint>, row: Rect, at: Point) -> Option<KeyCode> {
    placed(keys, row).into_iter().find(|(area, _)| area.contains(at)).map(|(_, key)| key.code)
}

/// Paints the bar.
pub(super) fn paint_keys(keys: Vec<KeyHint>, row: Rect, painter: &mut Painter<'_>) {
    for (area, key) in placed(keys, row) {
        painter.put(area.x, area.y, &key.name, Tone::Key);
        painter.put(area.x + width(&key.name) + 1, area.y, &key.label, Tone::Plain);
    }
}
