//! Games of bots against each other, one after another. The lobby is the referee, as on a server, so the
//! third repetition of a position is a draw here too.

use super::{Bot, Level, Stop};
use crate::game::any::{Position, Variant};
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{BotRule, Code, Conditions, Kind, Lobby, LobbyRequest, Moment, Name, Phase, Request, Who};
use crate::search::{Solution, WHOLE_GAME};

/// Plays games of one variant.
#[derive(Debug)]
pub struct Arena {
    variant: Variant,
    /// What is certain of the whole game. If a search has found all of it, bots need not search again.
    solution: Solution,
}

/// The game is too long for bots: it cannot be searched to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the game is too large to search to its end, and bots would never finish it: \
     try a smaller one, such as java-tech:21 or nim:3-4-5"
)]
pub struct TooLarge;

impl Arena {
    /// Solves the variant as far as it can be, once for all games.
    pub fn new(variant: Variant, stop: &Stop) -> Result<Self, TooLarge> {
        let solution = Solution::of(&variant.start().position(), WHOLE_GAME, stop);
        match solution {
            // Two piles of 10^18 are lost one by one.
            Solution::Proved if !stop.is_raised() => Err(TooLarge),
            _ => Ok(Self { variant, solution }),
        }
    }

    /// The outcome of a game between bots of these levels, with `random` as the only source of randomness;
    /// `None` if it was stopped.
    pub fn play(&self, levels: BySide<Level>, random: &mut fastrand::Rng, stop: &Stop) -> Option<Outcome> {
        let mut bots = BySide::from_fn(|side| Bot::new(random.u64(..), levels[side]));
        let mut lobby = self.seated()?;
        loop {
            if let Phase::Over { result, .. } = lobby.phase() {
                return Some(result.outcome);
            }
            let player = lobby.to_move()?.id;
            let position = lobby.board().position();
            let mv = self.choose(&mut bots[lobby.board().turn()], &position, stop)?;
            let play = LobbyRequest::Play { turn: lobby.turn(), mv };
            ask(&mut lobby, Who::Player(player), play)?;
        }
    }

    fn choose(&self, bot: &mut Bot, position: &Position, stop: &Stop) -> Option<crate::game::any::Move> {
        match self.solution {
            Solution::Searched(_) => bot.choose_by(&self.solution, position, stop),
            _ => bot.choose(position, stop),
        }
    }

    /// A lobby with a bot in each seat, and a spectator, without whom bots pause.
    fn seated(&self) -> Option<Lobby> {
        let conditions = Conditions { bot: BotRule::Both, watchers: 1, ..Conditions::default() };
        let mut lobby = Lobby::new(Code::from_bits(0, 1), self.variant.clone(), conditions);
        ask(&mut lobby, Who::Newcomer, Request::Watch { name: Name::anyone() })?;
        for _ in Side::BOTH {
            ask(&mut lobby, Who::Newcomer, Request::Sit { name: Name::bot(), kind: Kind::Bot })?;
        }
        Some(lobby)
    }
}

/// Applies a request to the lobby; `None` if it refuses, which it does not do to a bot.
fn ask(lobby: &mut Lobby, who: Who, request: impl Into<Request>) -> Option<()> {
    // There are no clocks here, so no time passes.
    let events = lobby.decide(who, request, Moment::START).ok()?;
    events.iter().try_for_each(|event| lobby.apply(event, Moment::START)).ok()
}
