use nim::client::{Model, Question, words};
use nim::game::Side;
use nim::lobby::{Event, Lobby, Moment, Name, Notice, PlayerId};
use nim::wire::{ToClient, decode, first_body, frame_length};
use words::Viewpoint;

/// A client receives these frames from a server that may send anything, and words them for a person.
pub fn body(mut data: &[u8]) {
    let mut model = Model::new(Name::anyone());
    while let Ok(Some(frame)) = first_body(data) {
        data = &data[frame_length(frame)..];
        let Ok(message) = decode::<ToClient>(frame) else { return };
        let before = model.lobby().map(|mine| mine.lobby.clone());
        let _ = model.changes(&message);
        if model.apply(&message).is_err() {
            // The client then leaves, with an unchanged copy of the lobby.
            assert_eq!(model.lobby().map(|mine| &mine.lobby), before.as_ref());
            return;
        }
        tell(&model, before.as_ref(), &message);
    }
}

/// Every sentence that a person may be shown.
fn tell(model: &Model, before: Option<&Lobby>, message: &ToClient) {
    let _ = words::hall(model.hall());
    let question = Question::of(model);
    let _ = question.zip(model.lobby()).and_then(|(question, mine)| question.beside(mine));
    let Some(mine) = model.lobby() else { return };
    let eyes = mine.you().map_or(Viewpoint::Spectator, Viewpoint::Player);
    if let (ToClient::Lobby { event, .. }, Some(before)) = (message, before) {
        tell_of_event(event, before, &mine.lobby, eyes);
        let _ = mine.is_answered_by(event);
    }
    if let ToClient::Notice { notice, .. } = message {
        tell_of_notice(notice, &mine.lobby, eyes);
        let _ = mine.is_answered_by_notice(notice);
    }
    if let ToClient::Hint { mv, words: why, .. } = message {
        let _ = words::hint(&mine.lobby, *mv, why.as_str());
    }
    if let ToClient::Reviewed(review) = message {
        let _ = words::chat::reviewed(&mine.lobby, review);
    }
    for eyes in [eyes, Viewpoint::Spectator] {
        tell_of_lobby(&mine.lobby, mine.now, eyes);
    }
    let _ = (mine.side(), mine.is_to_move(), mine.offer(), mine.knows(model.name()));
}

fn tell_of_event(event: &Event, before: &Lobby, after: &Lobby, eyes: Viewpoint) {
    for eyes in [eyes, Viewpoint::Spectator] {
        let _ = words::happened(event, before, after, eyes);
        let _ = words::told(event, before, after, eyes);
        let _ = words::status::changes_the_wait(event, after, eyes);
    }
}

fn tell_of_notice(notice: &Notice, lobby: &Lobby, eyes: Viewpoint) {
    for eyes in [eyes, Viewpoint::Spectator] {
        let _ = words::noticed(notice, lobby, eyes);
        let _ = words::status::notice_changes_the_wait(notice, lobby, eyes);
    }
}

fn tell_of_lobby(lobby: &Lobby, now: Moment, eyes: Viewpoint) {
    let _ = (
        words::rules_and_name(lobby),
        words::waiting(lobby),
        words::returned(lobby, eyes),
        words::so_far(lobby, eyes),
    );
    let _ = (words::board(lobby, eyes), words::move_question(lobby, eyes), words::untimely(lobby));
    let _ = (words::status::why(lobby, now, eyes), words::status::can_be_typed(lobby, now, eyes));
    let _ = (words::agreement::conditions(lobby), words::agreement::terms(lobby));
    let _ = (words::agreement::clocks(lobby, now), words::agreement::score(lobby, eyes));
    let _ = (words::chat::watching(lobby), words::screen::company(lobby, eyes));
    let _ = (words::screen::title(lobby, "·"), words::screen::result(lobby, eyes));
    for side in Side::BOTH {
        let _ = (words::sitter(lobby, side), words::agreement::on_the_clock(lobby, side, now));
    }
    if let Viewpoint::Player(you @ PlayerId(_)) = eyes {
        let _ = words::entered(lobby, you);
    }
}
