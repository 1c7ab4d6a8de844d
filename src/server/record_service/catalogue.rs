//! Who may see which games, and the pages of the list of games.

use std::ops::ControlFlow;

use super::record_text::unreadable;
use crate::lobby::{Code, Conditions, List, Name, PlayedBy, Text};
use crate::server::storage::{Archive, GameCursor, LobbyId, LobbyMeta, OwnSeats, PastGame, WallTime};
use crate::wire::limits::{MAX_GAMES, MAX_NAME_BYTES};
use crate::wire::{GameName, GamesWish, HallRefusal, PlayedGame, ToClient};

/// The most games that are examined for one page, which takes some hundredths of a second. A page may be
/// empty; it says where the next one begins.
const MAX_LOOKED_AT: usize = 2_000;

/// The longest time, in milliseconds, by which a host's clock is assumed to have been set back: one day.
/// The search for games since a time ends at a game that began more than this before it.
const SET_BACK: u64 = 24 * 60 * 60 * 1_000;

/// A page of the list for a client with these seats.
pub(super) fn page(
    archive: &mut dyn Archive,
    wish: &GamesWish,
    mine: &OwnSeats,
) -> Result<ToClient, HallRefusal> {
    let Some(search) = CatalogueQuery::of(wish, mine) else {
        return Ok(ToClient::Games { games: List::default(), rest: None });
    };
    let (mut games, before) = (Vec::new(), wish.before.map_or(GameCursor::END, GameCursor));
    let take = &mut |game: PastGame| search.take(&game, &mut games);
    let rest = archive.games(before, wish.mine.then_some(mine), MAX_LOOKED_AT, take);
    let rest = rest.map_err(|error| unreadable(&error))?;
    Ok(ToClient::Games { games: List::first_of(games), rest: rest.map(|place| place.0) })
}

/// When and how a game's lobby was opened, if a client with these seats may read its record.
pub(super) fn check(
    archive: &mut dyn Archive,
    name: GameName,
    mine: &OwnSeats,
) -> Result<(WallTime, LobbyMeta), HallRefusal> {
    let lobby = LobbyId(name.lobby);
    let opened = archive.lobby_meta(lobby).map_err(|error| unreadable(&error))?;
    let opened = opened.ok_or(HallRefusal::NoSuchRecord)?;
    if !is_public(&opened.1.conditions) {
        let here: OwnSeats = mine.iter().copied().filter(|(of, _)| *of == lobby).collect();
        let mut is_mine = false;
        let look = &mut |game: PastGame| {
            is_mine |= game.game == name.game;
            if is_mine { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
        };
        let looked = archive.games(GameCursor::END, Some(&here), usize::MAX, look);
        looked.map_err(|error| unreadable(&error))?;
        if !is_mine {
            return Err(HallRefusal::NoSuchRecord);
        }
    }
    Ok(opened)
}

/// Whether anybody could watch the game.
fn is_public(conditions: &Conditions) -> bool {
    conditions.listed && !conditions.locked && conditions.watchers > 0
}

/// The games that are searched for.
struct CatalogueQuery<'a> {
    mine: &'a OwnSeats,
    /// A name, folded.
    with: Option<String>,
    game: Option<&'a str>,
    code: Option<Code>,
    since: WallTime,
}

impl<'a> CatalogueQuery<'a> {
    /// `None` if no game can match.
    fn of(wish: &'a GamesWish, mine: &'a OwnSeats) -> Option<Self> {
        let name = |text: &Text<MAX_NAME_BYTES>| Name::clean(text.as_str()).map(|name| name.folded());
        let code = |text: &Text<{ Code::MAX_TEXT }>| text.as_str().parse();
        Some(Self {
            mine,
            with: wish.with.as_ref().map(name).transpose().ok()?,
            game: wish.game.as_ref().map(Text::as_str),
            code: wish.code.as_ref().map(code).transpose().ok()?,
            since: WallTime(wish.since),
        })
    }

    /// Takes a game if it matches, until the page is full.
    fn take(&self, game: &PastGame, games: &mut Vec<PlayedGame>) -> ControlFlow<Option<GameCursor>> {
        if games.len() == MAX_GAMES {
            // This game is the next page's first.
            return ControlFlow::Break(Some(GameCursor(game.place.0.saturating_add(1))));
        }
        if game.started.0.saturating_add(SET_BACK) < self.since.0 {
            return ControlFlow::Break(None);
        }
        if self.is_wanted(game) {
            games.push(self.listed(game));
        }
        ControlFlow::Continue(())
    }

    fn is_wanted(&self, game: &PastGame) -> bool {
        let played = |name: &String| game.players.iter().any(|(_, player)| player.name.folded() == *name);
        let is_of = |wanted: &str| game.variant == wanted || game.variant.split(':').next() == Some(wanted);
        (is_public(&game.conditions) || game.is_from(self.mine))
            && game.started >= self.since
            && self.with.as_ref().is_none_or(played)
            && self.game.is_none_or(is_of)
            && self.code.is_none_or(|code| code == game.code)
    }

    fn listed(&self, game: &PastGame) -> PlayedGame {
        PlayedGame {
            name: GameName { lobby: game.lobby.0, game: game.game },
            code: game.code,
            variant: Text::cut(&game.variant),
            players: game.players.map(|player| PlayedBy::from(player)),
            level: game.conditions.level,
            started: game.started.0,
            result: game.result,
            mine: game.is_from(self.mine),
        }
    }
}
