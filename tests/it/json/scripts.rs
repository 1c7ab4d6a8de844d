//! Games that scripts play: against the bot, against each other, with all lines at once or one by one.

use std::time::Duration;

use nim::client::json::Event;
use nim::client::json::words::Outcome;
use nim::game::Side;
use nim::lobby::{Cause, Departure, Hand, Loss};

use super::{Run, Script, refused};
use crate::harness::{Program, TestServer, within};

fn outcome(event: &Event) -> Option<Outcome> {
    match event {
        Event::Ended { outcome, .. } => *outcome,
        _ => None,
    }
}

pub(super) fn code(event: &Event) -> Option<String> {
    match event {
        Event::Entered { code, .. } => Some(code.to_string()),
        _ => None,
    }
}

pub(super) fn your_turn(event: &Event) -> Option<()> {
    matches!(event, Event::YourTurn { .. }).then_some(())
}

/// How the game ended.
pub(super) fn won(event: &Event) -> Option<(Option<Outcome>, Cause)> {
    match event {
        Event::Ended { outcome, cause, .. } => Some((*outcome, *cause)),
        _ => None,
    }
}

/// Anna and ben, whose turn it is in a lobby that was opened with these flags.
pub(super) async fn two_scripts(server: &TestServer, flags: &[&str]) -> (Script, Script) {
    let opens = ["--new", "java-tech:21", "--people-only"];
    let mut anna = Script::connect(server, "anna", &[&opens, flags].concat());
    let ben = Script::connect(server, "ben", &["--join", &anna.until(code).await]);
    anna.until(your_turn).await;
    anna.say(r#"{"do":"play","move":"1"}"#).await;
    anna.until(|event| matches!(event, Event::Moved { .. }).then_some(())).await;
    (anna, ben)
}

/// Plays what is hinted at whenever it is asked for a move, to the end of the game.
async fn play_as_hinted(script: &mut Script) -> Outcome {
    let to_the_end = async {
        loop {
            match script.next().await {
                Event::YourTurn { .. } => script.say(r#"{"do":"hint"}"#).await,
                Event::Hint { turn, mv, .. } => {
                    script.until(your_turn).await;
                    script.say(&format!(r#"{{"do":"play","move":"{mv}","turn":{turn}}}"#)).await;
                }
                Event::Ended { outcome, .. } => return outcome.expect("one of two players"),
                _ => {}
            }
        }
    };
    within("the end of the game", to_the_end).await
}

/// Plays the last of the listed moves whenever it is asked for one, to the end of the game.
async fn play_last_listed(mut script: Script) -> Outcome {
    let to_the_end = async {
        loop {
            match script.next().await {
                Event::YourTurn { moves, .. } => {
                    script.say(&format!(r#"{{"do":"play","move":"{}"}}"#, moves.last().unwrap())).await;
                }
                Event::Ended { outcome, .. } => return outcome.expect("one of two players"),
                _ => {}
            }
        }
    };
    within("the end of the game", to_the_end).await
}

#[tokio::test]
async fn where_somebody_goes_who_has_offered_something_both_prompts_are_open() {
    let server = TestServer::start();
    for answers in [false, true] {
        let (mut anna, mut ben) =
            two_scripts(&server, &["--when-away", "forfeit", "--away-after", "0"]).await;
        ben.until(your_turn).await;
        ben.say(r#"{"do":"offer","offer":"draw"}"#).await;
        anna.until(|event| matches!(event, Event::Answer { .. }).then_some(())).await;
        drop(ben);
        anna.until(|event| matches!(event, Event::Away { .. }).then_some(())).await;
        assert!(matches!(anna.next().await, Event::Absent { .. }), "and the other prompt still stands");
        if answers {
            anna.say(r#"{"do":"answer","offer":"draw","accept":false}"#).await;
            anna.until(|event| matches!(event, Event::Declined { .. }).then_some(())).await;
            assert!(matches!(anna.next().await, Event::Absent { .. }), "that one is left");
        }
        anna.say(r#"{"do":"why"}"#).await;
        let words =
            anna.until(|event| if let Event::Why { words } = event { Some(words.clone()) } else { None });
        let words = words.await;
        assert!(words.contains("the game can be claimed"), "{words}");
        if !answers {
            assert!(matches!(anna.next().await, Event::Answer { .. }), "the older one first");
            assert!(matches!(anna.next().await, Event::Absent { .. }));
        }
        anna.say(r#"{"do":"claim"}"#).await;
        assert_eq!(anna.until(won).await, (Some(Outcome::Won), Cause::Forfeited));
    }
}

#[tokio::test]
async fn a_whole_game_may_be_sent_at_once() {
    let run = Run::of_play(&["take:5:1"], "{\"do\":\"play\",\"move\":\"take 1\"}\n".repeat(3)).await;
    assert_eq!((run.code, run.all(outcome)), (0, vec![Outcome::Won]));
    assert!(
        matches!(run.events.first(), Some(Event::Welcome { name, server: None }) if name.as_str() == "anna")
    );
}

#[tokio::test]
async fn the_same_seed_and_lines_lead_to_the_same_objects() {
    let lines = "{\"do\":\"play\",\"move\":\"1\"}\n".repeat(40) + "{\"do\":\"again\"}\n{\"do\":\"resign\"}\n";
    let [one, other] = [(); 2].map(|()| Run::of_play(&["nim:3-4-5", "--starts", "me"], &lines));
    assert_eq!(one.await.lines, other.await.lines);
}

#[tokio::test]
async fn a_script_that_reacts_beats_the_bot_from_a_won_position_and_plays_again() {
    let mut script = Script(Program::client(&["play", "--json", "--bot-pace", "0"]));
    assert_eq!(play_as_hinted(&mut script).await, Outcome::Won);
    script.say(r#"{"do":"again"}"#).await;
    let second_game = |event: &Event| match event {
        Event::Started { game: 2, you, swapped, .. } => Some((*you, *swapped)),
        _ => None,
    };
    assert_eq!(script.until(second_game).await, (Some(Side::First), true));
    script.until(your_turn).await;
    script.say(r#"{"do":"resign"}"#).await;
    assert_eq!(script.until(outcome).await, Outcome::Lost);
    assert_eq!(script.end().await, Some(0));
}

#[tokio::test]
async fn two_scripts_play_each_other_through_a_server() {
    let server = TestServer::start();
    let mut anna = Script::connect(&server, "anna", &["--new", "java-tech:21", "--people-only"]);
    let ben = Script::connect(&server, "ben", &["--join", &anna.until(code).await]);
    let outcomes = tokio::join!(play_last_listed(anna), play_last_listed(ben));
    // Threes from 21: seven moves, and the first player takes the last one.
    assert_eq!(outcomes, (Outcome::Lost, Outcome::Won));
}

#[tokio::test]
async fn a_script_finds_its_way_from_the_hall_into_several_games() {
    let lines = [
        r#"{"do":"look"}"#,
        r#"{"do":"new","variant":"take:2:2","bot":"at_once","starts":"me"}"#,
        r#"{"do":"play","move":"2"}"#,
        r#"{"do":"leave"}"#,
        r#"{"do":"quick","variant":"zero-sum","bot":"at_once","hints":"nobody"}"#,
        r#"{"do":"hint"}"#,
        r#"{"do":"resign"}"#,
    ];
    let server = TestServer::start();
    let run = Run::of_connect(&server, &[], lines.join("\n")).await;
    let shown = Some(server.address().to_string());
    assert!(matches!(&run.events[0], Event::Welcome { server, .. } if *server == shown));
    assert_eq!((run.code, run.all(outcome)), (0, vec![Outcome::Won, Outcome::Lost]));
    let outside = run.all(|event| matches!(event, Event::Outside {}).then_some(()));
    assert_eq!(outside.len(), 1, "the end of the input is no way to leave");
}

#[tokio::test]
async fn the_list_shows_lobbies_that_come_and_go() {
    let server = TestServer::with(|config| config.seats_kept = Duration::ZERO);
    let mut anna = Script::connect(&server, "anna", &[]);
    anna.until(|event| matches!(event, Event::Hall {}).then_some(())).await;
    let mut ben = Script::connect(&server, "ben", &["--new", "zero-sum", "--people-only"]);
    let opened = ben.until(code).await;
    let listed = |event: &Event| match event {
        Event::Lobbies { listed, .. } => {
            listed.first().map(|listing| (listing.code.to_string(), listing.variant.clone()))
        }
        _ => None,
    };
    assert_eq!(anna.until(listed).await, (opened.clone(), Some("zero-sum:11".into())));
    drop(ben);
    let gone = |event: &Event| match event {
        Event::Lobbies { gone, .. } => gone.first().map(ToString::to_string),
        _ => None,
    };
    assert_eq!(anna.until(gone).await, opened);
    assert_eq!(anna.end().await, Some(0));
}

#[tokio::test]
async fn a_game_that_the_other_one_leaves_is_won() {
    let server = TestServer::start();
    let (mut anna, mut ben) = two_scripts(&server, &[]).await;
    ben.until(your_turn).await;
    ben.say(r#"{"do":"leave"}"#).await;
    assert_eq!(anna.until(won).await, (Some(Outcome::Won), Cause::Left));
    assert!(matches!(anna.next().await, Event::Left { how: Departure::Quit, .. }));
    assert!(matches!(anna.next().await, Event::Over { game: 1 }));
    assert_eq!(anna.end().await, Some(0));
}

#[tokio::test]
async fn a_script_is_told_who_is_away_and_that_a_bot_stands_in() {
    let server = TestServer::start();
    let (mut anna, ben) = two_scripts(&server, &["--away-after", "0"]).await;
    drop(ben);
    let away = |event: &Event| match event {
        Event::Away { who, loss } => Some((who.name.to_string(), *loss)),
        _ => None,
    };
    assert_eq!(anna.until(away).await, ("ben".into(), Loss::Closed));
    let stood_in = |event: &Event| match event {
        Event::StoodIn { who } => Some(who.name.to_string()),
        _ => None,
    };
    assert_eq!(anna.until(stood_in).await, "ben");
    let moved = |event: &Event| match event {
        Event::Moved { who, hand, .. } => Some((who.name.to_string(), *hand)),
        _ => None,
    };
    assert_eq!(anna.until(moved).await, ("ben".into(), Hand::StandIn));
    anna.until(your_turn).await;
    anna.say(r#"{"do":"why"}"#).await;
    let why = |event: &Event| match event {
        Event::Why { words } => Some(words.clone()),
        _ => None,
    };
    assert!(anna.until(why).await.starts_with("Your turn; ben is away for "));
    assert!(matches!(anna.next().await, Event::YourTurn { turn: 3, .. }), "the prompt comes again");
    assert_eq!(anna.end().await, Some(8));
}

#[tokio::test]
async fn a_script_waits_for_an_absent_opponent_as_long_as_it_takes() {
    let server = TestServer::start();
    let mut anna = Script::connect(&server, "anna", &["--new", "java-tech:21", "--people-only"]);
    let ben = Script::connect(&server, "ben", &["--join", &anna.until(code).await]);
    anna.until(your_turn).await;
    drop(ben);
    anna.until(|event| matches!(event, Event::Away { .. }).then_some(())).await;
    anna.say(r#"{"do":"wait"}"#).await;
    let waited_for = |event: &Event| match event {
        Event::WaitedFor { who } => Some(who.name.to_string()),
        _ => None,
    };
    assert_eq!(anna.until(waited_for).await, "ben");
    anna.until(your_turn).await;
    anna.say(r#"{"do":"wait"}"#).await;
    assert_eq!(anna.until(refused).await, "wait: waits_already");
    anna.say(r#"{"do":"wait_no_more"}"#).await;
    let waited_no_more = |event: &Event| match event {
        Event::WaitedNoMore { who } => Some(who.name.to_string()),
        _ => None,
    };
    assert_eq!(anna.until(waited_no_more).await, "ben");
    anna.say(r#"{"do":"wait_no_more"}"#).await;
    assert_eq!(anna.until(refused).await, "wait_no_more: waits_not");
}

#[tokio::test]
async fn a_script_may_claim_the_game_of_an_opponent_who_is_away_for_too_long() {
    let server = TestServer::start();
    let (mut anna, ben) = two_scripts(&server, &["--when-away", "forfeit", "--away-after", "0"]).await;
    drop(ben);
    anna.until(|event| matches!(event, Event::Away { .. }).then_some(())).await;
    anna.say(r#"{"do":"claim"}"#).await;
    assert_eq!(anna.until(won).await, (Some(Outcome::Won), Cause::Forfeited));
}

#[tokio::test]
async fn a_script_may_play_both_sides() {
    let lines = [
        r#"{"do":"again"}"#,
        r#"{"do":"play","move":"3"}"#,
        r#"{"do":"play","move":"1"}"#,
        r#"{"do":"again"}"#,
        r#"{"do":"hint"}"#,
        r#"{"do":"leave"}"#,
    ];
    let args = ["play", "java-tech:4", "--two", "--json", "--name", "anna", "--other", "ben"];
    // It is ben's turn when they leave, and one request is enough for both.
    let run = Run::of(&args, lines.join("\n")).await;
    let told = run.all(|event| match event {
        Event::Moved { who, mv, .. } => Some(format!("{}: {mv}", who.name)),
        Event::Ended { outcome: None, words, .. } | Event::Refused { words, .. } => Some(words.clone()),
        Event::Hint { turn, mv, .. } => Some(format!("{turn}: {mv}")),
        Event::End { words, .. } => words.clone(),
        _ => None,
    });
    let wanted = [
        "the game is not over",
        "anna: take 3",
        "ben: take 1",
        "anna won: ben took the last object.",
        "3: take 3",
    ];
    assert_eq!((run.code, told), (0, wanted.map(str::to_owned).to_vec()));
}

#[tokio::test]
async fn whatever_is_listed_is_a_move_in_every_game() {
    let server = TestServer::start();
    for variant in ["nim:3-4-5", "even-or-odd", "tic-tac-toe", "connect-four", "pong-hau-ki", "mu-torere"] {
        let mut anna = Script::connect(&server, "anna", &["--new", variant, "--people-only"]);
        let ben = Script::connect(&server, "ben", &["--join", &anna.until(code).await]);
        let outcomes = tokio::join!(play_last_listed(anna), play_last_listed(ben));
        let fit =
            [(Outcome::Won, Outcome::Lost), (Outcome::Lost, Outcome::Won), (Outcome::Draw, Outcome::Draw)];
        assert!(fit.contains(&outcomes), "{variant}: {outcomes:?}");
    }
}

#[tokio::test]
async fn a_draw_by_repetition_is_told_as_one() {
    let moves = ["1 3", "4 1", "3 4", "1 3", "4 1", "3 4"].repeat(2);
    let lines: Vec<String> = moves.iter().map(|mv| format!(r#"{{"do":"play","move":"{mv}"}}"#)).collect();
    let run = Run::of(&["play", "pong-hau-ki", "--two", "--json"], lines.join("\n")).await;
    let told = run.all(|event| match event {
        Event::Ended { winner: None, cause, words, .. } => Some((*cause, words.as_str())),
        _ => None,
    });
    assert_eq!(told, [(Cause::Repetition, "Draw: the position came up for the third time.")]);
    assert_eq!(run.all(your_turn).len(), 12, "behind the last move nobody is asked for another one");
}

#[tokio::test]
async fn a_pile_of_a_quintillion_is_told_without_losing_a_digit() {
    const PILE: &str = "1000000000000000000";
    let line = format!("{{\"do\":\"play\",\"move\":\"take {PILE}\"}}");
    let run = Run::of_play(&[&format!("nim:{PILE}")], line).await;
    let prompts = run.all(|event| match event {
        Event::YourTurn { move_count, moves, .. } => Some((move_count.as_str(), moves.len())),
        _ => None,
    });
    let moves = run.all(|event| match event {
        Event::Moved { mv, position, .. } => Some((mv.clone(), position.as_str())),
        _ => None,
    });
    assert_eq!(prompts, [(PILE, 64)]);
    assert_eq!(moves, [(format!("take {PILE}"), "0 second")]);
    assert_eq!(run.all(outcome), [Outcome::Won]);
}

#[tokio::test]
async fn a_script_looks_at_the_last_game_also_where_the_other_one_has_left() {
    let server = TestServer::start();
    let mut anna = Script::connect(&server, "anna", &["--new", "take:2:2", "--people-only"]);
    let mut ben = server.client("ben").await;
    ben.join(anna.until(code).await.parse().unwrap()).await;
    anna.until(your_turn).await;
    anna.say(r#"{"do":"play","move":"2"}"#).await;
    anna.until(won).await;
    anna.say(r#"{"do":"again"}"#).await;
    ben.until_event(|event| matches!(event, nim::lobby::Event::AgainWanted { .. })).await;
    ben.leave().await;
    anna.until(|event| matches!(event, Event::Left { .. }).then_some(())).await;
    anna.say(r#"{"do":"review","number":1}"#).await;
    let count = |event: &Event| match event {
        Event::Reviewed { count, .. } => Some(*count),
        _ => None,
    };
    assert_eq!(anna.until(count).await, 1);
}
