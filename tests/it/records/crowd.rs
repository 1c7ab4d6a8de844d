//! A crowd that plays, leaves, comes back and takes moves back: the record of every game is fetched, and
//! every one is right.

use nim::client::Connection;
use nim::client::records::{Found, fetch, list};
use nim::record::Record;
use nim::server::storage::{Archive, GameCursor, LobbyId, Storage};
use nim::server::{Config, Server};
use nim::wire::GamesWish;
use tokio::net::TcpStream;

use crate::storage::memory::Memory;
use crate::storage::random_play::RandomPlay;

#[tokio::test]
async fn the_record_of_every_game_of_a_crowd_is_right() {
    let mut memory = Memory::default();
    for seed in 71..75 {
        // Numbers of lobbies are not given twice.
        let mut play = RandomPlay::by_from(seed, 12, (seed - 71) * 1_000);
        memory.record(&play.batch(2_500)).unwrap();
    }
    let mut archive = memory.archive().unwrap();
    let config = Config { bind: ([127, 0, 0, 1], 0).into(), max_guesses: u32::MAX, ..Config::default() };
    // What is open has seats whose owners the play does not care for: that is set aside.
    let (server, _) = Server::bind_keeping(config, Box::new(memory)).unwrap();
    let address = server.address().unwrap();
    tokio::spawn(server.run(std::future::pending()));
    let stream = TcpStream::connect(address).await.unwrap();
    let place = nim::client::Address::from(address);
    let mut connection = Connection::open(Box::new(stream), &place, "reader").await.unwrap().0;

    let (found, _) = list(&mut connection, GamesWish::default(), 10_000).await.unwrap();
    assert!(found.len() > 100, "{} games", found.len());
    let (mut taken_back, mut results) = (0, std::collections::BTreeSet::new());
    for game in &found {
        let record = fetch(&mut connection, game.name.parse().unwrap(), &[]).await.unwrap();
        let text = record.to_string();
        assert_eq!(Record::read(text.as_bytes()).as_ref(), Ok(&record), "{text}");
        assert_eq!(
            (record.result(), record.code(), record.players()),
            (game.result, game.code, &game.players)
        );
        assert_eq!(record.variant().text(), game.variant);
        taken_back += usize::from(text.contains("taken back"));
        results.insert(record.verdict().split(": ").nth(1).unwrap_or_default().to_owned());
    }
    assert!(taken_back > 1 && results.len() > 5, "{taken_back} {results:?}");
    locked_ones_are_there_for_their_players_alone(&mut *archive, &found);
}

fn locked_ones_are_there_for_their_players_alone(archive: &mut dyn Archive, found: &[Found]) {
    let all = archive.games(GameCursor::END, None, 10_000).unwrap().games;
    let hidden = all
        .iter()
        .filter(|game| !found.iter().any(|known| known.name == format!("{}/{}", game.lobby.0, game.game)));
    let hidden: Vec<LobbyId> = hidden.map(|game| game.lobby).collect();
    assert!(
        !hidden.is_empty() && all.iter().all(|game| game.conditions.locked == hidden.contains(&game.lobby))
    );
}
