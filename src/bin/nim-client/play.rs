//! `nim-client play`: games at this keyboard, with the server inside this program.

use std::time::Duration;

use clap::Args;
use nim::cli::seed;
use nim::client::{Action, Failure, SavedSeat, SeatStore, Settings, Terms};
use nim::game::any::Variant;
use nim::lobby::{ClockRule, Hints, Level, Name, WhenAway};
use nim::server::{Config, duration};
use nim::wire::{AwayWish, BotWish, Starts};

use crate::conditions::OriginFlags;
use crate::face::{Face, FaceFlags, SessionStart};
use crate::flags::{self, PlayerName, StateFlag, name};
use crate::local_games::GameFolder;
use crate::local_server::{self, LocalServer};
use crate::play_web;

#[derive(Debug, Args)]
pub(crate) struct Play {
    /// The game, one of those listed below [default: java-tech:21]
    #[arg(value_name = "GAME", group = "wish", add = flags::games())]
    variant: Option<Variant>,

    #[command(flatten)]
    origin: OriginFlags,

    /// Play with a second person at this keyboard, without the bot
    #[arg(long)]
    two: bool,

    /// Play in a browser on this machine: open the page there, and serve it until Ctrl-C
    #[arg(long, conflicts_with_all = ["two", "watch", "from", "clock", "best_of", "name", "starts", "level", "json", "plain", "ascii", "no_animation", "no_bell", "no_title", "theme"])]
    web: bool,

    /// Watch two bots play
    #[arg(long, conflicts_with_all = ["two", "starts"])]
    watch: bool,

    /// How much time players have: none, 30s/move, 5m+3s (some more with every move) or 5m~3s (runs after a
    /// delay)
    #[arg(long, value_name = "CLOCK", default_value_t)]
    clock: ClockRule,

    /// Play a match of this many games; it ends once one player cannot be overtaken [default: no limit]
    #[arg(long, value_name = "GAMES", default_value_t = 0, hide_default_value = true)]
    best_of: u8,

    /// Your name [default: the setting name, or your login name]
    #[arg(long, value_name = "NAME", value_parser = PlayerName::read)]
    name: Option<PlayerName>,

    /// The name of the second person
    #[arg(long, value_name = "NAME", value_parser = name, default_value = "guest", requires = "two")]
    other: Name,

    /// Who makes the first move of the first game [default: the bot in java-tech:21, where the first player
    /// loses; otherwise it depends on the game, mostly you]
    #[arg(long, value_enum)]
    starts: Option<Starts>,

    /// How strong the bot plays [default: the setting level, or perfect]
    #[arg(long, value_name = "LEVEL", value_parser = flags::level(), conflicts_with = "two")]
    level: Option<Level>,

    /// The shortest time that a bot takes for a move, so that you can follow it
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "600ms")]
    bot_pace: Duration,

    /// The seed of all random choices, to repeat a game [default: a new one each time]
    #[arg(long, value_name = "NUMBER", value_parser = seed)]
    seed: Option<u64>,

    #[command(flatten)]
    state: StateFlag,

    #[command(flatten)]
    pub(crate) face: FaceFlags,
}

/// Plays a game at this keyboard. It is saved for a later run of the program, unless two bots play.
pub(crate) async fn play(flags: Play, settings: &Settings, face: &mut Face) -> Result<(), Failure> {
    let mut config = Config { bot_pace: flags.bot_pace, ..Config::default() };
    if let Some(seed) = flags.seed {
        config.seed = seed;
    }
    if flags.web {
        let (seats, game) = (flags.state.seats(), flags.variant.as_ref());
        return play_web::play(&config, seats.as_ref(), game).await;
    }
    let wish = flags.wish(settings)?;
    let called = flags.name.unwrap_or_else(|| PlayerName::default_for(settings));
    let seats = flags.state.seats().filter(|_| !flags.watch);
    let (folder, news) = new_folder(seats.as_ref());
    let server = LocalServer::open(&config, folder)?;
    play_at(server, face, &called, &wish, &news).await
}

/// A folder for the new game, or a message that there is none: the game is played without one.
fn new_folder(seats: Option<&SeatStore>) -> (Option<GameFolder>, Vec<String>) {
    match seats.map(GameFolder::new).transpose() {
        Ok(folder) => (folder, Vec::new()),
        Err(error) => (None, vec![format!("this game is not kept for another time: {error}")]),
    }
}

/// Resumes a game that was played at this keyboard.
pub(crate) async fn play_on(face: &mut Face, folder: GameFolder, seat: SavedSeat) -> Result<(), Failure> {
    // Another window may have opened it in the meantime.
    if folder.seats().is_held(&seat) {
        return Err(Failure::BeingPlayed(vec![seat.code]));
    }
    let code = seat.code;
    let server = LocalServer::go_on(&Config::default(), &folder, code)?;
    let called = PlayerName::from(seat.name.clone());
    let played = play_at(server, face, &called, &Action::Return(seat), &[]).await;
    played.map_err(|failure| local_server::resume_failure(&folder, code, failure))
}

/// Plays on the server inside this program until the person leaves; then stops the server.
async fn play_at(
    server: LocalServer,
    face: &mut Face,
    called: &PlayerName,
    action: &Action,
    news: &[String],
) -> Result<(), Failure> {
    let news = [news, server.news()].concat();
    let played = match server.session(called.name(), face.client_kind()).await {
        Ok(session) => {
            let start = SessionStart { called, preferences: Terms::default(), action, news: &news };
            Box::pin(face.run(session, start)).await
        }
        Err(failure) => Err(failure),
    };
    server.close().await;
    played
}

impl Play {
    fn wish(&self, settings: &Settings) -> Result<Action, Failure> {
        let variant = self.variant.clone().unwrap_or_default();
        // In java-tech:21 the first player loses: a beginner gets a chance.
        let usual = if variant == Variant::default() && !self.two && !self.origin.is_given() {
            Starts::Them
        } else {
            Starts::Variant
        };
        let starts = self.starts.unwrap_or(usual);
        let bot = match (self.two, self.watch) {
            (true, _) => BotWish::PeopleOnly,
            (_, true) => BotWish::Both,
            _ => BotWish::AtOnce,
        };
        let level = self.level.or_else(|| settings.level()).unwrap_or_default();
        let (hints, clock, best_of) = (Hints::All, self.clock, self.best_of);
        let usual = Terms::default();
        // Two players at one keyboard are never absent.
        let then = if self.two { WhenAway::Wait } else { usual.away.then };
        let away = AwayWish { then, ..usual.away };
        let terms = Terms { variant, starts, bot, hints, level, clock, best_of, away, ..usual };
        let terms = self.origin.terms(&terms)?.unwrap_or(terms);
        Ok(if self.two { Action::CreateForTwo(terms, self.other.clone()) } else { Action::Create(terms) })
    }
}
