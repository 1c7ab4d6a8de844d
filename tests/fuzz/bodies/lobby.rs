use nim::game::Side;
use nim::lobby::{Attendance, Cause, Cover, Hand, Lobby, LobbyRequest, Phase, Request, Snapshot};
use nim::record::Record;

use super::feed::Feed;
use super::story::{Step, Story};

pub(crate) const VARIANTS: [&str; 12] = [
    "take:5:2",
    "nim:1-2:misere",
    "java-tech:9",
    "one-two-ten",
    "zero-sum:5",
    "nim:1000000000000000000-999999999999999999-1000000000000000000-1000000000000000000-7:misere",
    "even-or-odd:7",
    "tic-tac-toe",
    "connect-four",
    "pong-hau-ki",
    "mu-torere",
    "nim:2-2:max=1",
];

/// Sends random requests to a lobby while time passes. After every step its state is valid. At the end the
/// lobby can be rebuilt from its events, and so can the records of its games.
pub fn body(data: &[u8]) {
    let mut feed = Feed::of(data);
    let mut story = Story::begun(&VARIANTS, &mut feed);
    while !feed.is_empty() {
        let (step, before) = (story.next(&mut feed), story.lobby.clone());
        let is_answered = matches!(&step, Step::Ask(_, request, _)
            if !matches!(request, Request::Return | Request::Disconnect { .. } | Request::Ask(LobbyRequest::Hint)));
        match story.take(step) {
            Ok(()) => assert!(!is_answered || story.lobby != before, "every request is answered"),
            Err(refusal) => {
                assert!(!refusal.to_string().is_empty());
                assert_eq!(story.lobby, before, "a refused request changes nothing");
            }
        }
        check(&story.lobby);
        let mut restored =
            Lobby::try_from(story.lobby.checkpoint(story.now)).expect("its checkpoint is valid");
        // Who is present comes from notices, and no checkpoint has it.
        assert_eq!(restored.set_attendance(*story.lobby.attendance()), Ok(()));
        assert_eq!(restored, story.lobby);
    }
    is_told_again(&story);
}

/// The events without the notices rebuild the game, and the records rebuild the games.
fn is_told_again(story: &Story) {
    let mut again = Lobby::new(story.setting.code, story.setting.variant.clone(), story.setting.conditions);
    for (at, event) in &story.events {
        assert_eq!(again.apply(event, *at), Ok(()));
    }
    assert_eq!(game_of(&again), game_of(&story.lobby), "a game depends on who was present");
    let events = story.events.iter().map(|(at, event)| (*at, event));
    let records = Record::games(&story.setting, events).expect("the recorded events are possible");
    assert_eq!(records.len(), story.lobby.games() as usize);
    for record in records {
        let text = record.to_string();
        assert_eq!(Record::read(text.as_bytes()).as_ref(), Ok(&record), "{text}");
    }
}

/// Everything that the events of a lobby determine: all but who is present.
pub(crate) fn game_of(lobby: &Lobby) -> Snapshot {
    Snapshot { attendance: Attendance::default(), ..lobby.snapshot() }
}

/// The invariants of a lobby between two requests.
pub(crate) fn check(lobby: &Lobby) {
    let both = lobby.seats().iter().all(|(_, seat)| seat.is_some());
    match lobby.phase() {
        Phase::Waiting => assert!(!both && lobby.open_seat().is_none() == lobby.is_deserted()),
        Phase::Playing => assert!(both && lobby.board().finish().is_none() && lobby.to_move().is_some()),
        Phase::Over { result, again } => {
            assert!(!(again.first && again.second));
            if result.cause == Cause::Rules {
                assert_eq!(lobby.board().finish().map(|finish| finish.outcome), Some(result.outcome));
            }
        }
        Phase::Closed => assert!(!lobby.has_people_here() && lobby.open_seat().is_none()),
    }
    for side in Side::BOTH {
        assert!(
            lobby.absence(side).is_none() || lobby.is_client(side),
            "only people and programs can be away"
        );
        let covered = lobby.cover(side).is_some_and(|cover| cover != Cover::Agreed);
        assert!(!covered || lobby.phase() == Phase::Playing);
        assert!(
            lobby.hand(side) == Hand::Own || lobby.absence(side).is_some(),
            "a bot stands in only for an absent player"
        );
    }
    if let Some((_, side, _)) = lobby.absence_deadline() {
        assert!(
            lobby.absence(side).is_some() && lobby.is_here(!side),
            "time runs only while an opponent waits"
        );
        assert_eq!(lobby.board().turn(), side, "an absent player's time runs on their own turn");
    }
    let kept = Side::BOTH.into_iter().any(|side| lobby.absence(side).is_some());
    let stands_still = kept && !lobby.has_people_here() && lobby.phase() != Phase::Closed;
    assert!(!stands_still || lobby.due().is_some(), "an abandoned lobby has a deadline");
    let again = Lobby::try_from(lobby.snapshot()).expect("its snapshot is valid");
    assert_eq!(again.snapshot(), lobby.snapshot());
}
