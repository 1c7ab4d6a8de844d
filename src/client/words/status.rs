//! The status of a lobby in one sentence: what it waits for, and what can be typed about it.

use std::time::Duration;

use super::names::{called, is_you, lower, named, says};
use super::{agreement, game};
use crate::client::model::Viewpoint;
use crate::client::text::{capital, remaining, spoken, spoken_time};
use crate::game::Side;
use crate::lobby::{Absence, ConnectionLoss, Cover, Event, Lobby, Moment, Notice, Phase, WhenAway};

/// A turn that is too short to mention its length.
const SHORT: Duration = Duration::from_secs(5);

/// Whether a notice changes what this viewer waits for.
pub fn notice_changes_the_wait(notice: &Notice, lobby: &Lobby, eyes: Viewpoint) -> bool {
    match notice {
        Notice::Away { side, .. } | Notice::Back { side } => !is_you(lobby, *side, eyes),
        Notice::WaitedFor { .. } | Notice::WaitedNoMore { .. } => true,
        Notice::Watched { .. } | Notice::Unwatched { .. } | Notice::Kicked { .. } => false,
    }
}

/// Whether an event changes what this viewer waits for, because of a player who is away. `after` is the lobby
/// after the event.
pub fn changes_the_wait(event: &Event, after: &Lobby, eyes: Viewpoint) -> bool {
    let misses = |side| after.absence(side).is_some() && !is_you(after, side, eyes);
    match event {
        Event::Started { .. } => Side::BOTH.into_iter().any(misses),
        Event::Moved { .. } | Event::TakenBack { .. } | Event::Resumed { .. } => {
            is_absent_players_turn(after, eyes)
        }
        _ => false,
    }
}

/// Whether it is the turn of another player who is away without a stand-in.
fn is_absent_players_turn(lobby: &Lobby, eyes: Viewpoint) -> bool {
    let side = lobby.to_move().and_then(|player| lobby.side_of(player.id));
    let away = side.filter(|&side| lobby.cover(side).is_some_and(|cover| cover != Cover::StandIn));
    away.is_some_and(|side| !is_you(lobby, side, eyes))
}

/// What the lobby waits for now, in one sentence.
pub fn why(lobby: &Lobby, now: Moment, eyes: Viewpoint) -> String {
    match lobby.phase() {
        Phase::Closed => "This lobby is closed.".into(),
        _ if lobby.is_deserted() => nobody(lobby, now, "is here"),
        _ if lobby.is_unwatched() => nobody(lobby, now, "watches"),
        Phase::Waiting => waiting(lobby, now),
        Phase::Over { .. } => over(lobby, now, eyes),
        Phase::Playing => playing(lobby, now, eyes),
    }
}

/// The same below the result of a game that is over, which it does not repeat.
pub fn why_below_result(lobby: &Lobby, now: Moment, eyes: Viewpoint) -> String {
    let is_over = matches!(lobby.phase(), Phase::Over { .. });
    if !is_over || lobby.is_deserted() || lobby.is_unwatched() {
        return why(lobby, now, eyes);
    }
    if let Some(side) = Side::BOTH.into_iter().find(|&side| lobby.absence(side).is_some()) {
        let kept = kept(lobby, now, "The seat is kept for");
        return format!("{}. {kept}.", says(lobby, side, eyes, "are away", "is away"));
    }
    let what = if agreement::is_match_over(lobby) { "match" } else { "game" };
    format!("The {what} is over; {}.", next_game(lobby, now, eyes))
}

fn waiting(lobby: &Lobby, now: Moment) -> String {
    let bot = lobby.bot_joins_at().map_or_else(String::new, |at| {
        let level = lobby.conditions().level;
        format!("; the {level} bot takes the seat {}", soon(at, now))
    });
    format!("The game starts when somebody sits down in {}{bot}.", lobby.code())
}

/// Nobody is there: who is away, and how long the lobby waits.
fn nobody(lobby: &Lobby, now: Moment, does: &str) -> String {
    let away: Vec<Side> = Side::BOTH.into_iter().filter(|&side| lobby.absence(side).is_some()).collect();
    let nobody = match away[..] {
        [_, _] => "Both players are away.".to_owned(),
        [side] => format!("{} is away.", named(lobby, side)),
        _ => format!("Nobody {does}."),
    };
    let waits = kept(lobby, now, " The game waits for");
    format!("{nobody}{}{}", waits, if waits.is_empty() { "" } else { "." })
}

fn kept(lobby: &Lobby, now: Moment, words: &str) -> String {
    lobby.due().map_or_else(String::new, |(at, _)| format!("{words} {}", left(at, now)))
}

fn over(lobby: &Lobby, now: Moment, eyes: Viewpoint) -> String {
    let Phase::Over { result, .. } = lobby.phase() else { return String::new() };
    let ended = match agreement::decided(lobby, eyes) {
        Some(decided) => format!("The match is over ({decided})"),
        None => {
            format!("The game is over ({})", lower(game::ended(lobby, result, eyes).trim_end_matches('.')))
        }
    };
    format!("{ended}; {}.", next_game(lobby, now, eyes))
}

/// What another game needs.
fn next_game(lobby: &Lobby, now: Moment, eyes: Viewpoint) -> String {
    let Phase::Over { again, .. } = lobby.phase() else { return String::new() };
    let find = |is_so: &dyn Fn(Side) -> bool| Side::BOTH.into_iter().find(|&side| is_so(side));
    if let Some(side) = find(&|side| lobby.absence(side).is_some()) {
        let are = says(lobby, side, eyes, "are", "is");
        let kept = kept(lobby, now, "the seat is kept for another");
        return format!("{are} away, and {kept}");
    }
    if let Some(side) = find(&|side| again[side]) {
        let like =
            says(lobby, side, eyes, "would like another one, and wait", "would like another one, and waits");
        let waited_for = called(lobby, !side, eyes);
        return format!("{} for {waited_for}", lower(&like));
    }
    if lobby.is_exhibition() {
        return "another one starts when a watcher wants it".into();
    }
    find(&|side| lobby.seats()[side].is_none()).map_or_else(
        || match Side::BOTH.into_iter().find(|&side| !lobby.is_bot(side)) {
            Some(side) if lobby.is_bot(!side) => {
                format!("another one starts when {}", lower(&says(lobby, side, eyes, "want it", "wants it")))
            }
            _ => "another one starts when both want it".into(),
        },
        |side| needs_opponent(lobby, !side, eyes),
    )
}

/// What the remaining player needs for another game.
fn needs_opponent(lobby: &Lobby, side: Side, eyes: Viewpoint) -> String {
    let want = lower(&says(lobby, side, eyes, "want", "wants"));
    format!("another one starts when {want} it and somebody sits down in {}", lobby.code())
}

fn playing(lobby: &Lobby, now: Moment, eyes: Viewpoint) -> String {
    let Some(side) = lobby.to_move().and_then(|player| lobby.side_of(player.id)) else {
        return "The game has just ended.".into();
    };
    if lobby.is_paused() {
        return resting(lobby, side, eyes);
    }
    if let Some(absence) = lobby.absence(side) {
        return absent(lobby, side, absence, now, eyes);
    }
    let mut parts = vec![whose_turn(lobby, side, now, eyes)];
    parts.extend(lobby.is_bot(side).then(|| "it thinks".to_owned()));
    parts.extend(on_the_clock(lobby, side, now));
    if let Some(absence) = lobby.absence(!side).filter(|_| !is_you(lobby, !side, eyes)) {
        parts.push(is_away_for(lobby, !side, absence, now, eyes) + &replaced(lobby, !side, eyes));
    }
    parts.extend(lobby.offer().map(|open| agreement::unanswered(lobby, open, eyes)));
    format!("{}.", parts.join("; "))
}

/// The player to move is away: what happens because of that, a sentence each.
fn absent(lobby: &Lobby, side: Side, absence: Absence, now: Moment, eyes: Viewpoint) -> String {
    let away = match absence.loss {
        ConnectionLoss::Closed => says(lobby, side, eyes, "are away", "is away"),
        ConnectionLoss::Silent => {
            let since = spoken_time(now.since(absence.since));
            format!("{} ago", says(lobby, side, eyes, "were last heard", "was last heard") + " " + &since)
        }
    };
    let other = lobby.absence(!side).filter(|_| !is_you(lobby, !side, eyes));
    let other = other.map(|_| format!("{} is away too", called(lobby, !side, eyes)));
    let clock = on_the_clock(lobby, side, now);
    let offer = lobby.offer().map(|open| agreement::unanswered(lobby, open, eyes));
    let parts = [Some(away), Some(remedy(lobby, side, now, eyes)), other, clock, offer];
    parts.into_iter().flatten().map(|part| format!("{part}.")).collect::<Vec<_>>().join(" ")
}

/// Whose turn a paused game is, who is away, when it goes on, and how long it is kept.
fn resting(lobby: &Lobby, side: Side, eyes: Viewpoint) -> String {
    let people: Vec<Side> = Side::BOTH.into_iter().filter(|&side| lobby.is_here(side)).collect();
    // A bot can be asked too.
    let here: Vec<String> = people.iter().map(|&side| called(lobby, side, eyes)).collect();
    let here = here.join(" or ");
    let whose =
        if is_you(lobby, side, eyes) { "your".into() } else { format!("{}'s", called(lobby, side, eyes)) };
    let mut parts = vec![format!("Paused; it is {whose} turn")];
    let away = Side::BOTH.into_iter().filter(|&side| lobby.absence(side).is_some());
    let away: Vec<String> = away.map(|side| says(lobby, side, eyes, "are away", "is away")).collect();
    let is_anyone_away = !away.is_empty();
    parts.extend(away);
    if is_anyone_away {
        parts.push("The game goes on once both players are here".into());
        let kept = spoken(lobby.conditions().away.rests_for);
        let is_here = people.iter().any(|&side| is_you(lobby, side, eyes));
        let when = if is_here { "If you leave too" } else { "Once nobody is here" };
        parts.push(format!("{when}, the game is kept for {kept}"));
    } else {
        parts.push(format!("{} can resume it", at_the_beginning(here)));
    }
    parts.join(". ") + "."
}

/// The same words at the beginning of a sentence: names keep their small letters.
fn at_the_beginning(words: String) -> String {
    if words.starts_with("you") { capital(&words) } else { words }
}

/// A player is away, and since when.
fn is_away_for(lobby: &Lobby, side: Side, absence: Absence, now: Moment, eyes: Viewpoint) -> String {
    let are = lower(&says(lobby, side, eyes, "are", "is"));
    format!("{are} {}", away_for(absence, now))
}

/// Who plays for an absent player who is not to move.
fn replaced(lobby: &Lobby, side: Side, eyes: Viewpoint) -> String {
    if lobby.cover(side) != Some(Cover::StandIn) {
        return String::new();
    }
    format!(", and a stand-in plays for {}", called(lobby, side, eyes))
}

/// The time left on a running clock, in whole seconds.
fn on_the_clock(lobby: &Lobby, side: Side, now: Moment) -> Option<String> {
    let clocks = lobby.clocks();
    clocks.since.map(|_| format!("{} left on the clock", spoken_time(clocks.left_at(side, now))))
}

/// For how long a player has been away.
fn away_for(absence: Absence, now: Moment) -> String {
    let since = spoken_time(now.since(absence.since));
    match absence.loss {
        ConnectionLoss::Closed => format!("away for {since}"),
        ConnectionLoss::Silent => format!("last heard {since} ago"),
    }
}

/// Whose turn it is, and for how long if another player who is present thinks.
fn whose_turn(lobby: &Lobby, side: Side, now: Moment, eyes: Viewpoint) -> String {
    if is_you(lobby, side, eyes) {
        return "Your turn".into();
    }
    let (name, lasts) = (called(lobby, side, eyes), now.since(lobby.began()));
    if lobby.is_here(side) && lasts >= SHORT {
        return format!("{name}'s turn for {} now", spoken_time(lasts));
    }
    format!("{name}'s turn")
}

/// What happens because of an absence, and when.
fn remedy(lobby: &Lobby, side: Side, now: Moment, eyes: Viewpoint) -> String {
    let name = called(lobby, side, eyes);
    match (lobby.cover(side), lobby.absence_deadline()) {
        (Some(Cover::StandIn), _) => format!("A bot moves for {name}"),
        (_, Some((_, _, WhenAway::Forfeit))) if lobby.flag_falls_first() => {
            "The clock runs out before the game can be claimed".into()
        }
        (_, Some(_)) if lobby.flag_falls_first() => {
            format!("The clock runs out before a bot moves for {name}")
        }
        (_, Some((at, _, WhenAway::StandIn))) => format!("A bot moves for {name} {}", soon(at, now)),
        (_, Some((at, _, WhenAway::Forfeit))) if at <= now => "The game can be claimed".into(),
        (_, Some((at, _, _))) => format!("The game can be claimed in {}", left(at, now)),
        (Some(Cover::Waited), _) if is_you(lobby, !side, eyes) => {
            let agreed = claimable(lobby, now).map_or_else(String::new, |claimable| format!("; {claimable}"));
            format!("You wait for {name}{agreed}")
        }
        (_, None) => format!("The game waits for {name}"),
    }
}

/// When a player who waits can claim the game.
fn claimable(lobby: &Lobby, now: Moment) -> Option<String> {
    let (at, ..) = lobby.agreed_absence_deadline().filter(|(.., then)| *then == WhenAway::Forfeit)?;
    if lobby.flag_falls_first() {
        return None;
    }
    Some(if at <= now {
        "the game can be claimed".into()
    } else {
        format!("the game can be claimed in {}", left(at, now))
    })
}

/// What this viewer can type about an absence, if that has not been said already.
pub fn can_be_typed(lobby: &Lobby, now: Moment, eyes: Viewpoint) -> Option<&'static str> {
    let away = lobby.to_move().and_then(|player| lobby.side_of(player.id))?;
    let cover = lobby.cover(away).filter(|_| is_you(lobby, !away, eyes) && !lobby.is_paused())?;
    let claimable = lobby.agreed_absence_deadline().filter(|(.., then)| *then == WhenAway::Forfeit);
    match claimable.filter(|_| !lobby.flag_falls_first()) {
        Some((at, ..)) if at <= now => Some("Type claim to take the game."),
        Some(_) => None,
        None => (cover == Cover::Waited).then_some("Type wait no more to let what was agreed apply again."),
    }
}

/// When something happens: "in 10 seconds", or at once.
fn soon(at: Moment, now: Moment) -> String {
    if at <= now { "at once".into() } else { format!("in {}", left(at, now)) }
}

fn left(at: Moment, now: Moment) -> String {
    remaining(at.since(now))
}
