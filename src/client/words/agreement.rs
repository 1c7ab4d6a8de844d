//! The sentences about what is agreed: the conditions of a lobby, offers and their answers, the clocks, the
//! score.

use std::time::Duration;

use super::names::{called, is_you, lower, named, says};
use crate::client::model::Viewpoint;
use crate::client::text::spoken;
use crate::game::{Outcome, Side};
use crate::lobby::{
    BotRule, ClockRule, ConnectionLoss, Hand, Hints, Lobby, Moment, Offer, OpenOffer, Origin, WhenAway,
};

/// The agreed conditions that people may not expect; one line for each.
pub fn conditions(lobby: &Lobby) -> Vec<String> {
    let agreed = lobby.conditions();
    let people = Side::BOTH.into_iter().all(|side| lobby.seats()[side].is_some() && !lobby.is_bot(side));
    let mut lines = if people { vec![away(lobby)] } else { Vec::new() };
    lines.extend(clock_is_faster(lobby).filter(|_| people));
    lines.extend(hints(agreed.hints, people).map(str::to_owned));
    lines.extend(clock_and_match(lobby));
    lines
}

/// The clock and the length of the match, where there is one.
fn clock_and_match(lobby: &Lobby) -> impl Iterator<Item = String> {
    let agreed = lobby.conditions();
    let clock =
        (agreed.clock != ClockRule::None).then(|| format!("The clock gives {}.", clock(agreed.clock)));
    let best_of = (agreed.best_of > 0).then(|| format!("The match is the best of {}.", agreed.best_of));
    [clock, best_of].into_iter().flatten()
}

/// The conditions of a game at this keyboard: nobody else can come, watch or be away.
pub fn terms_at_home(lobby: &Lobby) -> Vec<String> {
    let agreed = lobby.conditions();
    let has_bot = Side::BOTH.into_iter().any(|side| lobby.is_bot(side));
    let bot = has_bot.then(|| format!("The level of the bot is {}.", agreed.level));
    let hints = hints(agreed.hints, !has_bot).map(str::to_owned);
    [origin(lobby), bot, hints].into_iter().flatten().chain(clock_and_match(lobby)).collect()
}

/// The origin of the games, if they do not begin as the variant does.
pub(super) fn origin(lobby: &Lobby) -> Option<String> {
    let Origin { record, moves, position } = lobby.origin()?;
    let which = match moves {
        0 => "first position".into(),
        moves => format!("position after move {moves}"),
    };
    Some(format!("Games begin in the {which} of record {record}: {position}."))
}

/// Who may ask for the best move; `None` for the default.
fn hints(hints: Hints, people: bool) -> Option<&'static str> {
    match hints {
        Hints::AgainstBots if !people => None,
        Hints::Nobody | Hints::AgainstBots => Some("Nobody gets hints during the game."),
        Hints::Watchers => Some("Only watchers get hints."),
        Hints::All if people => Some("Everybody may ask for hints."),
        Hints::All => None,
    }
}

/// The rule for absences, for those who have just sat down.
fn away(lobby: &Lobby) -> String {
    away_after(lobby, &format!("after {}", spoken(lobby.conditions().away.closed_after)))
}

/// The same with what applies where a connection hangs.
fn away_in_full(lobby: &Lobby) -> String {
    let rule = lobby.conditions().away;
    let (closed, silent) = (spoken(rule.closed_after), spoken(rule.silent_after));
    away_after(lobby, &format!("after {closed}, or after {silent} if the connection hangs"))
}

fn away_after(lobby: &Lobby, after: &str) -> String {
    let rule = lobby.conditions().away;
    let level = rule.level;
    match rule.then {
        WhenAway::Wait => "If somebody is away, the game waits.".into(),
        WhenAway::StandIn => {
            format!("If somebody is away on their turn, a stand-in [bot, {level}] plays {after}.")
        }
        WhenAway::Forfeit => {
            format!("If somebody is away on their turn, the opponent may claim the game {after}.")
        }
    }
}

/// A note that the clock always runs out before the rule for absences applies.
pub(super) fn clock_is_faster(lobby: &Lobby) -> Option<String> {
    let agreed = lobby.conditions();
    let player =
        match [ConnectionLoss::Closed, ConnectionLoss::Silent].map(|loss| agreed.clock_is_faster(loss)) {
            [false, false] => return None,
            [true, true] => "a player who is away",
            [false, true] => "a player whose connection hangs",
            [true, false] => "a player whose connection has closed",
        };
    let then = match agreed.away.then {
        WhenAway::Forfeit => "the game can be claimed",
        WhenAway::StandIn | WhenAway::Wait => "a stand-in plays",
    };
    Some(format!("With this clock, {player} runs out of time before {then}."))
}

/// The conditions of a lobby on a server, one line for each.
pub fn terms(lobby: &Lobby) -> Vec<String> {
    let agreed = lobby.conditions();
    let hints = match agreed.hints {
        Hints::AgainstBots => "Hints are for players against a bot.",
        other => hints(other, true).unwrap_or_default(),
    };
    // Bots are never away.
    let absence = [Some(away_in_full(lobby)), clock_is_faster(lobby)].into_iter().flatten();
    let first = origin(lobby).into_iter().chain(absence.filter(|_| agreed.bot != BotRule::Both));
    let rest = [kept(lobby), hints.into(), bot(lobby)].into_iter().chain(clock_and_match(lobby));
    first.chain(rest).chain([visitors(lobby)]).collect()
}

fn kept(lobby: &Lobby) -> String {
    let rule = lobby.conditions().away;
    let (kept, rests) = (spoken(rule.kept_for), spoken(rule.rests_for));
    format!("While nobody is there, seats and games are kept for {kept}, and a paused game for {rests}.")
}

/// When a bot comes, and its level.
fn bot(lobby: &Lobby) -> String {
    let level = lobby.conditions().level;
    match lobby.conditions().bot {
        BotRule::Never => "No bot takes an empty seat.".into(),
        BotRule::PeopleOnly => "Only people may take an empty seat, no bots and no programs.".into(),
        BotRule::After(0) => format!("A bot takes an empty seat at once; its level is {level}."),
        BotRule::After(wait) => {
            format!("After {}, a bot takes an empty seat; its level is {level}.", spoken(wait))
        }
        BotRule::Both => format!("Bots take both seats; their level is {level}."),
    }
}

/// Who may watch, and how the lobby is found.
fn visitors(lobby: &Lobby) -> String {
    let agreed = lobby.conditions();
    let watch = match agreed.watchers {
        0 => "Nobody may watch".into(),
        most => format!("Up to {most} people may watch"),
    };
    let found = if agreed.listed { "in the list" } else { "found by its code alone" };
    let locked = if agreed.locked { "has a password" } else { "has no password" };
    format!("{watch}; the lobby is {found}, and {locked}.")
}

fn clock(rule: ClockRule) -> String {
    match rule {
        ClockRule::None => "as much time as you like".into(),
        ClockRule::Move(time) => format!("{} for every move", spoken(time)),
        ClockRule::Fischer { base, bonus: 0 } => format!("each {} for the game", spoken(base)),
        ClockRule::Fischer { base, bonus } => {
            format!("each {} for the game, and {} more with every move", spoken(base), spoken(bonus))
        }
        ClockRule::Delay { base, delay } => {
            format!("each {} for the game, and starts {} into each turn", spoken(base), spoken(delay))
        }
    }
}

/// A player offers something; a new offer replaces an older one of the same player.
pub(super) fn offered(
    before: &Lobby,
    lobby: &Lobby,
    (side, offer): (Side, Offer),
    eyes: Viewpoint,
) -> Vec<String> {
    let instead = before.offer().filter(|open| open.side == side).map_or_else(String::new, |open| {
        format!(" instead of {}", thing_offered(lobby, open.side, open.offer, eyes))
    });
    let offers = match offer {
        Offer::Draw => says(lobby, side, eyes, "offer", "offers"),
        Offer::Takeback | Offer::Pause => says(lobby, side, eyes, "ask", "asks"),
    };
    let offered = format!("{offers} {}{instead}.", offer_of(lobby, side, offer, eyes));
    let name = called(lobby, !side, eyes);
    let waits = (lobby.hand(!side) == Hand::StandIn)
        .then(|| format!("The stand-in does not answer: that is left to {name}, until the next move."));
    [offered].into_iter().chain(waits).collect()
}

/// An offer as a noun.
fn thing_offered(lobby: &Lobby, side: Side, offer: Offer, eyes: Viewpoint) -> &'static str {
    match offer {
        Offer::Draw => "a draw",
        Offer::Takeback if is_you(lobby, side, eyes) => "taking your last move back",
        Offer::Takeback => "taking their last move back",
        Offer::Pause => "a pause",
    }
}

/// An offer after the verb "offer".
fn offer_of(lobby: &Lobby, side: Side, offer: Offer, eyes: Viewpoint) -> &'static str {
    match offer {
        Offer::Draw => "a draw",
        Offer::Takeback if is_you(lobby, side, eyes) => "to take your last move back",
        Offer::Takeback => "to take their last move back",
        Offer::Pause => "to pause the game",
    }
}

/// An offer has no answer yet.
pub(super) fn unanswered(lobby: &Lobby, open: OpenOffer, eyes: Viewpoint) -> String {
    let verb = if open.offer == Offer::Draw { "offered" } else { "asked" };
    let offered = lower(&says(lobby, open.side, eyes, verb, verb));
    let what = offer_of(lobby, open.side, open.offer, eyes);
    if lobby.hand(!open.side) == Hand::StandIn {
        let name = called(lobby, !open.side, eyes);
        return format!("{offered} {what}, which the stand-in leaves to {name}");
    }
    let answers = lower(&says(lobby, !open.side, eyes, "have", "has"));
    format!("{offered} {what}, and {answers} not answered yet")
}

pub(super) fn taken_back(moves: u8) -> String {
    let what = if moves == 1 { "The last move is".into() } else { format!("The last {moves} moves are") };
    format!("{what} taken back.")
}

/// The question whether to accept an offer.
pub fn offer_question(offer: Offer) -> String {
    let what = match offer {
        Offer::Draw => "a draw",
        Offer::Takeback => "that they take their last move back",
        Offer::Pause => "that the game is paused",
    };
    format!("Do you accept {what}? (yes, no, or go on): ")
}

/// The time left on both clocks; `None` without clocks.
pub fn clocks(lobby: &Lobby, now: Moment) -> Option<String> {
    if lobby.conditions().clock == ClockRule::None || lobby.games() == 0 {
        return None;
    }
    let left = Side::BOTH.map(|side| format!("{} {}", named(lobby, side), on_the_clock(lobby, side, now)));
    Some(format!("Time: {}.", left.join(", ")))
}

/// The time a side has left, as a clock shows it: `4:59`, or `3.2 s` at the end.
pub fn on_the_clock(lobby: &Lobby, side: Side, now: Moment) -> String {
    let clocks = lobby.clocks();
    let left = if lobby.board().turn() == side {
        clocks.left_at(side, now)
    } else {
        Duration::from_millis(clocks.left[side].into())
    };
    let seconds = left.as_secs();
    match seconds {
        0..10 => format!("{}.{} s", seconds, left.subsec_millis() / 100),
        10..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60),
    }
}

/// A match ends undecided, since a player leaves.
pub(super) fn unfinished(lobby: &Lobby, eyes: Viewpoint) -> Option<String> {
    let best_of = lobby.conditions().best_of;
    let begun = best_of > 1 && lobby.score().games() > 0 && lobby.decision().is_none();
    begun.then(|| format!("The match (best of {best_of}) ends undecided: {}.", counted(lobby, eyes)))
}

/// The number of games won and drawn.
pub(super) fn counted(lobby: &Lobby, eyes: Viewpoint) -> String {
    let score = lobby.score();
    let won = Side::BOTH.map(|side| format!("{} {}", called(lobby, side, eyes), score.won[side]));
    let drawn = if score.drawn == 0 { String::new() } else { format!(", drawn {}", score.drawn) };
    won.join(", ") + &drawn
}

/// Whether a match of several games is decided, so that another game begins a new match.
pub fn is_match_over(lobby: &Lobby) -> bool {
    lobby.conditions().best_of > 1 && lobby.decision().is_some()
}

/// The winner of a decided match, in the middle of a sentence.
pub(super) fn decided(lobby: &Lobby, eyes: Viewpoint) -> Option<String> {
    Some(match lobby.decision().filter(|_| is_match_over(lobby))? {
        Outcome::Draw => "it is drawn".into(),
        Outcome::Win(side) => lower(&says(lobby, side, eyes, "have won it", "has won it")),
    })
}

/// The result of a decided match with its score, in one sentence.
pub fn match_ended(lobby: &Lobby, eyes: Viewpoint) -> Option<String> {
    let decided = match lobby.decision().filter(|_| is_match_over(lobby))? {
        Outcome::Draw => "The match is drawn".to_owned(),
        Outcome::Win(side) => format!("{} the match", says(lobby, side, eyes, "have won", "has won")),
    };
    Some(format!("{decided} ({}).", counted(lobby, eyes)))
}

/// The score, once there is one, and the winner of the match.
pub fn score(lobby: &Lobby, eyes: Viewpoint) -> Option<String> {
    let (score, best_of) = (lobby.score(), lobby.conditions().best_of);
    if score.games() < 2 && best_of < 2 {
        return None;
    }
    let length = if best_of == 0 { String::new() } else { format!(" (best of {best_of})") };
    let decided = match lobby.decision() {
        None => String::new(),
        Some(Outcome::Draw) => " The match is drawn.".into(),
        Some(Outcome::Win(side)) => format!(" {} the match.", says(lobby, side, eyes, "have won", "has won")),
    };
    Some(format!("Score: {}{length}.{decided}", counted(lobby, eyes)))
}
