//! What can be typed at the line face: in the hall, and in a lobby by what it is doing.

use crate::client::model::MyLobby;
use crate::client::session::Afterwards;
use crate::game::Side;
use crate::game::any::Variant;
use crate::game::names::{origin, other_names};
use crate::lobby::{Cover, Hints, Lobby, Phase, WhenAway};

const RULES: &str = "  rules     how this game is played";
const TERMS: &str = "  terms     what was agreed in this lobby";
const BOARD: &str = "  board     show the board again";
const WAIT: &str = "  wait      wait for your opponent, whatever was agreed; wait no more ends that";
const WAIT_NO_MORE: &str = "  wait no more  let what was agreed apply again";
const CLAIM: &str = "  claim     take the game, once your opponent has been away for too long";
const AGAIN: &str = "  again     play another game, with the sides swapped";
const REVIEW: &str = "  review    what the moves were worth, one by one; review 5 begins at the fifth";
const KICK: &str =
    "  kick NAME remove a watcher for good, if you opened this lobby; kick alone shows who watches";
const DRAW: &str = "  draw      offer a draw; yes and no answer an offer";
const DRAW_WITH_BOT: &str = "  draw      offer a draw; a bot accepts where it cannot win";
const KEPT: &str = "            the game is kept for nim-client resume, unless you give it up";
const QUIT: &str = "  quit      leave, and end the program";

/// What can be typed in this lobby now.
pub fn in_lobby(mine: &MyLobby, afterwards: Afterwards) -> Vec<String> {
    let lobby = &mine.lobby;
    let mut lines: Vec<String> = match lobby.phase() {
        Phase::Waiting => vec![
            "The game starts when somebody sits down. Until then, type:".into(),
            RULES.into(),
            TERMS.into(),
        ]
        .into_iter()
        .chain(lobby.has_last_game().then(|| REVIEW.into()))
        .collect(),
        Phase::Playing => during_a_game(lobby),
        Phase::Over { .. } | Phase::Closed => {
            vec!["The game is over. Type:".into(), AGAIN.into(), REVIEW.into(), RULES.into(), BOARD.into()]
        }
    };
    lines.extend(mine.may_kick().then(|| KICK.into()));
    if afterwards == Afterwards::Hall {
        lines.push("  leave     go back to the hall".into());
    }
    lines.push(QUIT.into());
    if lobby.phase() == Phase::Playing {
        lines.push(KEPT.into());
    }
    lines
}

fn during_a_game(lobby: &Lobby) -> Vec<String> {
    let hints = match lobby.conditions().hints {
        _ if lobby.is_paused() => "  hint      not while the game is paused",
        Hints::Nobody => "  hint      not allowed in this game",
        Hints::AgainstBots => "  hint      the best move and why, against a bot",
        Hints::All => "  hint      the best move and why",
        Hints::Watchers => "  hint      only for watchers",
    };
    let has_bot = Side::BOTH.into_iter().any(|side| lobby.is_bot(side));
    let mut lines = vec![
        format!("Type a move: {}. Or:", lobby.board().prompt()),
        hints.into(),
        RULES.into(),
        BOARD.into(),
        "  resign    give this game up; give up does the same".into(),
        if has_bot { DRAW_WITH_BOT } else { DRAW }.into(),
        "  takeback  ask to take your last move back".into(),
        "  pause     ask to pause the game; resume goes on".into(),
        "  say WORDS say something to your opponent; mute NAME hides what somebody says".into(),
        "  why       what the game waits for".into(),
        TERMS.into(),
    ];
    lines.extend(in_an_absence(lobby));
    lines
}

/// What a watcher can type.
pub fn while_watching(mine: &MyLobby) -> Vec<String> {
    let lobby = &mine.lobby;
    let mut lines = vec!["You watch. Type:".to_owned(), RULES.into(), BOARD.into()];
    match lobby.phase() {
        Phase::Playing
            if !lobby.is_paused() && matches!(lobby.conditions().hints, Hints::All | Hints::Watchers) =>
        {
            lines.push("  hint      the best move and why".into());
        }
        Phase::Over { .. } => lines.push(REVIEW.into()),
        _ => {}
    }
    if lobby.is_exhibition() {
        lines.push("  again     have the bots play again, once the game is over".into());
    }
    lines.extend([
        "  why       what the game waits for".into(),
        TERMS.into(),
        "  say WORDS say something to the other watchers; mute NAME hides what somebody says".into(),
    ]);
    lines.extend(mine.may_kick().then(|| KICK.into()));
    lines.extend(["  leave     go back to the hall".into(), QUIT.into()]);
    lines
}

/// What can be typed besides while somebody is away.
fn in_an_absence(lobby: &Lobby) -> Vec<String> {
    let waited_for = |side| lobby.cover(side) == Some(Cover::Waited);
    let claims = lobby.conditions().away.then == WhenAway::Forfeit;
    let lines: &[&str] = match lobby.absence_deadline() {
        None if !Side::BOTH.into_iter().any(waited_for) => &[],
        None if claims => &[WAIT_NO_MORE, CLAIM],
        None => &[WAIT_NO_MORE],
        Some(_) if claims => &[WAIT, CLAIM],
        Some(_) => &[WAIT],
    };
    lines.iter().map(|&line| line.to_owned()).collect()
}

/// What can be typed in the hall.
pub fn in_hall() -> Vec<String> {
    let mut lines = vec![
        "Type one of these:".to_owned(),
        "  CODE              join the lobby with this code, such as brave-otter".into(),
        "  quick GAME        join somebody who waits for this game, or wait for somebody".into(),
        "  new GAME          open a lobby; new GAME bot has the bot sit down at once, new GAME bot easy an easy one"
            .into(),
        "  watch CODE        watch the game there".into(),
        "  list              the lobbies there are".into(),
        "  quit              leave".into(),
    ];
    lines.extend(games().lines().map(str::to_owned));
    lines
}

/// Every form in which a game can be typed, for the help text.
pub fn games() -> String {
    let forms = Variant::forms().map(|(form, words)| {
        let own = form.split(['[', ':']).next().unwrap_or(form);
        let others: Vec<&str> = other_names(own).collect();
        let others = if others.is_empty() { String::new() } else { format!("; also {}", others.join(", ")) };
        let origin = origin(own).map_or_else(String::new, |origin| format!("\n      {origin}"));
        format!("\n  {form}\n      {words}{others}{origin}")
    });
    format!("The games (GAME):{}", forms.collect::<String>())
}
