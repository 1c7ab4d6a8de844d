//! Games between two bots. They are played in a lobby, as on a server, so that the third repetition of a
//! position is a draw.

use super::{Bot, Level, Stop};
use crate::game::any::{Position, Variant};
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{BotRule, Code, Conditions, Kind, Lobby, LobbyRequest, Moment, Name, Phase, Request, Who};
use crate::search::{Solution, WHOLE_GAME};

/// Plays games of one variant between bots.
#[derive(Debug)]
pub struct Arena {
    variant: Variant,
    /// The solution of the whole game, shared by all games if a search has found it.
    solution: Solution,
}

/// The game cannot be searched to its end, so a game between bots might never end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the game is too large to search to its end, and bots would never finish it: \
     try a smaller one, such as java-tech:21 or nim:3-4-5"
)]
pub struct TooLarge;

impl Arena {
    /// Solves the variant once for all games, as far as possible.
    pub fn new(variant: Variant, stop: &Stop) -> Result<Self, TooLarge> {
        let solution = Solution::of(&variant.start().position(), WHOLE_GAME, stop);
        match solution {
            // A bot that loses takes one object at a time: two piles of 10^18 would never be empty.
            Solution::ClosedForm if !stop.is_raised() => Err(TooLarge),
            _ => Ok(Self { variant, solution }),
        }
    }

    /// Plays a game between bots of these levels. `random` is the only source of randomness. `None` if the
    /// game was stopped.
    pub fn play(&self, levels: BySide<Level>, random: &mut fastrand::Rng, stop: &Stop) -> Option<Outcome> {
        let mut bots = BySide::from_fn(|side| Bot::new(random.u64(..), levels[side]));
        let mut lobby = self.lobby()?;
        loop {
            if let Phase::Over { result, .. } = lobby.phase() {
                return Some(result.outcome);
            }
            let player = lobby.to_move()?.id;
            let position = lobby.board().position();
            let mv = self.choose(&mut bots[lobby.board().turn()], &position, stop)?;
            let play = LobbyRequest::Play { turn: lobby.turn(), mv };
            submit(&mut lobby, Who::Player(player), play)?;
        }
    }

    fn choose(&self, bot: &mut Bot, position: &Position, stop: &Stop) -> Option<crate::game::any::Move> {
        match self.solution {
            Solution::Searched(_) => bot.choose_by(&self.solution, position, stop),
            _ => bot.choose(position, stop),
        }
    }

    /// A lobby with a bot in each seat, and a spectator: without spectators, bots pause.
    fn lobby(&self) -> Option<Lobby> {
        let conditions = Conditions { bot: BotRule::Both, watchers: 1, ..Conditions::default() };
        let mut lobby = Lobby::new(Code::from_bits(0, 1), self.variant.clone(), conditions);
        submit(&mut lobby, Who::Newcomer, Request::Watch { name: Name::anyone() })?;
        for _ in Side::BOTH {
            submit(&mut lobby, Who::Newcomer, Request::Sit { name: Name::bot(), kind: Kind::Bot })?;
        }
        Some(lobby)
    }
}

/// Decides a request and applies its events. `None` if the lobby refuses it; it refuses no request of a bot.
fn submit(lobby: &mut Lobby, who: Who, request: impl Into<Request>) -> Option<()> {
    // The game has no clock, so no time passes.
    let decision = lobby.decide(who, request, Moment::START).ok()?;
    lobby.carry_out(&decision, Moment::START).ok()
}
