//! Builds the JSON events from the client's state: the lobby, its events, the open prompts.

use super::event::{self, EventLine, JsonEnding, JsonListing, JsonPlayer, JsonScore, JsonValue, JsonWho};
use super::words::{JsonOutcome, JsonRole, Word};
use crate::client::failure::NoSeat;
use crate::client::model::MyLobby;
use crate::client::session::SeatWarning;
use crate::client::words::{self, Viewpoint};
use crate::client::{Failure, Question, SeatStatus};
use crate::game::any::Variant;
use crate::game::{BySide, Game, Side};
use crate::lobby::{self, ClockRule, Code, GameResult, Lobby, Name, Notice, PastMove};
use crate::number::millis;
use crate::wire::{self, HallEvent, Sitter, Ticket};

/// The most moves that are listed: all of them on any usual board, and a short line for a pile of 10^18.
pub(super) const MAX_MOVES: usize = 64;

/// The last object: the end of the program, with or without a failure.
pub(super) fn end(failure: Option<&Failure>) -> EventLine {
    EventLine::End {
        exit_code: failure.map_or(0, Failure::exit_code),
        words: failure.map(Failure::in_one_line),
    }
}

/// The same for a script without a program on its machine.
pub(super) fn remote_end(failure: Option<&Failure>) -> EventLine {
    EventLine::End { exit_code: failure.map_or(0, Failure::exit_code), words: failure.map(Failure::reason) }
}

/// The seats that a script could resume.
pub(super) fn seats(none: &NoSeat) -> EventLine {
    let seat = |SeatStatus { seat, is_here, is_held, unheard, quiet }: &SeatStatus| event::KeptSeat {
        code: seat.code,
        server: (!is_here).then(|| seat.server.to_string()),
        name: seat.name.clone(),
        variant: seat.variant.clone(),
        opponent: seat.opponent.clone(),
        unheard: millis(*unheard),
        quiet: millis(*quiet),
        held: *is_held,
        command: none.command(seat),
    };
    EventLine::Seats { kept: none.kept.iter().map(seat).collect() }
}

/// Whether the script's seat is saved for a later run of the program.
pub(super) fn seat(warning: &SeatWarning) -> EventLine {
    EventLine::Seat {
        kept: !matches!(warning, SeatWarning::NotKept(_)),
        words: words::connection::how_kept(warning),
    }
}

/// The ticket of the script's seat, which the script keeps.
pub(super) fn ticket(code: Code, ticket: Ticket) -> EventLine {
    EventLine::Ticket { code, ticket: ticket.to_hex() }
}

/// The lobbies that have changed.
pub(super) fn lobbies(news: HallEvent) -> EventLine {
    let HallEvent::Lobbies { listed, gone, complete } = news;
    EventLine::Lobbies { listed: listed.iter().map(listing).collect(), gone: gone.into_vec(), complete }
}

fn listing(listing: &crate::wire::Listing) -> JsonListing {
    // The text of a variant comes from the network: only one that can be read back is repeated.
    let variant = listing.variant.as_str().parse().ok().map(|variant: Variant| variant.text());
    JsonListing {
        code: listing.code,
        variant,
        position: listing.position.as_ref().map(ToString::to_string),
        state: listing.state,
        level: listing.level,
        clock: listing.clock.to_string(),
        best_of: listing.best_of,
        watchers: listing.watchers,
        watched: listing.watched,
        locked: listing.locked,
        seats: listing.seats.clone(),
    }
}

/// The lobby that the script has just entered; `name` is the script's name in the hall.
pub(super) fn entered(mine: &MyLobby, name: &Name, eyes: Viewpoint) -> EventLine {
    let lobby = &mine.lobby;
    EventLine::Entered {
        name: called(mine, name, eyes),
        code: lobby.code(),
        variant: lobby.variant().text(),
        origin: lobby.origin().map(|origin| Box::new(origin.into())),
        rules: lobby.variant().rules(),
        conditions: lobby.conditions().into(),
        role: if mine.you().is_some() { JsonRole::Player } else { JsonRole::Watcher },
        you: your_side(lobby, eyes),
        seats: sitters(lobby),
        watchers: lobby.watchers(),
        phase: Word::Borrowed(lobby.phase().into()),
        paused: lobby.is_paused(),
        result: result(lobby, eyes),
        score: score(lobby),
        game: lobby.games(),
        turn: lobby.turn(),
        past: lobby.made(),
        clocks: clocks(lobby),
        position: lobby.board().write_position(),
    }
}

/// The script's name: for a player that of the seat.
fn called(mine: &MyLobby, name: &Name, eyes: Viewpoint) -> Option<Name> {
    match (mine.side(), eyes) {
        (None, _) => Some(name.clone()),
        (Some(side), Viewpoint::Player(_)) => Some(mine.lobby.seats()[side].as_ref()?.name.clone()),
        (Some(_), Viewpoint::Spectator) => None,
    }
}

/// The result of the last game.
fn result(lobby: &Lobby, eyes: Viewpoint) -> Option<JsonEnding> {
    let lobby::Phase::Over { result, .. } = lobby.phase() else { return None };
    Some(JsonEnding {
        winner: result.outcome.winner(),
        cause: result.cause,
        words: words::ended(lobby, result, eyes),
    })
}

/// The conditions of this lobby.
pub(super) fn terms(lobby: &Lobby) -> EventLine {
    let conditions = lobby.conditions();
    EventLine::Terms {
        origin: lobby.origin().map(|origin| Box::new(origin.into())),
        conditions: conditions.into(),
        kept_for: conditions.away.kept_for,
        rests_for: conditions.away.rests_for,
        watchers: conditions.watchers,
        locked: conditions.locked,
        words: words::agreement::terms(lobby),
    }
}

/// The prompt for an open question.
pub(super) fn prompt(question: Question, lobby: Option<&Lobby>) -> Option<EventLine> {
    Some(match (question, lobby) {
        (Question::Hall, _) => EventLine::Hall {},
        (Question::Move, Some(lobby)) => your_turn(lobby)?,
        (Question::Again, Some(lobby)) => EventLine::Over { game: lobby.games() },
        (Question::Offer(offer), Some(lobby)) => EventLine::Answer { offer, turn: lobby.turn() },
        (Question::Rest, _) => EventLine::Rest {},
        (Question::Watch, _) => EventLine::Watching {},
        (Question::Absence, Some(lobby)) => absent(lobby)?,
        (Question::Move | Question::Again | Question::Offer(_) | Question::Absence, None) => return None,
    })
}

fn absent(lobby: &Lobby) -> Option<EventLine> {
    let (_, side, then) = lobby.absence_deadline()?;
    Some(EventLine::Absent { who: player_at(lobby, side)?, then, turn: lobby.turn() })
}

fn your_turn(lobby: &Lobby) -> Option<EventLine> {
    let (board, position) = (lobby.board(), lobby.board().position());
    Some(EventLine::YourTurn {
        turn: lobby.turn(),
        who: player_at(lobby, board.turn())?,
        position: board.write_position(),
        move_count: position.move_count().to_string(),
        moves: position.moves().take(MAX_MOVES).map(|mv| board.write_move(mv)).collect(),
        words: board.prompt(),
    })
}

/// The event that leads from `before` to `after`. `None` if a script does not need it.
pub(super) fn happened(
    event: &lobby::Event,
    before: &Lobby,
    after: &Lobby,
    eyes: Viewpoint,
) -> Option<EventLine> {
    Some(match event {
        lobby::Event::Sat { side, .. } => EventLine::Sat(who(after, *side)?),
        lobby::Event::Started { game, swap } => started(after, *game, *swap, eyes),
        lobby::Event::Moved { turn, player, mv, hand } => EventLine::Moved {
            turn: *turn,
            who: player_at(before, before.side_of(*player)?)?,
            mv: before.board().write_move(*mv),
            hand: *hand,
            clocks: clocks(after),
            position: after.board().write_position(),
        },
        lobby::Event::Ended { result } => ended(after, *result, eyes),
        lobby::Event::AgainWanted { side } => EventLine::AgainWanted(who(before, *side)?),
        lobby::Event::Left { side, how } => EventLine::Left { who: player_at(before, *side)?, how: *how },
        lobby::Event::StoodIn { side } => EventLine::StoodIn(who(after, *side)?),
        lobby::Event::Offered { side, offer } => {
            EventLine::Offered { who: player_at(after, *side)?, offer: *offer }
        }
        lobby::Event::Declined { side } => EventLine::Declined(who(after, *side)?),
        lobby::Event::TakenBack { moves } => EventLine::TakenBack {
            moves: *moves,
            turn: after.turn(),
            clocks: clocks(after),
            position: after.board().write_position(),
        },
        lobby::Event::Paused => EventLine::Paused { clocks: clocks(after) },
        lobby::Event::Resumed { side } => {
            EventLine::Resumed { who: player_at(after, *side)?, clocks: clocks(after) }
        }
        lobby::Event::Restarted => EventLine::Restarted {},
        // A notice says who is back or away.
        lobby::Event::PlaysAgain { .. } | lobby::Event::ClockStopped | lobby::Event::ClockStarted => {
            return None;
        }
        // No script is in the lobby when these happen.
        lobby::Event::Placed { .. } | lobby::Event::Closed => return None,
    })
}

/// The event for a notice. `lobby` is the lobby after it.
pub(super) fn noticed(notice: &Notice, lobby: &Lobby) -> Option<EventLine> {
    Some(match notice {
        Notice::Away { side, loss, .. } => EventLine::Away { who: player_at(lobby, *side)?, loss: *loss },
        Notice::Back { side } => EventLine::Back(who(lobby, *side)?),
        Notice::WaitedFor { side } => EventLine::WaitedFor(who(lobby, *side)?),
        Notice::WaitedNoMore { side } => EventLine::WaitedNoMore(who(lobby, *side)?),
        Notice::Watched { name } => EventLine::Watched { name: name.clone() },
        Notice::Unwatched { name } => EventLine::Unwatched { name: name.clone() },
        Notice::Kicked { name } => EventLine::Kicked { name: name.clone() },
    })
}

fn started(lobby: &Lobby, game: u32, swapped: bool, eyes: Viewpoint) -> EventLine {
    EventLine::Started {
        game,
        swapped,
        you: your_side(lobby, eyes),
        seats: sitters(lobby),
        turn: lobby.turn(),
        position: lobby.board().write_position(),
    }
}

fn ended(lobby: &Lobby, result: GameResult, eyes: Viewpoint) -> EventLine {
    let winner = result.outcome.winner();
    let outcome = |you| match winner {
        Some(side) if side == you => JsonOutcome::Won,
        Some(_) => JsonOutcome::Lost,
        None => JsonOutcome::Draw,
    };
    EventLine::Ended {
        outcome: your_side(lobby, eyes).map(outcome),
        winner: winner.and_then(|side| player_at(lobby, side)),
        cause: result.cause,
        score: score(lobby),
        words: words::ended(lobby, result, eyes),
    }
}

/// The review of a move of this lobby's game.
pub(super) fn reviewed(lobby: &Lobby, review: &wire::Review) -> Option<EventLine> {
    let (board, PastMove { mv, hand }) = lobby.played(review.number).ok()?;
    Some(EventLine::Reviewed {
        number: review.number,
        count: review.count,
        who: player_at(lobby, board.turn())?,
        mv: board.write_move(mv),
        hand,
        before: position_value(review.before),
        after: position_value(review.after),
        words: review.words.to_string(),
    })
}

fn position_value(value: wire::PositionValue) -> Option<JsonValue> {
    Some(match value {
        wire::PositionValue::Unknown => return None,
        wire::PositionValue::Win { moves } => JsonValue { outcome: JsonOutcome::Won, moves },
        wire::PositionValue::Loss { moves } => JsonValue { outcome: JsonOutcome::Lost, moves },
        wire::PositionValue::Draw => JsonValue { outcome: JsonOutcome::Draw, moves: None },
    })
}

fn score(lobby: &Lobby) -> JsonScore {
    let score = lobby.score();
    JsonScore { won: score.won, drawn: score.drawn, decided: lobby.decision().is_some() }
}

fn clocks(lobby: &Lobby) -> Option<BySide<u32>> {
    (lobby.conditions().clock != ClockRule::None).then(|| lobby.clocks().left)
}

fn your_side(lobby: &Lobby, eyes: Viewpoint) -> Option<Side> {
    match eyes {
        Viewpoint::Player(you) => lobby.side_of(you),
        Viewpoint::Spectator => None,
    }
}

fn sitters(lobby: &Lobby) -> BySide<Option<Sitter>> {
    BySide::from_fn(|side| Sitter::of(lobby, side))
}

fn who(lobby: &Lobby, side: Side) -> Option<JsonWho> {
    player_at(lobby, side).map(|who| JsonWho { who })
}

/// The player on this side, or the last one there in a game that is over.
fn player_at(lobby: &Lobby, side: Side) -> Option<JsonPlayer> {
    let player = lobby.last_player(side)?;
    Some(JsonPlayer { side, name: player.name.clone(), kind: player.kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::Text;
    use crate::wire::{List, LobbyState};

    #[test]
    fn a_game_that_is_not_known_is_listed_without_its_name() {
        let listing = |variant| crate::wire::Listing {
            code: lobby::Code::from_bits(0, 1),
            variant: Text::cut(variant),
            position: None,
            seats: BySide::default(),
            state: LobbyState::Open,
            level: lobby::Level::Easy,
            clock: ClockRule::None,
            best_of: 0,
            watchers: 0,
            watched: true,
            locked: false,
        };
        let listed = List::first_of(["hex:11", "Zero-Sum"].map(listing));
        let EventLine::Lobbies { listed, .. } =
            lobbies(HallEvent::Lobbies { listed, gone: List::default(), complete: true })
        else {
            panic!("news of lobbies");
        };
        let variants: Vec<Option<&str>> = listed.iter().map(|listing| listing.variant.as_deref()).collect();
        assert_eq!(variants, [None, Some("zero-sum:11")]);
    }
}
