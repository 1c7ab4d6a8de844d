//! The first inputs of each target, made of real values: messages and their golden bytes, games and positions, records and
//! scripts.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use nim::game::Game;
use nim::game::any::{Board, Variant};
use nim::lan::{Card, HostId, datagram};
use nim::lobby::{Code, Conditions, Hand, Kind, Lobby, Moment, Name, Offer, Request, Who};
use nim::record::{Record, Setting};
use nim::wire::{ToClient, encode};

/// The first inputs of this target.
pub(crate) fn of(target: &str) -> Vec<Vec<u8>> {
    match target {
        "to_server" => bodies("to_server.json").into_iter().chain(malformed()).collect(),
        "to_client" => bodies("to_client.json"),
        "frames" => streams(&[1, 3, 7, 255]),
        "session" => streams(&[1, 17, 255]),
        "told" => told(),
        "variant" => variants().into_iter().map(String::into_bytes).collect(),
        "position" => positions(),
        "record" => records(),
        "terms" => TERMS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        "script" => scripts(),
        "datagram" => datagrams(),
        // The bytes of these are choices.
        "company" | "lobby" | "journal" => chances(),
        _ => Vec::new(),
    }
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The bodies of the golden frames in this file.
fn bodies(file: &str) -> Vec<Vec<u8>> {
    let vectors: Vec<serde_json::Value> =
        serde_json::from_str(&read(&format!("proto/vectors/{file}"))).unwrap();
    vectors.iter().map(|vector| unhex(vector["hex"].as_str().unwrap())[4..].to_vec()).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// What other tests have that is no message.
fn malformed() -> Vec<Vec<u8>> {
    let bad: Vec<serde_json::Value> = serde_json::from_str(&read("proto/vectors/bad.json")).unwrap();
    bad.iter()
        .map(|bad| unhex(bad["hex"].as_str().unwrap()))
        .filter_map(|hex| Some(hex.get(4..)?.to_vec()))
        .collect()
}

fn in_frames(bodies: &[Vec<u8>]) -> Vec<u8> {
    let frame = |body: &Vec<u8>| [&u32::try_from(body.len()).unwrap().to_be_bytes(), &body[..]].concat();
    bodies.iter().flat_map(frame).collect()
}

/// What a client sends: a hello and one message after it, for each message, and all of them; in pieces of these sizes.
fn streams(sizes: &[u8]) -> Vec<Vec<u8>> {
    let said = bodies("to_server.json");
    let hello = said[..1].to_vec();
    let each = said.iter().map(|body| in_frames(&[hello.clone(), vec![body.clone()]].concat()));
    let pairs = said.windows(3).map(|three| in_frames(&[hello.clone(), three.to_vec()].concat()));
    let streams: Vec<Vec<u8>> = each.chain(pairs).chain([in_frames(&said)]).collect();
    let sizes = sizes.iter().cycle();
    streams.iter().zip(sizes).map(|(stream, size)| [&[*size], &stream[..]].concat()).collect()
}

/// The games of the README and of the tests, and some that are none.
fn variants() -> Vec<String> {
    let games = [
        "java-tech",
        "java-tech:21",
        "zero-sum:11",
        "one-two-ten",
        "take:21:3",
        "take:9:4:misere",
        "nim:3-4-5",
        "nim:1-3-5-7:max=3:misere",
        "nim:1000000000000000000-7:normal",
        "even-or-odd",
        "even-or-odd:15",
        "tic-tac-toe",
        "connect-four",
        "pong-hau-ki",
        "mu-torere",
        " Java-Tech:4 ",
        "take:0:1",
        "nim:",
        "chess",
        "nim:3-4-5:max=0",
        "",
    ];
    let forms = Variant::forms().map(|(form, _)| form.to_owned());
    games.iter().map(ToString::to_string).chain(forms).collect()
}

/// Each game from its start to its end, with the moves as they are typed.
fn positions() -> Vec<Vec<u8>> {
    let mut chance = Rng::with_seed(3);
    let variants = variants().into_iter().filter_map(|text| text.parse::<Variant>().ok());
    variants
        .flat_map(|variant| [game_text(&variant, &mut chance), game_text(&variant, &mut chance)])
        .collect()
}

fn game_text(variant: &Variant, chance: &mut Rng) -> Vec<u8> {
    let mut board = variant.start();
    let mut lines = vec![variant.text(), board.write_position()];
    while let Some(next) = some_move(&board, chance).filter(|_| lines.len() < 12) {
        lines.push(next.0);
        board = next.1;
    }
    lines.join("\n").into_bytes()
}

fn some_move(board: &Board, chance: &mut Rng) -> Option<(String, Board)> {
    let moves: Vec<_> = board.position().moves().take(8).collect();
    let mv = chance.choice(moves)?;
    Some((board.write_move(mv), board.play(mv).ok()?))
}

/// What happened in a lobby: two people play, and offer each other something.
fn story(variant: &str, seed: u64) -> (Setting, Vec<(Moment, nim::lobby::Event)>, Vec<ToClient>) {
    let (variant, code, conditions) =
        (variant.parse::<Variant>().unwrap(), "brave-otter".parse::<Code>().unwrap(), Conditions::default());
    let mut lobby = Lobby::new(code, variant.clone(), conditions);
    let setting = Setting { variant, conditions, code, opened: 1_795_268_209_000 };
    let (mut events, mut told) = (Vec::new(), Vec::new());
    let (mut chance, mut now) = (Rng::with_seed(seed), 0);
    let mut ask = |lobby: &mut Lobby, who, request, at| {
        for event in lobby.decide(who, request, at).unwrap_or_default() {
            lobby.apply(&event, at).unwrap();
            events.push((at, event.clone()));
            told.push(ToClient::Lobby { number: lobby.last_event(), at, event });
        }
    };
    let sit = |name| Request::Sit { name: Name::clean(name).unwrap(), kind: Kind::Person };
    ask(&mut lobby, Who::Newcomer, sit("anna"), Moment(0));
    ask(&mut lobby, Who::Newcomer, sit("李 Zoë"), Moment(500));
    while let Some(player) = lobby.to_move().map(|player| player.id) {
        now += chance.u64(400..9_000);
        let turn = lobby.turn();
        if chance.u8(..5) == 0 {
            let offer = chance.choice(Offer::ALL).unwrap();
            ask(&mut lobby, Who::Player(player), Request::Offer(offer), Moment(now));
            let other = lobby.seats()[!lobby.board().turn()].as_ref().unwrap().id;
            let accept = offer == Offer::Takeback;
            ask(&mut lobby, Who::Player(other), Request::Answer { turn, offer, accept }, Moment(now + 300));
            continue;
        }
        let moves: Vec<_> = lobby.board().position().moves().take(9).collect();
        let mv = chance.choice(moves).unwrap();
        assert_eq!(lobby.hand(lobby.board().turn()), Hand::Own);
        ask(&mut lobby, Who::Player(player), Request::Play { turn, mv }, Moment(now));
        if now > 200_000 {
            ask(&mut lobby, Who::Player(player), Request::Resign, Moment(now + 1));
        }
    }
    (setting, events, told)
}

fn records() -> Vec<Vec<u8>> {
    let games = [
        "java-tech:9",
        "nim:3-4-5",
        "tic-tac-toe",
        "even-or-odd:7",
        "pong-hau-ki",
        "connect-four",
        "mu-torere",
    ];
    let record = |(game, seed): (&str, u64)| {
        let (setting, events, _) = story(game, seed);
        let records = Record::games(&setting, events.iter().map(|(at, event)| (*at, event))).unwrap();
        records[0].to_string().into_bytes()
    };
    games.into_iter().zip(1..).map(record).collect()
}

/// What watchers receive: a lobby and its events, then any other message.
fn told() -> Vec<Vec<u8>> {
    let [short, long, round] = [("nim:1-2", 9), ("tic-tac-toe", 4), ("pong-hau-ki", 2)].map(a_game_told);
    let others = bodies("to_client.json").into_iter().filter(|body| body.len() < 400);
    let others = others.map(|body| [&short[..], &in_frames(&[body])].concat());
    [long, round].into_iter().chain(others.collect::<Vec<_>>()).collect()
}

fn a_game_told((variant, seed): (&str, u64)) -> Vec<u8> {
    let (setting, _, told) = story(variant, seed);
    let lobby = Lobby::new(setting.code, setting.variant, setting.conditions).snapshot();
    let begins = ToClient::Watching { lobby, now: Moment(0) };
    [begins].iter().chain(&told).flat_map(|message| encode(message).to_vec()).collect()
}

const TERMS: [&str; 32] = [
    "none",
    "30s/move",
    "5m+3s",
    "5m~3s",
    "1m30s+0s",
    "500ms/move",
    "0/move",
    "brave-otter",
    "brave-otter-200",
    "Brave Otter",
    "perfect",
    "beginner",
    "e55b3002",
    "2026-11-21 13:36:49 UTC",
    "0:04.250",
    "1:02:03.004",
    "99999:59:59.999",
    "17/2",
    "localhost:7646",
    "[::1]:7646",
    "192.168.1.7",
    "annas-laptop",
    "0.1.0",
    "20s",
    "1m 30s",
    "anna",
    "李 Zoë 🦦",
    "a\u{300}\u{301}",
    "ﬁ",
    "\u{202e}anna",
    "[bot]",
    "1970-01-01 00:00:00 UTC",
];

/// The examples of the page, a line each and all together.
fn scripts() -> Vec<Vec<u8>> {
    let page = read("proto/JSON.md");
    let lines: Vec<&str> = page.lines().map(str::trim).filter(|line| line.starts_with("{\"do\"")).collect();
    let more = [
        r#"{"do":"new","variant":"nim:3-4-5","starts":"me","bot":"people_only","hints":"all","level":"fair","when_away":"forfeit","away_after":1000,"clock":"5m+3s","best_of":3,"watched":true,"listed":false,"password":"x","origin":{"record":"e55b3002","moves":2,"position":"3-4-4 second"}}"#,
        r#"{"do":"play","move":"take 2 from b","turn":1}"#,
        r#"{"do":"answer","offer":"draw","turn":3,"accept":true}"#,
        r#"{"do":"mute","name":"anna","muted":false}"#,
        r#"{"do":"play"}"#,
        r#"{"do":"play","move":7}"#,
        r#"{"do":"fly"}"#,
        "[1]",
        r#"{"do":"look"} x"#,
    ];
    let all = lines.iter().copied().chain(more);
    all.map(|line| line.as_bytes().to_vec()).chain([lines.join("\n").into_bytes()]).collect()
}

fn chances() -> Vec<Vec<u8>> {
    let mut chance = Rng::with_seed(5);
    (0..40).map(|number| (0..8 + number * 12).map(|_| chance.u8(..)).collect()).collect()
}
