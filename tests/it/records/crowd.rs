//! Many players who play, leave, return and take moves back: the record of every game is fetched and
//! checked.

use nim::client::records::{GameSummary, fetch, list};
use nim::record::Record;
use nim::server::storage::{LobbyId, PastGame, Storage};
use nim::wire::GamesWish;

use super::reader;
use crate::harness::TestServer;
use crate::storage::memory::Memory;
use crate::storage::random_play::RandomPlay;

#[tokio::test]
async fn the_record_of_every_game_of_a_crowd_is_right() {
    let mut memory = Memory::default();
    for seed in 71..75 {
        // Lobby numbers are never reused.
        let mut play = RandomPlay::by_from(seed, 12, (seed - 71) * 1_000);
        memory.record(&play.batch(2_500)).unwrap();
    }
    // Before the server begins: its bots may play on, and begin games that the list cannot know.
    let kept = crate::storage::archive::all(&mut *memory.archive().unwrap(), None, 10_000);
    let (server, _) = TestServer::keeping_what_it_can(memory, |_| {});
    let mut connection = reader(&server).await;
    let (found, _) = list(&mut connection, GamesWish::default(), 10_000).await.unwrap();
    assert!(found.len() > 100, "{} games", found.len());
    let (mut all, mut results) = (String::new(), std::collections::BTreeSet::new());
    for game in &found {
        let record = fetch(&mut connection, game.name.parse().unwrap(), &[]).await.unwrap();
        let text = record.to_string();
        assert_eq!(Record::read(text.as_bytes()).as_ref(), Ok(&record), "{text}");
        // An open game may have ended since it was listed.
        let result = game.result.or(record.result());
        let (told, listed) = ((record.result(), record.code(), record.players()), &game.players);
        assert_eq!(told, (result, game.code, listed));
        assert_eq!((record.variant().text(), record.conditions().best_of), (game.variant.clone(), 3));
        assert!(game.name.ends_with(&format!("/{}", record.game())), "{}", game.name);
        results.insert(record.verdict().split(": ").nth(1).unwrap_or_default().to_owned());
        all += &text;
    }
    for words in ["taken back", "1. First [stand-in, ", "2. Second [bot, ", ", game 2\n"] {
        assert!(all.contains(words), "no record has {words:?}");
    }
    assert!(results.len() > 5, "{results:?}");
    locked_ones_are_there_for_their_players_alone(&kept, &found);
}

fn locked_ones_are_there_for_their_players_alone(kept: &[PastGame], found: &[GameSummary]) {
    let hidden = kept
        .iter()
        .filter(|game| !found.iter().any(|known| known.name == format!("{}/{}", game.lobby.0, game.game)));
    let hidden: Vec<LobbyId> = hidden.map(|game| game.lobby).collect();
    assert!(
        !hidden.is_empty() && kept.iter().all(|game| game.conditions.locked == hidden.contains(&game.lobby))
    );
}
