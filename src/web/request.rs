//! What a person asks of the server on a page, as an action of the client. The error is a sentence for the person.

use super::action::PageAction;
use super::form;
use crate::client::session::Session;
use crate::client::{Action, Leaving, words};
use crate::lobby::{Offer, Text};
use crate::wire::Secret;

/// What is said of a request that does not belong here.
const ELSEWHERE: &str = "That is not possible here.";

/// The action for this request of somebody in the hall, and the ticket for the seat that it asks for.
pub(super) fn in_hall(session: &Session, action: PageAction) -> Result<(Action, Option<String>), String> {
    Ok(match action {
        PageAction::PlayNow { game, ticket } => (Action::Create(form::against_bot(&game)?), Some(ticket)),
        PageAction::Quick { game, ticket } => (form::quick(&game, session.model().hall())?, Some(ticket)),
        PageAction::Join { code, ticket, password } => {
            (Action::Join(form::code(&code)?, Secret::of(&password)), Some(ticket))
        }
        PageAction::Watch { code, password } => {
            (Action::Watch(form::code(&code)?, Secret::of(&password)), None)
        }
        PageAction::New(new) => (Action::Create(form::terms(&new)?), Some(new.ticket)),
        _ => return Err(ELSEWHERE.to_owned()),
    })
}

/// The action for this request of somebody in a lobby.
pub(super) fn in_lobby(session: &Session, action: PageAction) -> Result<Action, String> {
    let Some(mine) = session.model().lobby() else { return Err(String::new()) };
    let answer = |accept| {
        let offer = mine.offer().ok_or_else(|| "There is no offer any more.".to_owned())?;
        Ok(Action::Answer { offer, accept })
    };
    Ok(match action {
        PageAction::Play { mv, turn } if turn == mine.lobby.turn() => {
            Action::Play(mine.lobby.board().read_move(&mv).map_err(|bad| format!("No: {bad}."))?)
        }
        PageAction::Play { .. } => return Err("That turn is over.".to_owned()),
        PageAction::Hint => Action::Hint,
        PageAction::Resign => Action::Resign,
        PageAction::Again => Action::Again,
        PageAction::OfferDraw => Action::Offer(Offer::Draw),
        PageAction::OfferTakeback => Action::Offer(Offer::Takeback),
        PageAction::OfferPause => Action::Offer(Offer::Pause),
        PageAction::Accept => return answer(true),
        PageAction::Decline => return answer(false),
        PageAction::Resume => Action::Resume,
        PageAction::Wait => Action::Wait,
        PageAction::WaitNoMore => Action::WaitNoMore,
        PageAction::Claim => Action::Claim,
        PageAction::Say { words } => {
            Action::Say(Text::try_from(words.trim().to_owned()).map_err(|_| words::chat::too_long(&words))?)
        }
        PageAction::LeaveAndKeep => Action::Leave(Leaving::Keep),
        PageAction::GiveUp => Action::Leave(Leaving::GiveUp),
        _ => return Err(ELSEWHERE.to_owned()),
    })
}
