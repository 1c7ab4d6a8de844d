//! Many matches at once, a thousand in a campaign. All begin before the first move of any, and each is
//! checked against the tests' own rules.

use std::collections::HashMap;
use std::sync::Arc;

use fastrand::Rng;
use nim::game::any::Move;
use nim::lobby::{Code, GameResult};
use nim::wire::{BotWish, NewLobby, Starts};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::harness::{Heaps, TestClient, TestServer, VARIANTS, campaign, terms, tools, within};

/// The number of matches in a campaign, if the system allows it.
const MATCHES: u64 = 1_000;
/// The number otherwise.
const FEW: u64 = 200;
/// The bot plays in every match whose number is a multiple of this.
const BOT_EVERY: usize = 10;
/// The descriptors of a match: both ends of two connections, and half as many in reserve for the tests in
/// parallel.
const DESCRIPTORS: u64 = 4 + 2;

/// What one player saw of a match.
#[derive(Debug)]
struct Account {
    code: Code,
    moves: Vec<Move>,
    result: GameResult,
}

/// The number of matches, limited by the descriptors; a lower number is printed.
fn affordable() -> usize {
    let wanted = campaign::count("NIM_MATCHES", FEW, MATCHES);
    let allowed = rlimit::increase_nofile_limit(wanted * DESCRIPTORS).unwrap_or(u64::MAX);
    let matches = wanted.min(allowed / DESCRIPTORS);
    if matches < wanted {
        tools::say(&format!("only {matches} matches: this system allows {allowed} open files"));
    }
    usize::try_from(matches).unwrap()
}

/// Whether the bot plays this match.
fn has_bot(number: usize) -> bool {
    number.is_multiple_of(BOT_EVERY)
}

/// Plays random moves to the end and returns what happened.
async fn play(mut player: TestClient, seed: u64, all: Arc<Barrier>) -> Account {
    player.until_playing().await;
    within("everybody to sit", all.wait()).await;
    let mut chance = Rng::with_seed(seed);
    let result = player.play_to_the_end(|heaps: &Heaps| chance.choice(heaps.moves()).unwrap()).await;
    let moves = player.lobby().past().map(|past| past.mv).collect();
    Account { code: player.lobby().code(), moves, result }
}

/// Seats the players of match `number`, and lets them play once all others sit too. They meet by quick
/// match, or by the lobby's code.
async fn seat(server: &TestServer, number: usize, all: &Arc<Barrier>, playing: &mut JoinSet<Account>) {
    let variant = VARIANTS[number % VARIANTS.len()].0;
    let mut one = server.client(&format!("anna {number}")).await;
    if has_bot(number) {
        // The person starts, so that the bot waits for all others too.
        one.create_on(NewLobby { bot: BotWish::AtOnce, starts: Starts::Me, ..terms(variant) }).await;
    } else {
        let mut other = server.client(&format!("ben {number}")).await;
        if number.is_multiple_of(2) {
            one.quick(variant).await;
            other.quick(variant).await;
        } else {
            other.join(one.create(variant).await).await;
        }
        playing.spawn(play(other, 2 * number as u64, Arc::clone(all)));
    }
    playing.spawn(play(one, 2 * number as u64 + 1, Arc::clone(all)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_matches_at_once_all_end_as_the_rules_say() {
    let matches = affordable();
    let server = TestServer::with(|config| {
        (config.max_connections, config.max_connections_each) = (2 * matches, 2 * matches);
        config.max_hellos_each = u32::MAX;
    });
    let bots = (0..matches).filter(|&number| has_bot(number)).count();
    let all = Arc::new(Barrier::new(2 * matches - bots));
    let mut playing = JoinSet::new();
    for number in 0..matches {
        seat(&server, number, &all, &mut playing).await;
    }
    let accounts = within("all matches to end", playing.join_all()).await;

    let mut by_code: HashMap<Code, Vec<Account>> = HashMap::new();
    for account in accounts {
        by_code.entry(account.code).or_default().push(account);
    }
    assert_eq!(by_code.len(), matches, "every match had a lobby of its own");
    let alone = by_code.values().filter(|accounts| accounts.len() == 1).count();
    assert_eq!(alone, bots);
    for accounts in by_code.values() {
        let (first, last) = (&accounts[0], &accounts[accounts.len() - 1]);
        assert_eq!((&first.moves, first.result), (&last.moves, last.result), "both saw the same");
    }
    server.still_serves().await;
}
