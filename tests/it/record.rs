//! Records of games: they round-trip, survive mail programs, and changes in them are detected.

/// Changed texts, and the reader's errors.
mod changes;
/// Lobbies and their events, for records.
pub(crate) mod history;
/// The longest games.
mod longest;
/// `proto/RECORD.md`, compared with the code.
mod page;
/// `nim-client record`.
mod program;

use history::{History, any_history, going_on};
use nim::game::Side;
use nim::lobby::{
    AwayRule, Cause, ClockRule, Conditions, ConnectionLoss, Departure, Event, Kind, LobbyRequest, Moment,
    Name, Offer, OutOfStep, Request, WhenAway, Who,
};
use nim::record::Record;
use proptest::prelude::*;

use crate::harness::campaign;

/// A finished game of two people.
fn short() -> History {
    let mut history = History::of_two("java-tech:5", Conditions::default());
    for text in ["2", "1", "1", "1"] {
        history.plays(text, 1_000);
    }
    history
}

proptest! {
    #![proptest_config(campaign::cases(60))]
    #[test]
    fn records_round_trip_in_short_lines_and_end_as_the_lobby_did(history in any_history()) {
        let records = history.records();
        for record in &records {
            let text = record.to_string();
            let read = Record::read(text.as_bytes());
            prop_assert_eq!(read.as_ref(), Ok(record), "{}", text);
            prop_assert_eq!(&read.unwrap().to_string(), &text);
            for line in text.lines() {
                prop_assert!(line.chars().count() <= nim::record::MAX_WIDTH && line.trim_end() == line, "{}", line);
            }
        }
        let results = history.events.iter().filter_map(|(_, event)| match event {
            Event::Ended { result } => Some(*result),
            _ => None,
        });
        prop_assert_eq!(records.iter().filter_map(Record::result).collect::<Vec<_>>(), results.collect::<Vec<_>>());
        prop_assert_eq!(records.len(), history.lobby.games() as usize);
        if let Some(last) = records.last() {
            prop_assert_eq!(last.boards().last().cloned(), Some(history.lobby.board().clone()));
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut text = b"nim record 1\n".to_vec();
        prop_assert!(Record::read(&bytes).is_err());
        text.extend(bytes);
        prop_assert!(Record::read(&text).is_err());
    }
}

#[test]
fn each_game_of_a_lobby_is_a_record_of_its_own() {
    let mut history = short();
    history.pass(60_000);
    history.side_asks(Side::First, Request::Ask(LobbyRequest::Again));
    history.is_granted(Who::Newcomer, Request::Watch { name: nim::lobby::Name::anyone() });
    history.pass(5_000);
    history.side_asks(Side::Second, Request::Ask(LobbyRequest::Again));
    history.plays("3", 2_000);
    history.side_asks(Side::First, Request::Ask(LobbyRequest::Leave));
    let [first, second]: [Record; 2] = history.records().try_into().unwrap();
    assert_eq!((first.game(), second.game()), (1, 2));
    assert_eq!(first.players().first, second.players().second, "they have changed sides");
    assert_eq!(first.started().to_string(), "2026-11-21 13:36:49 UTC");
    assert_eq!(second.started().to_string(), "2026-11-21 13:37:58 UTC");
    assert_eq!(
        (first.steps().len(), second.steps().len()),
        (4, 2),
        "the events between the games are in no record"
    );
    assert_eq!(first.verdict(), "First won: Second took the last object");
    assert_eq!(second.verdict(), "Second won: First left");
    assert_eq!(second.result().map(|result| result.cause), Some(Cause::Left));
}

#[test]
fn a_record_has_the_moves_of_a_stand_in_and_no_absences() {
    let mut history = short();
    history.side_asks(Side::First, Request::Ask(LobbyRequest::Again));
    history.pass(2_000);
    let since = history.now;
    history.side_asks(Side::First, Request::Disconnect { loss: ConnectionLoss::Closed, since });
    history.pass(3_000);
    history.side_asks(Side::Second, Request::Ask(LobbyRequest::Again));
    history.plays("1", 4_000);
    history.pass(6_000);
    history.pass(4_000);
    history.plays("1", 600);
    history.side_asks(Side::Second, Request::Return);
    let record = history.record();
    let words: Vec<String> = record.shown_steps().map(|step| step.words).collect();
    let wanted = [
        "1. First: take 1",
        "A stand-in [bot, beginner] plays for Second",
        "2. Second [stand-in, beginner]: take 1",
        "Second plays again",
    ];
    assert_eq!(words, wanted);
    assert_eq!(Record::read(record.to_string().as_bytes()), Ok(record));
}

#[test]
fn an_unfinished_game_has_a_record() {
    let history = History::of("tic-tac-toe", Conditions::default());
    assert_eq!(history.records(), []);
    let mut history = history.with([("anna", Kind::Person), ("ben", Kind::Person)]);
    assert_eq!(history.record().verdict(), "the game goes on");
    history.plays("5", 10);
    let record = history.record();
    assert_eq!((record.result(), record.boards().len()), (None, 2));
    assert_eq!(Record::read(record.to_string().as_bytes()), Ok(record));
}

#[test]
fn a_game_can_continue_from_a_record() {
    let origin = going_on(&short().record(), 1);
    let people = [("anna", Kind::Person), ("ben", Kind::Person)];
    let mut history = History::of("java-tech:5", Conditions::default()).from(origin.clone()).with(people);
    history.plays("2", 1_000);
    let record = history.record();
    let text = record.to_string();
    assert!(
        text.contains(&format!("From:      record {}, after move 1\nPosition:  3 second\n", origin.record))
    );
    assert!(text.contains("   1. Second: take 2 "), "{text}");
    assert_eq!((record.start(), record.origin()), (origin.start(record.variant()).unwrap(), Some(&origin)));
    assert_eq!(Record::read(text.as_bytes()), Ok(record));
}

#[test]
fn moves_taken_back_stay_in_the_record_but_not_in_the_game() {
    let mut history = History::of_two("java-tech:9", Conditions::default());
    history.plays("1", 100);
    history.plays("2", 100);
    history.offers(Side::First, Offer::Takeback, true);
    history.plays("3", 100);
    let record = history.record();
    let words: Vec<String> = record.shown_steps().map(|step| step.words).collect();
    let wanted = [
        "1. First: take 1",
        "2. Second: take 2",
        "First offers to take their last move back",
        "Second agrees: moves 1 and 2 are taken back",
        "1. First: take 3",
    ];
    assert_eq!(words, wanted);
    assert_eq!(record.boards().len(), 2);
}

#[test]
fn a_flag_and_a_claim_are_in_the_record_with_their_reasons() {
    let clock = ClockRule::Move(5_000);
    let mut history = History::of_two("java-tech:9", Conditions { clock, ..Conditions::default() });
    history.plays("1", 5_200);
    history.pass(6_000);
    let text = history.record().to_string();
    assert!(
        text.contains("      Second runs out of time                                  0:05.251\n"),
        "{text}"
    );
    assert!(text.contains("Result:    First won: Second ran out of time\n"));

    let away = AwayRule { then: WhenAway::Forfeit, ..AwayRule::default() };
    let mut history = History::of_two("java-tech:9", Conditions { away, ..Conditions::default() });
    history.side_asks(Side::First, Request::Disconnect { loss: ConnectionLoss::Silent, since: Moment(0) });
    history.pass(40_000);
    assert!(history.side_asks(Side::Second, Request::Ask(LobbyRequest::Claim)));
    let text = history.record().to_string();
    assert!(
        text.contains("      Second claims the game                                   0:40.000\n"),
        "{text}"
    );
    assert!(text.contains("Result:    Second won: First was away for too long\n"));
}

#[test]
fn impossible_events_make_no_records() {
    let history = short();
    let events = |skipped: usize| {
        history
            .events
            .iter()
            .enumerate()
            .filter(move |(place, _)| *place != skipped)
            .map(|(_, (at, event))| (*at, event))
    };
    assert!(Record::games(&history.setting, events(usize::MAX)).is_ok());
    for skipped in 0..history.events.len() - 1 {
        assert_eq!(Record::games(&history.setting, events(skipped)), Err(OutOfStep), "{skipped}");
    }
}

#[test]
fn a_program_is_marked_in_the_record() {
    let players = [("dice", Kind::Program), ("ben", Kind::Person)];
    let mut history = History::of("take:2:2", Conditions::default()).with(players);
    history.plays("2", 0);
    let record = history.record();
    let text = record.to_string();
    assert!(text.lines().any(|line| line.ends_with(" dice [program]")), "{text}");
    assert_eq!(Record::read(text.as_bytes()), Ok(record), "{text}");
}

/// The record of a game between two bots with an event before the last two moves; a minute later somebody
/// watches again.
fn of_two_bots(happens: impl FnOnce(&mut History)) -> String {
    let conditions = Conditions { clock: ClockRule::Move(10_000), watchers: 1, ..Conditions::default() };
    let watch = || Request::Watch { name: Name::anyone() };
    let mut history = History::of("take:4:2", conditions);
    assert!(history.is_granted(Who::Newcomer, watch()));
    let mut history = history.with([("minimax", Kind::Bot), ("maximin", Kind::Bot)]);
    history.plays("1", 2_000);
    happens(&mut history);
    history.pass(60_000);
    assert!(history.is_granted(Who::Newcomer, watch()));
    history.plays("1", 4_000);
    history.plays("2", 1_000);
    let record = history.record();
    let text = record.to_string();
    assert_eq!(Record::read(text.as_bytes()), Ok(record), "{text}");
    text
}

#[test]
fn the_clocks_of_two_bots_stop_while_nobody_watches() {
    let text = of_two_bots(|history| {
        history.pass(3_000);
        let unwatch = Request::Unwatch { name: Name::anyone(), how: Departure::Lost };
        assert!(history.is_granted(Who::Watcher, unwatch));
    });
    assert!(text.contains("The clock stops: nobody is present                       0:03.000\n"), "{text}");
    assert!(text.contains("The clock runs again: somebody is present                1:03.000\n"), "{text}");
    assert!(text.contains("[bot, perfect]: take 1                            0:04.000\n"), "{text}");
}

#[test]
fn the_record_of_two_bots_over_a_restart_reads_back_equal() {
    of_two_bots(History::restarts);
}

#[test]
fn a_game_that_was_given_up_before_its_time_to_make_room_is_read_as_it_was_written() {
    let mut history = History::of_two("java-tech:9", Conditions::default());
    for side in Side::BOTH {
        let since = history.now;
        history.side_asks(side, Request::Disconnect { loss: ConnectionLoss::Closed, since });
    }
    history.pass(60_000);
    history.happen(history.lobby.abandon());
    let record = history.record();
    assert_eq!(record.verdict(), "Draw: nobody came back");
    assert_eq!(Record::read(record.to_string().as_bytes()), Ok(record));
}
