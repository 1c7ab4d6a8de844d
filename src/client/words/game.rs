//! The sentences about events in a game: who sits down, the moves, the end, and the questions to a player.

use super::agreement;
use super::names::{called, is_you, lower, mark, move_name, mover, says, shown};
use crate::client::model::Viewpoint;
use crate::client::text::{sentence, spoken};
use crate::game::any::Move;
use crate::game::names::origin;
use crate::game::{MOVE_LIMIT, Outcome, Side, Why};
use crate::lobby::{
    BotRule, Cause, ClockRule, ConnectionLoss, Departure, Event, GameResult, Hand, Lobby, NotatedMove,
    Notice, Phase, Player, PlayerId,
};
use crate::study::nim_pattern::{NIM_SUM, Pattern};
use crate::wire::Presence;

/// The host's program was restarted.
const RESTARTED: &str = "The server is back.";

/// Added where players have clocks.
const CLOCKS_STOOD: &str = " The clocks did not run.";

/// Your seat was given up although your connection is open.
const GIVEN_UP: &str = "Your seat is given up: nothing was heard from you for too long.";

/// What happened, with the board if it changed, and what can be typed now. `before` and `after` are the lobby around the event.
pub fn happened(event: &Event, before: &Lobby, after: &Lobby, eyes: Viewpoint) -> Vec<String> {
    let mut lines = told(event, before, after, eyes);
    if matches!(event, Event::Started { .. }) {
        lines.splice(0..0, [String::new(), against(after)]);
        // After the players and who starts.
        lines.splice(3..3, rules(after));
    }
    if matches!(event, Event::Started { .. } | Event::Moved { .. } | Event::TakenBack { .. }) {
        lines.extend([String::new(), after.board().draw()]);
    }
    if matches!(event, Event::Paused) && eyes != Viewpoint::Spectator {
        lines.push("Type resume to continue it.".into());
    }
    lines
}

/// The same for a face that shows the board, its players and what can be done.
pub fn told(event: &Event, before: &Lobby, after: &Lobby, eyes: Viewpoint) -> Vec<String> {
    match event {
        Event::Sat { player, .. } => sat(player, after, eyes),
        Event::Started { swap, .. } => started(before, after, *swap, eyes),
        Event::Moved { player, mv, hand, .. } => vec![moved(before, (*player, *hand), *mv, eyes)],
        // The next event says how they left.
        Event::Ended { result } if is_left_by_other(after, *result, eyes) => Vec::new(),
        Event::Ended { .. } => result(after, eyes),
        Event::AgainWanted { side } => again_wanted(before, after, *side, eyes),
        Event::Left { side, how } => left(before, after, *side, *how, eyes),
        // The start of the game shows the position.
        Event::Closed | Event::Placed { .. }
        // A notice says who is back or away.
        | Event::PlaysAgain { .. } | Event::ClockStopped | Event::ClockStarted => Vec::new(),
        Event::Offered { side, offer } => agreement::offered(before, after, (*side, *offer), eyes),
        Event::Declined { side } => {
            vec![format!("{}.", says(after, *side, eyes, "decline", "declines"))]
        }
        Event::TakenBack { moves } => vec![agreement::taken_back(*moves)],
        Event::Paused => vec!["The game is paused.".into()],
        Event::Resumed { side } => {
            vec![format!("{} the game.", says(after, *side, eyes, "resume", "resumes"))]
        }
        Event::Restarted if after.conditions().clock == ClockRule::None => vec![RESTARTED.into()],
        Event::Restarted => vec![format!("{RESTARTED}{CLOCKS_STOOD}")],
        Event::StoodIn { side } => vec![stood_in(after, *side, eyes)],
    }
}

/// How the presence of a player or watcher has changed. `lobby` is the lobby after that.
pub fn noticed(notice: &Notice, lobby: &Lobby, eyes: Viewpoint) -> Vec<String> {
    match notice {
        // The client words this itself.
        Notice::Away { side, .. } | Notice::Back { side } if is_you(lobby, *side, eyes) => Vec::new(),
        Notice::Away { side, loss, .. } => vec![away(lobby, *side, *loss, eyes)],
        Notice::Back { side } => vec![format!("{} back.", says(lobby, *side, eyes, "are", "is"))],
        // Players are not disturbed by watchers who come and go.
        Notice::Watched { .. } | Notice::Unwatched { .. } if eyes != Viewpoint::Spectator => Vec::new(),
        Notice::Watched { name } => vec![format!("{name} watches.")],
        Notice::Unwatched { name } => vec![format!("{name} stops watching.")],
        Notice::Kicked { name } => vec![format!("{name} was kicked, and may not watch here any more.")],
        Notice::WaitedFor { side } => vec![waits(lobby, *side, "", eyes)],
        Notice::WaitedNoMore { side } => vec![waits(lobby, *side, " no more", eyes)],
    }
}

/// A player's connection is lost.
fn away(lobby: &Lobby, side: Side, loss: ConnectionLoss, eyes: Viewpoint) -> String {
    let (are, name) = (says(lobby, side, eyes, "are", "is"), called(lobby, side, eyes));
    match loss {
        ConnectionLoss::Closed => format!("{are} away: the connection has closed."),
        ConnectionLoss::Silent => format!("{are} away, it seems: nothing is heard from {name}."),
    }
}

/// A stand-in plays for a player.
fn stood_in(lobby: &Lobby, side: Side, eyes: Viewpoint) -> String {
    let (level, name) = (lobby.conditions().away.level, called(lobby, side, eyes));
    format!("A stand-in [bot, {level}] plays for {name} from now on.")
}

/// A player waits for the other one, or with ` no more` lets the agreed rule apply again.
fn waits(lobby: &Lobby, side: Side, more: &str, eyes: Viewpoint) -> String {
    format!("{}{more} for {}.", says(lobby, !side, eyes, "wait", "waits"), called(lobby, side, eyes))
}

fn is_left_by_other(lobby: &Lobby, result: GameResult, eyes: Viewpoint) -> bool {
    let winner = result.outcome.winner();
    result.cause == Cause::Left && winner.is_some_and(|winner| !is_you(lobby, !winner, eyes))
}

fn sat(player: &Player, lobby: &Lobby, eyes: Viewpoint) -> Vec<String> {
    match eyes {
        Viewpoint::Player(you) if you == player.id => Vec::new(),
        _ => vec![format!("{} sits down.", shown(player, lobby))],
    }
}

fn started(before: &Lobby, lobby: &Lobby, swapped: bool, eyes: Viewpoint) -> Vec<String> {
    let first = says(lobby, lobby.start().turn(), eyes, "start", "starts");
    let swap = if swapped { "Sides are swapped. " } else { "" };
    let mut lines = vec![format!("{swap}{first}.")];
    if agreement::is_match_over(before) {
        lines.push(format!("A new match begins (best of {}).", before.conditions().best_of));
    }
    lines.extend(agreement::origin(lobby));
    // The second player does not know the conditions yet.
    if before.phase() == Phase::Waiting && !lobby.is_exhibition() {
        lines.extend(agreement::conditions(lobby));
    }
    lines
}

/// The rules, a line for each sentence.
fn rules(lobby: &Lobby) -> Vec<String> {
    lobby.variant().rules().split_inclusive(". ").map(|sentence| sentence.trim_end().to_owned()).collect()
}

/// The same, and where the game's name comes from.
pub fn rules_and_name(lobby: &Lobby) -> Vec<String> {
    let origin = origin(lobby.variant().name());
    rules(lobby).into_iter().chain(origin.map(str::to_owned)).collect()
}

fn moved(before: &Lobby, (player, hand): (PlayerId, Hand), mv: Move, eyes: Viewpoint) -> String {
    let text = before.board().write_move(mv);
    let mover = match before.side_of(player) {
        Some(side) if hand == Hand::Own && is_you(before, side, eyes) => "You".into(),
        Some(side) => mover(before, side, hand, eyes),
        None => "Somebody".into(),
    };
    format!("{mover}: {text}")
}

/// The result in one sentence: who won, and why.
pub fn ended(lobby: &Lobby, result: GameResult, eyes: Viewpoint) -> String {
    let verdict = verdict(lobby, result.outcome, eyes);
    let because = match (result.cause, result.outcome) {
        (Cause::Rules, _) => lobby.board().finish().map(|finish| why(lobby, finish.why, eyes)),
        (Cause::Repetition, _) => Some("the position came up for the third time".into()),
        (Cause::MoveLimit, _) => Some(MOVE_LIMIT.into()),
        (Cause::Resigned, Outcome::Win(side)) => Some(format!("{} resigned", called(lobby, !side, eyes))),
        (Cause::Left, Outcome::Win(side)) => Some(format!("{} left", called(lobby, !side, eyes))),
        (Cause::Forfeited, Outcome::Win(side)) => {
            Some(format!("{} away for too long", lower(&says(lobby, !side, eyes, "were", "was"))))
        }
        (Cause::Abandoned, _) => Some("nobody came back".into()),
        (Cause::Agreed, _) => Some("both agreed".into()),
        (Cause::Time, Outcome::Win(side)) => {
            Some(format!("{} out of time", lower(&says(lobby, !side, eyes, "ran", "ran"))))
        }
        (Cause::Resigned | Cause::Left | Cause::Forfeited | Cause::Time, Outcome::Draw) => None,
    };
    because.map_or_else(|| format!("{verdict}."), |because| format!("{verdict}: {because}."))
}

fn verdict(lobby: &Lobby, outcome: Outcome, eyes: Viewpoint) -> String {
    match outcome {
        Outcome::Draw => "Draw".into(),
        Outcome::Win(side) if is_you(lobby, side, eyes) => "You won".into(),
        Outcome::Win(side) if is_you(lobby, !side, eyes) => "You lost".into(),
        Outcome::Win(side) => format!("{} won", called(lobby, side, eyes)),
    }
}

fn why(lobby: &Lobby, why: Why, eyes: Viewpoint) -> String {
    match why {
        Why::Side { side, name, .. } if has_stand_in_moved_last(lobby, side) => {
            format!("{} {name}", mover(lobby, side, Hand::StandIn, eyes))
        }
        Why::Side { side, you, .. } if is_you(lobby, side, eyes) => format!("you {you}"),
        Why::Side { side, name, .. } => format!("{} {name}", called(lobby, side, eyes)),
        Why::Board(words) => words.into(),
    }
}

/// Whether the last move was made for this side, by a stand-in.
fn has_stand_in_moved_last(lobby: &Lobby, side: Side) -> bool {
    let last = lobby.past().last();
    lobby.board().turn() != side && last.is_some_and(|past| past.hand == Hand::StandIn)
}

fn again_wanted(before: &Lobby, after: &Lobby, side: Side, eyes: Viewpoint) -> Vec<String> {
    let other_asked = matches!(before.phase(), Phase::Over { again, .. } if again[!side]);
    // A bot always plays again, and two at one keyboard ask together: the new game says enough.
    if after.phase() == Phase::Waiting {
        return waiting(after);
    }
    if eyes == Viewpoint::Spectator || other_asked || before.is_bot(side) || before.is_bot(!side) {
        return Vec::new();
    }
    vec![if is_you(before, side, eyes) {
        format!("You would like another game. Waiting for {}.", called(before, !side, eyes))
    } else {
        format!("{} would like another game.", called(before, side, eyes))
    }]
}

fn left(before: &Lobby, after: &Lobby, side: Side, how: Departure, eyes: Viewpoint) -> Vec<String> {
    if is_you(before, side, eyes) {
        let lost = (how == Departure::Lost).then(|| GIVEN_UP.to_owned());
        return lost.into_iter().collect();
    }
    let name = called(before, side, eyes);
    let told = match (before.phase(), how) {
        (Phase::Over { result, .. }, _)
            if (result.cause, result.outcome) == (Cause::Left, Outcome::Win(!side)) =>
        {
            let how = if how == Departure::Lost { ", for the connection broke" } else { "" };
            format!("{}: {name} left{how}.", verdict(before, result.outcome, eyes))
        }
        (_, Departure::Quit) => format!("{name} has left."),
        (_, Departure::Lost) => format!("{name} is gone: the connection broke."),
    };
    let unfinished = agreement::unfinished(before, eyes);
    let waits = if after.phase() == Phase::Waiting { waiting(after) } else { Vec::new() };
    [vec![told], unfinished.into_iter().collect(), waits].concat()
}

/// What a lobby waits for, and what happens if nobody comes.
pub fn waiting(lobby: &Lobby) -> Vec<String> {
    let bot = match lobby.conditions().bot {
        BotRule::PeopleOnly => "Only people may join: no bots and no programs.".into(),
        BotRule::Never | BotRule::Both => "No bot will take the seat.".into(),
        BotRule::After(0) => format!("The {} bot takes the seat at once.", lobby.conditions().level),
        BotRule::After(wait) => {
            let level = lobby.conditions().level;
            format!("If nobody comes within {}, the {level} bot takes the seat.", spoken(wait))
        }
    };
    vec![format!("Waiting in {} for somebody to play {}.", lobby.code(), lobby.variant()), bot]
}

/// The client has just sat down.
pub fn entered(lobby: &Lobby, you: PlayerId) -> Vec<String> {
    let alone = lobby.seats().iter().filter(|(_, seat)| seat.is_some()).count() == 1;
    if alone {
        let agreed = lobby.conditions();
        // If a bot comes at once, the code matters only for a lobby that is not listed.
        return match agreed.bot {
            BotRule::After(0) if agreed.listed => Vec::new(),
            BotRule::After(0) => {
                vec![format!("Your lobby is {}: only this code leads to it.", lobby.code())]
            }
            _ => waiting(lobby).into_iter().chain(agreement::clock_is_faster(lobby)).collect(),
        };
    }
    let others = lobby.seats().iter().filter_map(|(_, seat)| seat.as_ref()).filter(|player| player.id != you);
    let names: Vec<String> = others.map(|player| shown(player, lobby)).collect();
    vec![format!("You sit down in {} with {}.", lobby.code(), names.join(" and "))]
}

/// The lobby as it is, for a player who returns and for a new watcher.
pub fn returned(lobby: &Lobby, eyes: Viewpoint) -> Vec<String> {
    if lobby.phase() == Phase::Waiting && !lobby.is_exhibition() {
        return waiting(lobby).into_iter().chain(agreement::clock_is_faster(lobby)).collect();
    }
    let mut lines = vec![against(lobby)];
    if !lobby.is_exhibition() {
        lines.extend(agreement::conditions(lobby));
    }
    lines.extend(so_far(lobby, eyes));
    lines.extend([String::new(), lobby.board().draw()]);
    lines.extend(result(lobby, eyes));
    lines
}

/// The board, who plays on it, and how the game has ended.
pub fn board(lobby: &Lobby, eyes: Viewpoint) -> Vec<String> {
    let mut lines = vec![against(lobby), String::new(), lobby.board().draw()];
    lines.extend(result(lobby, eyes));
    lines
}

/// The result of a game that is over, and the score.
fn result(lobby: &Lobby, eyes: Viewpoint) -> Vec<String> {
    let Phase::Over { result, .. } = lobby.phase() else { return Vec::new() };
    [ended(lobby, result, eyes)].into_iter().chain(agreement::score(lobby, eyes)).collect()
}

/// Who plays against whom, and who of them is away.
fn against(lobby: &Lobby) -> String {
    let [first, second] = Side::BOTH.map(|side| sitter(lobby, side));
    format!("{}: {first} against {second}.", lobby.variant())
}

/// The player of this side with marks for a bot and an absence, or `nobody`.
pub fn sitter(lobby: &Lobby, side: Side) -> String {
    let name = lobby.seats()[side].as_ref().map_or_else(|| "nobody".into(), |player| shown(player, lobby));
    name + mark(Presence::of(lobby, side))
}

/// The moves of the present game in one line, each with who made it; without that where two bots play.
pub fn so_far(lobby: &Lobby, eyes: Viewpoint) -> Option<String> {
    let moves = lobby.made().into_iter().map(|NotatedMove { text, side, hand }| {
        if lobby.is_exhibition() { text } else { format!("{text} ({})", mover(lobby, side, hand, eyes)) }
    });
    let moves: Vec<String> = moves.collect();
    (!moves.is_empty()).then(|| format!("So far: {}.", moves.join(", ")))
}

/// The best move, and the reason on its own line.
pub fn hint(lobby: &Lobby, mv: Move, words: &str) -> [String; 2] {
    [format!("Hint: {}.", move_name(lobby.board(), mv)), sentence(words)]
}

/// The rule behind a hint, drawn for the board; empty if the hint names no rule of Nim.
pub fn hint_pattern(lobby: &Lobby, words: &str) -> Vec<String> {
    let names_rule = [NIM_SUM, "multiple of"].iter().any(|name| words.contains(name));
    let pattern = Pattern::of(lobby.board()).filter(|_| names_rule);
    pattern.into_iter().flat_map(Pattern::lines).collect()
}

/// Why something cannot be done in this phase.
pub fn untimely(lobby: &Lobby) -> &'static str {
    match lobby.phase() {
        Phase::Waiting => "Nobody is here yet: the game starts when somebody sits down.",
        Phase::Playing => "The game is not over.",
        Phase::Over { .. } | Phase::Closed => "The game is over.",
    }
}

/// The question for a move.
pub fn move_question(lobby: &Lobby, eyes: Viewpoint) -> String {
    let who = match eyes {
        Viewpoint::Player(_) => "Your move".into(),
        Viewpoint::Spectator => format!("{}'s move", called(lobby, lobby.board().turn(), eyes)),
    };
    format!("{who} ({}, or help): ", lobby.board().prompt())
}
