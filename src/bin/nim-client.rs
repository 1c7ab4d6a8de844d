//! The player's program: flags, then a connection and a face.

#[path = "nim-client/called.rs"]
mod called;
#[path = "nim-client/entrance.rs"]
mod entrance;
#[path = "nim-client/face.rs"]
mod face;
#[path = "flags.rs"]
mod flags;
#[path = "nim-client/home.rs"]
mod home;
#[path = "nim-client/keyboard.rs"]
mod keyboard;
#[path = "nim-client/nearby.rs"]
mod nearby;
#[path = "nim-client/origin.rs"]
mod origin;
#[path = "nim-client/record.rs"]
mod record;
#[path = "nim-client/returning.rs"]
mod returning;
#[path = "nim-client/shelf.rs"]
mod shelf;
#[path = "nim-client/study.rs"]
mod study;
#[path = "nim-client/terms.rs"]
mod terms;

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;
use std::time::Duration;

use called::{Called, name};
use clap::{Args, Parser, Subcommand};
use face::{FaceFlags, Invitation, Stage, StyleFlags};
use home::{Home, KeptGame};
use keyboard::Keyboard;
use nearby::{HostsFlags, LookFlags};
use nim::client::failure::EXIT_CODES;
use nim::client::json;
use nim::client::wish::Terms;
use nim::client::words::help;
use nim::client::{Address, Failure, Hands, Model, Preferences, Seats, Visit, Way, Wish};
use nim::game::any::Variant;
use nim::lobby::{ClockRule, Code, Hints, Level, Name, WhenAway};
use nim::server::{Config, duration};
use nim::wire::{AwayWish, BotWish, Starts};
use origin::OriginFlags;
use returning::{Kept, ReturnFlags, StateFlag, Wanted};
use terms::{Starter, TermFlags};

/// Play Nim with people and bots on your network.
#[derive(Debug, Parser)]
#[command(name = "nim-client", version, after_help = below(), args_conflicts_with_subcommands = true)]
struct Cli {
    /// What to do; without one, the first screen asks
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    style: StyleFlags,

    #[command(flatten)]
    look: LookFlags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play on somebody's server
    #[command(after_help = below())]
    Connect(Box<Connect>),
    /// List the hosts on this network
    #[command(after_help = EXIT_CODES)]
    Hosts(HostsFlags),
    /// Go on where you were, after the program or the machine had stopped
    #[command(after_help = below())]
    Resume(Resume),
    /// Play here and now, against the bot or with a second person at this keyboard
    #[command(after_help = below())]
    Play(Play),
    /// Look into a game: its tree, its size, every move with its reason, the search step by step
    #[command(subcommand)]
    Study(study::Study),
    /// Records of games, on a server or in files: list them, export one, show it, go through it with what every move was
    /// worth, check whether it is right
    #[command(subcommand)]
    Record(record::Command),
}

#[derive(Debug, Args)]
struct Connect {
    /// The server's machine: HOST or HOST:PORT [default: the only host on this network; where there are several, you
    /// choose one]
    #[arg(value_name = "HOST[:PORT]")]
    address: Option<Address>,

    /// What to be called [default: your login name]
    #[arg(long, value_name = "NAME", value_parser = Called::read)]
    name: Option<Called>,

    /// Open a lobby for this game and wait there for somebody
    #[arg(long, value_name = "GAME", group = "wish")]
    new: Option<Variant>,

    /// Join the lobby with this code, such as brave-otter
    #[arg(long, value_name = "CODE", group = "wish")]
    join: Option<Code>,

    /// Watch in the lobby with this code
    #[arg(long, value_name = "CODE", group = "wish")]
    watch: Option<Code>,

    /// Join the first open lobby with this game, or open one
    #[arg(long, value_name = "GAME", group = "wish")]
    quick: Option<Variant>,

    #[command(flatten)]
    origin: OriginFlags,

    #[command(flatten)]
    face: FaceFlags,

    #[command(flatten)]
    returning: ReturnFlags,

    #[command(flatten)]
    look: LookFlags,

    // The last, since what follows it would stand under its heading in the help.
    #[command(flatten)]
    terms: TermFlags,
}

#[derive(Debug, Args)]
struct Resume {
    /// The code of the lobby, where you have several seats
    #[arg(value_name = "CODE")]
    code: Option<String>,

    /// Which seat, where you have several in one lobby: what you are called there
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    name: Option<Name>,

    /// Remove the seat from those that are kept, instead of going on there
    #[arg(long)]
    forget: bool,

    #[command(flatten)]
    face: FaceFlags,

    #[command(flatten)]
    returning: ReturnFlags,
}

#[derive(Debug, Args)]
struct Play {
    /// The game, as listed below [default: java-tech:21]
    #[arg(value_name = "GAME", group = "wish")]
    variant: Option<Variant>,

    #[command(flatten)]
    origin: OriginFlags,

    /// Two people at this keyboard, without the bot
    #[arg(long)]
    two: bool,

    /// Watch two bots play
    #[arg(long, conflicts_with_all = ["two", "starts"])]
    watch: bool,

    /// How much time players have: none, 30s/move, 5m+3s (some more with every move) or 5m~3s (runs after a delay)
    #[arg(long, value_name = "CLOCK", default_value_t)]
    clock: ClockRule,

    /// A match of so many games, which whoever cannot be caught up with wins [default: as many as you like]
    #[arg(long, value_name = "GAMES", default_value_t = 0, hide_default_value = true)]
    best_of: u8,

    /// What to be called [default: your login name]
    #[arg(long, value_name = "NAME", value_parser = Called::read)]
    name: Option<Called>,

    /// What the second person is called
    #[arg(long, value_name = "NAME", value_parser = name, default_value = "guest", requires = "two")]
    other: Name,

    /// Who makes the first move of the first game [default: the bot in java-tech:21, which is lost for whoever starts;
    /// else as the game says, mostly you]
    #[arg(long, value_enum)]
    starts: Option<Starter>,

    /// How strong the bot plays: beginner, easy, fair, strong or perfect
    #[arg(long, value_name = "LEVEL", default_value_t, conflicts_with = "two")]
    level: Level,

    /// How long a bot's move takes at least, so that you can follow it
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "600ms")]
    bot_pace: Duration,

    /// Where all chance comes from, to repeat a game [default: a new one each time]
    #[arg(long, value_name = "NUMBER", value_parser = flags::seed)]
    seed: Option<u64>,

    #[command(flatten)]
    state: StateFlag,

    #[command(flatten)]
    face: FaceFlags,
}

/// What stands below the help.
fn below() -> String {
    format!("{}\n\n{EXIT_CODES}", help::games())
}

fn main() -> ExitCode {
    let Cli { command, style, look } = Cli::parse();
    let mut stage = Stage::default();
    match command {
        None => run(false, entrance::run(style, look)),
        Some(Command::Connect(flags)) => run(flags.face.json, connect(*flags, &mut stage)),
        Some(Command::Hosts(flags)) => run(false, async { nearby::list(&flags).await }),
        Some(Command::Resume(flags)) => run(flags.face.json, resume(flags, &mut stage)),
        Some(Command::Play(flags)) => run(flags.face.json, play(flags, &mut stage)),
        Some(Command::Study(study)) => study::run(study),
        Some(Command::Record(record)) => record::run(record),
    }
}

/// Plays, and tells why it came to an end if that was no good one.
fn run(json: bool, game: impl Future<Output = Result<(), Failure>>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Start);
    let result = runtime.and_then(|runtime| runtime.block_on(game));
    if json {
        // Where the output takes no more, there is nobody to be told of it either.
        let _ = json::write_end(&mut stdout(), result.as_ref().err());
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A program behind a pipe that has seen enough is no failure to be told of.
            if !matches!(&failure, Failure::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe) {
                // That nobody may read this either does not change the exit code.
                let _ = writeln!(stderr(), "nim-client: {failure}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

async fn connect(flags: Connect, stage: &mut Stage) -> Result<(), Failure> {
    let preferences = flags.terms.preferences()?;
    let wish = flags.wish(&preferences)?;
    let called = flags.name.unwrap_or_else(Called::login);
    let address = match flags.address {
        Some(address) => address,
        None => nearby::the_one(&flags.look, flags.face.json).await?,
    };
    let way = flags.returning.way(&address, called.name());
    let invitation =
        Invitation { called: &called, server: Some(&address), preferences, wish: &wish, news: &[] };
    visit((flags.face, stage), way, flags.returning.seats(), invitation).await
}

/// Takes up a seat of an earlier run.
async fn resume(flags: Resume, stage: &mut Stage) -> Result<(), Failure> {
    let wanted = Wanted { code: flags.code.as_deref(), name: flags.name.as_ref() };
    let kept = returning::kept(&flags.returning, wanted)?;
    if flags.forget {
        return forget(flags.face, &flags.returning, &kept);
    }
    Box::pin(go_on(flags, kept, stage)).await
}

/// Goes on with this.
async fn go_on(flags: Resume, kept: Kept, stage: &mut Stage) -> Result<(), Failure> {
    let seat = match kept {
        Kept::There(seat) => seat,
        Kept::Here(game) => return play_on((flags.face, stage), game).await,
    };
    let way = flags.returning.way(&seat.server, &seat.name);
    let (called, address) = (seat.name.clone().into(), seat.server.clone());
    let invitation = Invitation {
        called: &called,
        server: Some(&address),
        preferences: Preferences::default(),
        wish: &Wish::Return(seat),
        news: &[],
    };
    visit((flags.face, stage), way, flags.returning.seats(), invitation).await
}

/// Removes a seat from those that are kept, and says so to whoever reads.
fn forget(face: FaceFlags, flags: &ReturnFlags, kept: &Kept) -> Result<(), Failure> {
    let told = returning::forget(flags, kept)?;
    if face.json { Ok(()) } else { writeln!(stdout(), "{told}").map_err(Failure::Output) }
}

/// Goes to a server and plays there, and comes back whenever the connection is lost.
async fn visit(
    (face, stage): (FaceFlags, &mut Stage),
    way: Way,
    seats: Option<Seats>,
    invitation: Invitation<'_>,
) -> Result<(), Failure> {
    let (connection, given) = way.go().await?;
    let visit = Visit::new(Hands::one(connection), Model::new(given)).coming_back(way, seats);
    face.run(visit, invitation, stage).await
}

/// A game at this keyboard, which is kept for another run of the program if it is played here.
async fn play(flags: Play, stage: &mut Stage) -> Result<(), Failure> {
    let mut config = Config { bot_pace: flags.bot_pace, ..Config::default() };
    if let Some(seed) = flags.seed {
        config.seed = seed;
    }
    let wish = flags.wish()?;
    let called = flags.name.unwrap_or_else(Called::login);
    let seats = flags.state.seats().filter(|_| !flags.watch);
    let (home, mut news) = home(seats.as_ref());
    let keyboard = Keyboard::open(&config, home.clone())?;
    news.extend_from_slice(keyboard.news());
    let (mine, given) = keyboard.join(called.name()).await?;
    let mut hands = Hands::one(mine);
    if flags.two {
        hands = hands.with(keyboard.join(&flags.other).await?.0);
    }
    let visit = at_keyboard(home.as_ref(), hands, given);
    let played = flags.face.run(visit, Invitation::here(&called, &wish).telling(&news), stage).await;
    keyboard.close().await;
    played
}

/// A place for a new game. Where there is none it is played all the same, and why there is none is to be told.
fn home(seats: Option<&Seats>) -> (Option<Home>, Vec<String>) {
    match seats.map(Home::new).transpose() {
        Ok(home) => (home, Vec::new()),
        Err(error) => (None, vec![format!("this game is not kept for another time: {error}")]),
    }
}

/// Goes on with a game that was played at this keyboard.
async fn play_on((face, stage): (FaceFlags, &mut Stage), game: KeptGame) -> Result<(), Failure> {
    let keyboard = Keyboard::go_on(&Config::default(), &game)?;
    let played = sit_down_again((face, stage), &keyboard, &game).await;
    keyboard.close().await;
    played.map_err(|failure| keyboard::why_not(&game, failure))
}

/// Has those who played it take up their seats.
async fn sit_down_again(
    (face, stage): (FaceFlags, &mut Stage),
    keyboard: &Keyboard,
    game: &KeptGame,
) -> Result<(), Failure> {
    let KeptGame { home, mine: seat, theirs, .. } = game.clone();
    let called = Called::from(seat.name.clone());
    let (mine, given) = keyboard.join(called.name()).await?;
    let mut hands = Hands::one(mine);
    if let Some(theirs) = theirs {
        hands = hands.with_returned(keyboard.join(&theirs.name).await?.0, theirs).await?;
    }
    let visit = at_keyboard(Some(&home), hands, given);
    let wish = Wish::Return(seat);
    face.run(visit, Invitation::here(&called, &wish).telling(keyboard.news()), stage).await
}

/// The visit of those who sit at this keyboard, the first of whom is called this there.
fn at_keyboard(home: Option<&Home>, hands: Hands, given: Name) -> Visit {
    let visit = Visit::new(hands, Model::new(given));
    match home {
        Some(home) => visit.keeping(&home.seats()),
        None => visit,
    }
}

impl Connect {
    fn wish(&self, preferences: &Preferences) -> Result<Wish, Failure> {
        if let Some(terms) = self.origin.terms(preferences)? {
            return Ok(Wish::New(terms));
        }
        let terms = |variant: &Variant| {
            let (variant, preferences) = (variant.clone(), preferences.clone());
            Terms { variant, origin: None, preferences }
        };
        let password = || preferences.password.clone();
        Ok(match (&self.new, self.join, self.watch, &self.quick) {
            (Some(variant), ..) => Wish::New(terms(variant)),
            (_, Some(code), ..) => Wish::Join(code, password()),
            (_, _, Some(code), _) => Wish::Watch(code, password()),
            (.., Some(variant)) => Wish::Quick(terms(variant)),
            _ => Wish::Hall,
        })
    }
}

impl Play {
    fn wish(&self) -> Result<Wish, Failure> {
        let variant = self.variant.clone().unwrap_or_default();
        // 21 is lost for whoever starts: a beginner is to have a chance.
        let usual = if variant == Variant::default() && !self.two && !self.origin.is_given() {
            Starts::Them
        } else {
            Starts::Variant
        };
        let starts = self.starts.map_or(usual, Starts::from);
        let bot = match (self.two, self.watch) {
            (true, _) => BotWish::PeopleOnly,
            (_, true) => BotWish::Both,
            _ => BotWish::AtOnce,
        };
        let (hints, level, clock, best_of) = (Hints::All, self.level, self.clock, self.best_of);
        let usual = Preferences::default();
        // Two at one keyboard are never away from each other.
        let then = if self.two { WhenAway::Wait } else { usual.away.then };
        let away = AwayWish { then, ..usual.away };
        let preferences = Preferences { starts, bot, hints, level, clock, best_of, away, ..usual };
        let from = self.origin.terms(&preferences)?;
        Ok(Wish::New(from.unwrap_or(Terms { variant, origin: None, preferences })))
    }
}
