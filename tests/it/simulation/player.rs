//! Somebody who plays on over a bad network: the client's own code, and a person who makes the first legal move.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nim::client::visit::News;
use nim::client::wish::Terms;
use nim::client::{Address, Failure, Hands, Model, Preferences, Question, Seats, Visit, Way, Wish};
use nim::game::Game;
use nim::game::any::Move;
use nim::lobby::{Code, Event, GameResult, Hand, Lobby, Name, PlayerId, WhenAway};
use nim::wire::{AwayWish, BotWish, LobbyRequest};

use super::network::{PORT, Wireless};

/// How many games they play.
pub(super) const GAMES: u32 = 3;

/// Pauses before the program is started once more.
const START_AGAIN: Duration = Duration::from_secs(1);

/// What somebody has done and seen, which outlives their program.
#[derive(Debug, Default)]
pub(super) struct Diary {
    pub(super) code: Option<Code>,
    pub(super) you: Option<PlayerId>,
    /// The turns for which they have asked for a move.
    pub(super) asked: BTreeSet<u32>,
    /// The moves that they were told of, by turn: whose, which, and by which hand.
    pub(super) told: BTreeMap<u32, (PlayerId, Move, Hand)>,
    /// The results that they were told of, by game.
    pub(super) results: BTreeMap<u32, GameResult>,
    /// The lobby as they know it.
    pub(super) lobby: Option<Lobby>,
    /// They have been told what cannot be, or were shut out.
    pub(super) complaint: Option<String>,
}

/// Somebody's diary, which others may read.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Diary>>);

impl Shared {
    pub(super) fn open(&self) -> MutexGuard<'_, Diary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A person, and what they need for another start of the program.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) name: &'static str,
    pub(super) diary: Shared,
    /// Whose lobby they join; nobody's if they open one.
    pub(super) host: Option<Shared>,
    pub(super) seats: Seats,
    pub(super) then: WhenAway,
}

impl Person {
    /// Runs the program again and again, as somebody does who wants to play.
    pub(super) async fn live(self) {
        loop {
            if let Err(failure) = self.play().await
                && is_a_lie(&failure)
            {
                self.diary.open().complaint = Some(failure.to_string());
                return;
            }
            tokio::time::sleep(START_AGAIN).await;
        }
    }

    fn wish(&self) -> Option<Wish> {
        if let Some(seat) = self.seats.all().unwrap().into_iter().next() {
            return Some(Wish::Return(seat));
        }
        match &self.host {
            Some(host) => Some(Wish::Join(host.open().code?, None)),
            None => Some(Wish::New(Terms {
                variant: "take:15:3".parse().unwrap(),
                preferences: Preferences {
                    bot: BotWish::PeopleOnly,
                    away: AwayWish { then: self.then, after: 3_000 },
                    ..Preferences::default()
                },
            })),
        }
    }

    async fn play(&self) -> Result<(), Failure> {
        let Some(wish) = self.wish() else { return Ok(()) };
        let address = Address { host: "server".into(), port: Some(PORT) };
        let name = Name::clean(self.name).unwrap();
        let (patience, network) = (Duration::from_mins(5), Arc::new(Wireless));
        let way = Way { address, default_port: PORT, name, patience, network };
        let (connection, given) = way.go().await?;
        let mut visit =
            Visit::new(Hands::one(connection), Model::new(given)).coming_back(way, Some(self.seats.clone()));
        visit.wish(&wish).await?;
        loop {
            let heard = visit.next().await?;
            let news = visit.take_in(heard).await?;
            if visit.is_arriving() && matches!(news, News::Refused { .. }) {
                return Ok(());
            }
            self.note(&visit, &news);
            self.act(&mut visit).await?;
        }
    }

    fn note(&self, visit: &Visit, news: &News) {
        let mut diary = self.diary.open();
        let Some(mine) = visit.model().lobby() else { return };
        (diary.code, diary.you) = (Some(mine.lobby.code()), mine.you());
        diary.lobby = Some(mine.lobby.clone());
        if let News::Happened { event, .. } = news {
            match event {
                Event::Moved { turn, player, mv, hand } => {
                    let before = diary.told.insert(*turn, (*player, *mv, *hand));
                    assert!(before.is_none(), "{} is told of turn {turn} twice", self.name);
                }
                Event::Ended { result } => {
                    let game = mine.lobby.games();
                    diary.results.insert(game, *result);
                }
                _ => {}
            }
        }
    }

    async fn act(&self, visit: &mut Visit) -> Result<(), Failure> {
        let Some(lobby) = visit.lobby() else { return Ok(()) };
        let (turn, games) = (lobby.turn(), lobby.games());
        match visit.question() {
            Some(Question::Move) => {
                // The rules have a move as long as the game goes on.
                let mv = lobby.board().position().moves().next().unwrap();
                self.diary.open().asked.insert(turn);
                visit.ask(LobbyRequest::Play { turn, mv }).await?;
            }
            Some(Question::Again) if games < GAMES => {
                visit.ask(LobbyRequest::Again).await?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether this is nothing that a bad network alone can bring about.
fn is_a_lie(failure: &Failure) -> bool {
    matches!(failure, Failure::Nonsense(_) | Failure::SeatLost(_) | Failure::Unwelcome(_))
}
