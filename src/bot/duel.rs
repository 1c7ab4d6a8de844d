//! Bots against each other, one game after the other. The analysis is the lobby, as on a server, so a third repetition is a
//! draw here too. It does not know how many games are played, or who counts.

use super::{Bot, Level, Stop};
use crate::game::any::{Position, Variant};
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{BotRule, Code, Conditions, Kind, Lobby, Moment, Name, Phase, Request, Who};
use crate::search::{Solution, WHOLE_GAME};

/// Where games of one variant are played.
#[derive(Debug)]
pub struct Ground {
    variant: Variant,
    /// What is certain of the whole game; where a search has found all of it, no bot has to search again.
    solution: Solution,
}

/// A game that is too long to be played out between bots: it cannot be searched to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the game is too large to be searched to its end, and bots would play it for ever: \\
     try a smaller one, such as java-tech:21 or nim:3-4-5"
)]
pub struct TooLarge;

impl Ground {
    /// Solves the variant as far as it can be, once for all games.
    pub fn new(variant: Variant, stop: &Stop) -> Result<Self, TooLarge> {
        let solution = Solution::of(&variant.start().position(), WHOLE_GAME, stop);
        match solution {
            // Two piles of 10^18 are lost one by one.
            Solution::Proved if !stop.is_raised() => Err(TooLarge),
            _ => Ok(Self { variant, solution }),
        }
    }

    /// How a game between bots of these levels ends, all chance coming from `luck`; `None` if it was stopped before.
    pub fn play(&self, levels: BySide<Level>, luck: &mut fastrand::Rng, stop: &Stop) -> Option<Outcome> {
        let mut bots = BySide::from_fn(|side| Bot::new(luck.u64(..), levels[side]));
        let mut lobby = self.seated()?;
        loop {
            if let Phase::Over { result, .. } = lobby.phase() {
                return Some(result.outcome);
            }
            let player = lobby.to_move()?.id;
            let position = lobby.board().position();
            let mv = self.choose(&mut bots[lobby.board().turn()], &position, stop)?;
            let play = Request::Play { turn: lobby.turn(), mv };
            ask(&mut lobby, Who::Player(player), play)?;
        }
    }

    fn choose(&self, bot: &mut Bot, position: &Position, stop: &Stop) -> Option<crate::game::any::Move> {
        match self.solution {
            Solution::Searched(_) => bot.choose_by(&self.solution, position, stop),
            _ => bot.choose(position, stop),
        }
    }

    /// A lobby with a bot in each seat, and whoever counts to watch them: without anybody they would rest.
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

/// Has the lobby grant a request. A bot's request is one that it grants; were it not, there would be no game.
fn ask(lobby: &mut Lobby, who: Who, request: Request) -> Option<()> {
    // Nobody waits for anybody here, so no time passes.
    let events = lobby.decide(who, request, Moment::START).ok()?;
    events.iter().try_for_each(|event| lobby.apply(event, Moment::START)).ok()
}
