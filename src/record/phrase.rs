//! What happened in a game, each thing as one phrase, written and read. Every phrase begins with a number, with a side or
//! with a word of its own, never with anybody's name: names can hold any words.

use super::replay::{Replay, player};
use super::verdict::called;
use super::{Deed, Ending, Span, Step};
use crate::game::Side;
use crate::game::notation::shown;
use crate::lobby::{Hand, Kind, Loss, Offer, Request, Who};

const CLOSED: &str = " is away: closed for ";
const SILENT: &str = " is away: silent for ";
const AGREES: &str = " agrees: ";
const NOBODY: &str = "Nobody comes back";
const RESTARTED: &str = "The host is back, and nobody else yet";

/// The side that moves next, and by whose hand: `First`, `Second [bot, fair]`, `First [stand-in, fair]`.
fn mover(before: &Replay, hand: Hand) -> String {
    let (side, level) = (before.board().turn(), before.lobby().conditions().level);
    let kind = before.lobby().seats()[side].as_ref().map(|player| player.kind);
    match (hand, kind) {
        (Hand::StandIn, _) => format!("{} [stand-in, {level}]", called(side)),
        (Hand::Own, Some(Kind::Bot)) => format!("{} [bot, {level}]", called(side)),
        (Hand::Own, _) => called(side).into(),
    }
}

/// What every line of the next move begins with.
fn start_of_move(before: &Replay) -> String {
    format!("{}. {}", before.moves() + 1, called(before.board().turn()))
}

/// A step as it is told, on the lobby as it was before it.
pub(super) fn write(deed: &Deed, before: &Replay) -> String {
    let agrees = || format!("{}{AGREES}", before.accepting().map_or("Nobody", called));
    match *deed {
        Deed::Moved { mv, hand } => {
            format!("{}. {}: {}", before.moves() + 1, mover(before, hand), before.board().write_move(mv))
        }
        Deed::TakenBack(moves) => agrees() + &taken_back(before.moves(), moves),
        Deed::Paused => agrees() + "the game rests",
        Deed::Ended(Ending::Agreed) => agrees() + "the game is a draw",
        Deed::Away { side, since, loss } => {
            let lost = if loss == Loss::Closed { CLOSED } else { SILENT };
            format!("{}{lost}{since}", called(side))
        }
        Deed::StoodIn(side) => {
            format!("A stand-in [bot, {}] plays for {}", before.lobby().conditions().level, called(side))
        }
        Deed::Waited(side) => format!("{} waits for {}", called(side), called(!side)),
        Deed::WaitedNoMore(side) => format!("{} waits no more for {}", called(side), called(!side)),
        Deed::Ended(Ending::Abandoned) => NOBODY.into(),
        Deed::Restarted => RESTARTED.into(),
        Deed::Offered(side, offer) => format!("{} offers {}", called(side), offered(offer)),
        Deed::Declined(side) => format!("{} declines", called(side)),
        Deed::Resumed(side) => format!("{} goes on with the game", called(side)),
        Deed::Back(side) => format!("{} is back", called(side)),
        Deed::Ended(Ending::Resigned(side)) => format!("{} resigns", called(side)),
        Deed::Ended(Ending::Left(side)) => format!("{} leaves", called(side)),
        Deed::Ended(Ending::Claimed(side)) => format!("{} claims the game", called(side)),
        Deed::Ended(Ending::Time(side)) => format!("{} runs out of time", called(side)),
    }
}

fn offered(offer: Offer) -> &'static str {
    match offer {
        Offer::Draw => "a draw",
        Offer::Takeback => "to take their last move back",
        Offer::Pause => "to let the game rest",
    }
}

fn taken_back(moves: usize, back: u8) -> String {
    match back {
        1 => format!("move {moves} is taken back"),
        _ => format!("moves {} and {moves} are taken back", moves.saturating_sub(1)),
    }
}

/// A step from its line, or what is wrong with it and what would be right.
pub(super) fn read(text: &str, before: &Replay) -> Result<Step, String> {
    let timed = text.rsplit_once(' ').and_then(|(phrase, time)| Some((phrase, time.parse::<Span>().ok()?)));
    let (phrase, after) = timed.ok_or_else(|| {
        format!("{} has no time at its end; after 4 and a quarter seconds it is 0:04.250", shown(text))
    })?;
    let deed = if phrase.starts_with(|c: char| c.is_ascii_digit()) {
        read_move(phrase, before)?
    } else {
        read_other(phrase, before)?
    };
    Ok(Step { deed, after })
}

fn read_move(phrase: &str, before: &Replay) -> Result<Deed, String> {
    let number = before.moves() + 1;
    let start = start_of_move(before);
    let whose = phrase.split_once(": ").filter(|(who, _)| {
        // Behind the side stands nothing, or the mark of a hand; that it is the right mark is looked at later.
        who.strip_prefix(&start).is_some_and(|mark| mark.is_empty() || mark.starts_with(" ["))
    });
    let Some((who, text)) = whose else {
        let side = called(before.board().turn());
        return Err(format!(
            "{}: the next move is number {number}, and {side} makes it: {start}: …",
            shown(phrase)
        ));
    };
    let mv = before.board().read_move(text).map_err(|bad| format!("move {number}: {bad}"))?;
    let hand = if who.contains("[stand-in") { Hand::StandIn } else { Hand::Own };
    Ok(Deed::Moved { mv, hand })
}

fn read_other(phrase: &str, before: &Replay) -> Result<Deed, String> {
    if phrase.contains(AGREES) {
        return accepted(before).ok_or_else(|| format!("{}: nothing is offered here", shown(phrase)));
    }
    let mut known = plain().chain(Side::BOTH.into_iter().filter_map(|side| read_away(side, phrase)));
    known.find(|deed| write(deed, before) == phrase).ok_or_else(|| {
        format!(
            "{} is nothing that a record tells; the next move would begin with {}",
            shown(phrase),
            start_of_move(before)
        )
    })
}

/// What the open offer comes to if it is accepted.
fn accepted(before: &Replay) -> Option<Deed> {
    let open = before.lobby().offer()?;
    let answer = Request::Answer { turn: before.lobby().turn(), offer: open.offer, accept: true };
    let who = Who::Player(player(!open.side));
    let events = before.lobby().decide(who, answer, before.lobby().began()).ok()?;
    match events.first()? {
        crate::lobby::Event::TakenBack { moves } => Some(Deed::TakenBack(*moves)),
        crate::lobby::Event::Paused => Some(Deed::Paused),
        _ => Some(Deed::Ended(Ending::Agreed)),
    }
}

fn read_away(side: Side, phrase: &str) -> Option<Deed> {
    let rest = phrase.strip_prefix(called(side))?;
    let (loss, since) = match (rest.strip_prefix(CLOSED), rest.strip_prefix(SILENT)) {
        (Some(since), _) => (Loss::Closed, since),
        (_, Some(since)) => (Loss::Silent, since),
        _ => return None,
    };
    Some(Deed::Away { side, since: since.parse().ok()?, loss })
}

/// Everything whose phrase holds nothing but words.
fn plain() -> impl Iterator<Item = Deed> {
    let of_side = |side| {
        let offers = Offer::ALL.map(|offer| Deed::Offered(side, offer));
        let endings = [Ending::Resigned, Ending::Left, Ending::Claimed, Ending::Time];
        let waits = [Deed::Waited, Deed::WaitedNoMore].map(|wait| wait(side));
        let others = [Deed::Declined, Deed::Resumed, Deed::Back, Deed::StoodIn];
        let endings = endings.map(|ending| Deed::Ended(ending(side)));
        offers.into_iter().chain(others.map(|other| other(side))).chain(waits).chain(endings)
    };
    Side::BOTH.into_iter().flat_map(of_side).chain([Deed::Ended(Ending::Abandoned), Deed::Restarted])
}
