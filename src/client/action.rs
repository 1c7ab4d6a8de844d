//! The actions of a person or script. A face maps its keys, lines or JSON objects to an [`Action`], and the
//! session sends it.

use super::SavedSeat;
use crate::game::any::{Move, Variant};
use crate::lobby::{ClockRule, Code, Hints, Level, Name, Offer, Origin, Text, WhenAway};
use crate::wire::limits::{MAX_CHAT, MAX_NAME_BYTES};
use crate::wire::{
    AwayWish, BotWish, HallRequest, LobbyRequest, NewLobby, Secret, Starts, Ticket, TokenHash,
};

/// An action of a person or script. Its name as text is that of a script's request.
#[derive(Debug, Clone, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// List the lobbies of the hall.
    #[default]
    Look,
    /// Open a lobby.
    #[strum(serialize = "new")]
    Create(Terms),
    /// Open a lobby for two people at this keyboard; the name is the second one's.
    #[strum(serialize = "new")]
    CreateForTwo(Terms, Name),
    /// Join an open lobby of the same variant, or open one.
    Quick(Terms),
    /// Join a lobby, with its password if it has one.
    Join(Code, Option<Secret>),
    /// Watch a lobby, with its password if it has one.
    Watch(Code, Option<Secret>),
    /// Return to a saved seat.
    Return(SavedSeat),
    /// Make a move in the current turn.
    Play(Move),
    /// Ask for a good move.
    Hint,
    /// Resign the game.
    Resign,
    /// Play another game.
    Again,
    /// Offer something to the other player.
    Offer(Offer),
    /// Answer an offer of the other player.
    Answer {
        /// What was offered.
        offer: Offer,
        /// Whether it is accepted.
        accept: bool,
    },
    /// Resume a paused game.
    Resume,
    /// Wait for the other player, who is away.
    Wait,
    /// Let the agreed rule for absences apply again.
    WaitNoMore,
    /// Claim the game of a player who is away for too long.
    Claim,
    /// Say something to the people in the same room.
    Say(Text<MAX_CHAT>),
    /// Ask for a review of a move of the last game, by its number from 1.
    Review(u32),
    /// Kick the watcher with this name: their address may not watch any more.
    Kick(Text<MAX_NAME_BYTES>),
    /// Go back to the hall.
    Leave(Leaving),
    /// Leave and end the program.
    Quit(Leaving),
}

/// What happens to the seat of a player who leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// The seat is kept: the connection is closed, and the player can return.
    Keep,
    /// The seat is given up, and a game in progress is lost.
    GiveUp,
}

impl Action {
    /// Whether it asks the server to leave the lobby, which gives the seat up.
    pub fn is_leave(&self) -> bool {
        matches!(self, Self::Leave(Leaving::GiveUp) | Self::Quit(Leaving::GiveUp))
    }

    /// Whether it asks for a seat that the client does not have yet.
    pub fn is_for_new_seat(&self) -> bool {
        matches!(self, Self::Create(_) | Self::CreateForTwo(..) | Self::Quick(_) | Self::Join(..))
    }

    /// Whether it is a request to the hall.
    pub fn is_for_hall(&self) -> bool {
        self.is_for_new_seat() || matches!(self, Self::Look | Self::Watch(..) | Self::Return(_))
    }

    /// The request to the hall, with this ticket for a new seat; `None` for an action inside a lobby.
    pub fn hall_request(&self, ticket: Ticket) -> Option<HallRequest> {
        let text = |code: &Code| Text::cut(&code.to_string());
        Some(match self {
            Self::Look => HallRequest::Look,
            Self::Create(terms) => HallRequest::Create(terms.lobby(ticket.hash())),
            Self::CreateForTwo(terms, guest) => HallRequest::CreateForTwo {
                lobby: terms.lobby(ticket.hash()),
                guest: Text::cut(guest.as_str()),
            },
            Self::Quick(terms) => HallRequest::Quick(terms.lobby(ticket.hash())),
            Self::Join(code, password) => {
                let (password, seat) = (password.clone(), ticket.hash());
                HallRequest::Join { code: text(code), password, seat }
            }
            Self::Watch(code, password) => {
                HallRequest::Watch { code: text(code), password: password.clone() }
            }
            Self::Return(seat) => {
                HallRequest::Return { code: text(&seat.code), ticket: seat.ticket, seen: 0 }
            }
            _ => return None,
        })
    }

    /// The request to the lobby in this turn; `None` for an action in the hall, or to leave and keep the seat.
    pub fn lobby_request(&self, turn: u32) -> Option<LobbyRequest> {
        Some(match self {
            Self::Look
            | Self::Create(_)
            | Self::CreateForTwo(..)
            | Self::Quick(_)
            | Self::Join(..)
            | Self::Watch(..)
            | Self::Return(_)
            | Self::Leave(Leaving::Keep)
            | Self::Quit(Leaving::Keep) => return None,
            Self::Play(mv) => LobbyRequest::Play { turn, mv: *mv },
            Self::Hint => LobbyRequest::Hint,
            Self::Resign => LobbyRequest::Resign,
            Self::Again => LobbyRequest::Again,
            Self::Offer(offer) => LobbyRequest::Offer(*offer),
            Self::Answer { offer, accept } => LobbyRequest::Answer { turn, offer: *offer, accept: *accept },
            Self::Resume => LobbyRequest::Resume,
            Self::Wait => LobbyRequest::Wait,
            Self::WaitNoMore => LobbyRequest::WaitNoMore,
            Self::Claim => LobbyRequest::Claim,
            Self::Say(words) => LobbyRequest::Say { words: words.clone() },
            Self::Review(number) => LobbyRequest::Review { number: *number },
            Self::Kick(name) => LobbyRequest::Kick { name: name.clone() },
            Self::Leave(Leaving::GiveUp) | Self::Quit(Leaving::GiveUp) => LobbyRequest::Leave,
        })
    }
}

/// The terms of a lobby that a client wants to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// The variant.
    pub variant: Variant,
    /// The record that games continue, if they do not start as the variant does.
    pub origin: Option<Origin>,
    /// Who makes the first move.
    pub starts: Starts,
    /// Whether a bot may take the other seat.
    pub bot: BotWish,
    /// Who may ask for the best move.
    pub hints: Hints,
    /// The level of the bot, if it joins.
    pub level: Level,
    /// What happens when somebody is away.
    pub away: AwayWish,
    /// The clock.
    pub clock: ClockRule,
    /// The number of games of a match; 0 for no limit.
    pub best_of: u8,
    /// Whether others may watch.
    pub watched: bool,
    /// Whether the lobby is listed, rather than found by its code alone.
    pub listed: bool,
    /// The password for joining and watching.
    pub password: Option<Secret>,
}

/// The default for absences: a stand-in, 10 seconds after the connection closed.
pub const DEFAULT_ABSENCE: AwayWish = AwayWish { then: WhenAway::StandIn, level: None, after: 10_000 };

impl Default for Terms {
    /// The game decides who starts, a perfect bot joins if nobody else does, and there are hints against it.
    fn default() -> Self {
        Self {
            variant: Variant::default(),
            origin: None,
            starts: Starts::Variant,
            bot: BotWish::WhenNobodyComes,
            hints: Hints::AgainstBots,
            level: Level::default(),
            away: DEFAULT_ABSENCE,
            clock: ClockRule::None,
            best_of: 0,
            watched: true,
            listed: true,
            password: None,
        }
    }
}

impl Terms {
    fn lobby(&self, seat: TokenHash) -> NewLobby {
        let Self { variant, origin, password, .. } = self;
        let Self { starts, bot, hints, level, away, clock, best_of, watched, listed, .. } = *self;
        let (variant, origin, password) = (Text::cut(&variant.text()), origin.clone(), password.clone());
        NewLobby {
            variant,
            starts,
            bot,
            hints,
            level,
            away,
            clock,
            best_of,
            watched,
            listed,
            password,
            origin,
            seat,
        }
    }
}
