//! What a person does in the learn panel.

use super::action::PageAction;
use super::page::Page;
use crate::client::learn::Learn;
use crate::client::session::Session;

/// Does what concerns the learn panel.
pub(super) fn act(page: &mut Page, session: &Session, action: &PageAction) {
    let end = page.record_end();
    let of_record = end.as_ref().and_then(|end| end.lobby()).map(|mine| &mine.lobby);
    let mine = session.model().lobby().filter(|mine| mine.may_learn()).map(|mine| &mine.lobby);
    let mine = mine.filter(|_| page.records.is_none());
    let Some(lobby) = page.studied.as_deref().or(of_record).or(mine) else { return };
    let learn = &mut page.learn;
    match (action, learn) {
        (PageAction::LearnClose, learn) => *learn = None,
        (PageAction::Learn, learn) if of_record.is_none() => *learn = Some(Box::new(Learn::new(lobby))),
        (PageAction::LearnAt { node }, Some(learn)) => learn.select(*node),
        (PageAction::LearnOpen { node }, Some(learn)) => {
            learn.select(*node);
            learn.toggle();
        }
        (PageAction::LearnDeepen, Some(learn)) => learn.deepen(),
        (PageAction::LearnEarlier, Some(learn)) => learn.travel(lobby, false),
        (PageAction::LearnLater, Some(learn)) => learn.travel(lobby, true),
        (PageAction::LearnJump, Some(learn)) => learn.jump(lobby),
        _ => {}
    }
}
