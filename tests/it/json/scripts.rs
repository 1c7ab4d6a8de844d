//! Games of scripts: against the bot, against each other, with all lines at once or one by one.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Run, Script, refusal};
use crate::harness::{Program, TestServer, skip, within};

/// Asserts that a game ended in this way.
pub(super) fn is_ended(event: &Value, outcome: &str, cause: &str) {
    assert!(event["outcome"] == outcome && event["cause"] == cause, "{event}");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Anna and ben in a lobby for this variant.
async fn two(server: &TestServer, variant: &str, flags: &[&str]) -> (Script, Script) {
    let opens = ["--new", variant];
    let mut anna = Script::connect(server, "anna", &[&opens, flags].concat());
    let ben = Script::connect(server, "ben", &["--join", &anna.code().await]);
    (anna, ben)
}

/// Anna and ben in a lobby that was opened with these flags, with ben to move.
pub(super) async fn two_scripts(server: &TestServer, flags: &[&str]) -> (Script, Script) {
    let (mut anna, ben) = two(server, "java-tech:21", flags).await;
    anna.until("your_turn").await;
    anna.say(r#"{"do":"play","move":"1"}"#).await;
    anna.until("moved").await;
    (anna, ben)
}

/// Plays the hinted move at every prompt, to the end of the game. Returns the result.
async fn play_as_hinted(script: &mut Script) -> Value {
    let to_the_end = async {
        loop {
            let event = script.until_one_of(&["your_turn", "hint", "ended"]).await;
            match event["event"].as_str() {
                Some("your_turn") => script.say(r#"{"do":"hint"}"#).await,
                Some("hint") => {
                    script.until("your_turn").await;
                    let play = json!({"do": "play", "move": event["move"], "turn": event["turn"]});
                    script.say(&play.to_string()).await;
                }
                _ => return event["outcome"].clone(),
            }
        }
    };
    within("the end of the game", to_the_end).await
}

/// Plays the last listed move at every prompt, to the end of the game. Returns the result.
async fn play_last_listed(mut script: Script) -> Value {
    let to_the_end = async {
        loop {
            let event = script.until_one_of(&["your_turn", "ended"]).await;
            let Some(moves) = event["moves"].as_array() else { return event["outcome"].clone() };
            script.say(&json!({"do": "play", "move": moves.last()}).to_string()).await;
        }
    };
    within("the end of the game", to_the_end).await
}

#[tokio::test]
async fn an_offer_and_a_lost_opponent_open_both_prompts() {
    let server = TestServer::start();
    for answers in [false, true] {
        let (mut anna, mut ben) =
            two_scripts(&server, &["--when-away", "forfeit", "--away-after", "5s"]).await;
        ben.until("your_turn").await;
        ben.say(r#"{"do":"offer","offer":"draw"}"#).await;
        anna.until("answer").await;
        drop(ben);
        anna.until("away").await;
        skip(Duration::from_secs(5)).await;
        assert_eq!(anna.next().await["event"], "absent", "and the other prompt is still open");
        if answers {
            anna.say(r#"{"do":"answer","offer":"draw","accept":false}"#).await;
            anna.until("declined").await;
            assert_eq!(anna.next().await["event"], "absent", "that prompt remains");
        }
        anna.say(r#"{"do":"why"}"#).await;
        let why = anna.until("why").await;
        assert!(why["words"].as_str().unwrap().contains("The game can be claimed"), "{why}");
        if !answers {
            assert_eq!(anna.next().await["event"], "answer", "the older one first");
            assert_eq!(anna.next().await["event"], "absent");
        }
        anna.say(r#"{"do":"claim"}"#).await;
        is_ended(&anna.until("ended").await, "won", "forfeited");
    }
}

#[tokio::test]
async fn the_same_seed_and_lines_lead_to_the_same_objects() {
    let lines = "{\"do\":\"play\",\"move\":\"1\"}\n".repeat(40) + "{\"do\":\"again\"}\n{\"do\":\"resign\"}\n";
    let [one, other] = [(); 2].map(|()| Run::of_play(&["nim:3-4-5", "--starts", "me"], &lines));
    let one = one.await;
    assert!(one.events[0]["name"] == "anna" && one.events[0]["server"].is_null(), "{}", one.lines[0]);
    assert_eq!(one.lines, other.await.lines);
}

#[tokio::test]
async fn an_interactive_script_wins_a_won_position_and_plays_again() {
    let mut script = Script(Program::client(&["play", "--json", "--bot-pace", "0"]));
    assert_eq!(play_as_hinted(&mut script).await, "won");
    script.say(r#"{"do":"again"}"#).await;
    let started = script.until("started").await;
    assert_eq!(
        [&started["game"], &started["you"], &started["swapped"]],
        [&json!(2), &json!("first"), &json!(true)]
    );
    script.until("your_turn").await;
    script.say(r#"{"do":"resign"}"#).await;
    assert_eq!(script.until("ended").await["outcome"], "lost");
    assert_eq!(script.end().await, Some(0));
}

#[tokio::test]
async fn a_script_joins_several_games_from_the_hall() {
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
    assert_eq!(run.events[0]["server"], server.address().to_string());
    assert_eq!((run.code, run.each("ended", "outcome")), (0, vec!["won", "lost"]));
    assert_eq!(run.each("refused", "refusal"), ["no_hints"]);
    assert_eq!(run.all("outside").count(), 1, "the end of the input does not leave the lobby");
}

#[tokio::test]
async fn the_list_shows_lobbies_that_come_and_go() {
    let server = TestServer::with(|config| config.seats_kept = Duration::ZERO);
    let mut anna = Script::connect(&server, "anna", &[]);
    anna.until("hall").await;
    let mut ben = Script::connect(&server, "ben", &["--new", "zero-sum", "--people-only"]);
    let opened = ben.code().await;
    let listing = &anna.until("lobbies").await["listed"][0];
    assert!(listing["code"] == *opened && listing["variant"] == "zero-sum:11", "{listing}");
    drop(ben);
    while anna.until("lobbies").await["gone"][0] != *opened {}
    assert_eq!(anna.end().await, Some(0));
}

#[tokio::test]
async fn a_game_is_won_when_the_opponent_leaves() {
    let server = TestServer::start();
    let (mut anna, mut ben) = two_scripts(&server, &[]).await;
    ben.until("your_turn").await;
    ben.say(r#"{"do":"leave","keep":false}"#).await;
    is_ended(&anna.until("ended").await, "won", "left");
    assert_eq!(anna.next().await["how"], "quit");
    assert_eq!(anna.next().await, json!({"event": "over", "game": 1}));
    assert_eq!(anna.end().await, Some(0));
}

#[tokio::test]
async fn a_script_is_told_who_is_away_and_that_a_bot_stands_in() {
    let server = TestServer::start();
    let (mut anna, ben) = two_scripts(&server, &["--away-after", "5s"]).await;
    drop(ben);
    let away = anna.until("away").await;
    assert!(away["who"]["name"] == "ben" && away["loss"] == "closed", "{away}");
    skip(Duration::from_secs(5)).await;
    assert_eq!(anna.until("stood_in").await["who"]["name"], "ben");
    let moved = anna.until("moved").await;
    assert!(moved["who"]["name"] == "ben" && moved["hand"] == "stand_in", "{moved}");
    anna.until("your_turn").await;
    anna.say(r#"{"do":"why"}"#).await;
    let why = anna.until("why").await;
    assert!(why["words"].as_str().unwrap().starts_with("Your turn; ben [program] is away for "), "{why}");
    let prompt = anna.next().await;
    assert!(prompt["event"] == "your_turn" && prompt["turn"] == 3, "the prompt comes again: {prompt}");
    assert_eq!(anna.end().await, Some(8));
}

#[tokio::test]
async fn a_script_waits_for_an_absent_opponent_as_long_as_it_takes() {
    let server = TestServer::start();
    let (mut anna, ben) = two(&server, "java-tech:21", &[]).await;
    anna.until("your_turn").await;
    drop(ben);
    anna.until("away").await;
    anna.say(r#"{"do":"wait"}"#).await;
    assert_eq!(anna.until("waited_for").await["who"]["name"], "ben");
    anna.until("your_turn").await;
    anna.say(r#"{"do":"wait"}"#).await;
    assert_eq!(refusal(&anna.until("refused").await), "wait: waits_already");
    anna.say(r#"{"do":"wait_no_more"}"#).await;
    assert_eq!(anna.until("waited_no_more").await["who"]["name"], "ben");
    anna.say(r#"{"do":"wait_no_more"}"#).await;
    assert_eq!(refusal(&anna.until("refused").await), "wait_no_more: waits_not");
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
    let told = run.events.iter().filter_map(|event| match event["event"].as_str().unwrap() {
        "moved" => Some(format!("{}: {}", text(&event["who"]["name"]), text(&event["move"]))),
        "hint" => Some(format!("{}: {}", event["turn"], text(&event["move"]))),
        "ended" | "refused" => Some(text(&event["words"])),
        "end" => event["words"].as_str().map(str::to_owned),
        _ => None,
    });
    let told: Vec<String> = told.collect();
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
async fn every_listed_move_is_legal_in_every_game() {
    let server = TestServer::start();
    for variant in [
        "java-tech:21",
        "nim:3-4-5",
        "even-or-odd",
        "tic-tac-toe",
        "connect-four",
        "pong-hau-ki",
        "mu-torere",
    ] {
        let (anna, ben) = two(&server, variant, &[]).await;
        let outcomes = tokio::join!(play_last_listed(anna), play_last_listed(ben));
        let fit = [("won", "lost"), ("lost", "won"), ("draw", "draw")];
        let fits = fit.into_iter().any(|(one, other)| outcomes.0 == one && outcomes.1 == other);
        assert!(fits, "{variant}: {outcomes:?}");
    }
}

#[tokio::test]
async fn a_draw_by_repetition_is_reported_as_one() {
    let moves = ["1 3", "4 1", "3 4", "1 3", "4 1", "3 4"].repeat(2);
    let lines: Vec<String> = moves.iter().map(|mv| format!(r#"{{"do":"play","move":"{mv}"}}"#)).collect();
    let run = Run::of(&["play", "pong-hau-ki", "--two", "--json"], lines.join("\n")).await;
    let ended: Vec<&Value> = run.all("ended").collect();
    assert!(
        ended.len() == 1 && ended[0]["winner"].is_null() && ended[0]["cause"] == "repetition",
        "{ended:?}"
    );
    assert_eq!(ended[0]["words"], "Draw: the position came up for the third time.");
    assert_eq!(run.all("your_turn").count(), 12, "no prompt follows the last move");
}

#[tokio::test]
async fn a_pile_of_a_quintillion_keeps_all_digits() {
    const PILE: &str = "1000000000000000000";
    let line = format!("{{\"do\":\"play\",\"move\":\"take {PILE}\"}}");
    let run = Run::of_play(&[&format!("nim:{PILE}")], line).await;
    assert_eq!(run.code, 0);
    let [prompt] = run.all("your_turn").collect::<Vec<_>>()[..] else { panic!("it is asked once") };
    assert!(prompt["move_count"] == PILE && prompt["moves"].as_array().unwrap().len() == 64, "{prompt}");
    let [moved] = run.all("moved").collect::<Vec<_>>()[..] else { panic!("it moves once") };
    assert!(moved["move"] == format!("take {PILE}") && moved["position"] == "0 second", "{moved}");
    assert_eq!(run.each("ended", "outcome"), ["won"]);
}

#[tokio::test]
async fn a_script_can_review_the_last_game_after_the_opponent_left() {
    let server = TestServer::start();
    let mut anna = Script::connect(&server, "anna", &["--new", "take:2:2", "--people-only"]);
    let mut ben = server.joined("ben", anna.code().await.parse().unwrap()).await;
    anna.until("your_turn").await;
    anna.say(r#"{"do":"play","move":"2"}"#).await;
    anna.until("ended").await;
    anna.say(r#"{"do":"again"}"#).await;
    ben.until_event(|event| matches!(event, nim::lobby::Event::AgainWanted { .. })).await;
    ben.leave().await;
    anna.until("left").await;
    anna.say(r#"{"do":"review","number":1}"#).await;
    assert_eq!(anna.until("reviewed").await["count"], 1);
}
