//! What somebody can do on the screen, each with its key. It is the one list for the keyboard, for the keys that are shown
//! and clicked, and for the help.

use crossterm::event::KeyCode;

use super::draw::learn::is_cut;
use super::form::Form;
use super::hall;
use super::learn::Learn;
use super::state::{Over, State};
use super::view::View;
use crate::client::Question;
use crate::client::model::MyLobby;
use crate::client::session::Afterwards;
use crate::game::Side;
use crate::game::any::Move;
use crate::lobby::{Cover, Hints, Kind, Lobby, Offer, Phase, Refusal, Who};
use crate::wire::LobbyState;

/// Something that can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Make the chosen move.
    Make,
    /// Ask for a good move.
    Hint,
    /// Offer something.
    Offer(Offer),
    /// Accept what is offered, or decline it.
    Answer(bool),
    /// Give the game up.
    Resign,
    /// Go on with a game that rests.
    Resume,
    /// Play another game.
    Again,
    /// See what every move is worth, and the tree below.
    Learn,
    /// The same for the moves of a game that is over, one by one.
    Review,
    /// Open or close a line of the tree.
    Unfold,
    /// Open one level more.
    Deepen,
    /// Read all that is to be said of a line of the tree.
    Reason,
    /// The position before this one in the game.
    Earlier,
    /// The one behind it.
    Later,
    /// Wait for somebody who is away.
    Wait,
    /// Wait no more.
    WaitNoMore,
    /// Take the game of somebody who is away for too long.
    Claim,
    /// Say something.
    Talk,
    /// See the rules and what was agreed.
    Terms,
    /// See what can be done.
    Help,
    /// The same where a line is typed, in which its usual sign may stand.
    HelpInText,
    /// Go back to the hall.
    Leave,
    /// End the program.
    Quit,
    /// Do what was asked about.
    Yes,
    /// Do it not, or close what lies over the screen.
    Close,
    /// Sit down in the chosen lobby.
    Join,
    /// Watch there.
    Watch,
    /// Open a lobby.
    New,
    /// Join whoever waits for a game.
    Quick,
    /// Show only some of the lobbies.
    Filter,
    /// Look at the games that were played here.
    Records,
    /// Do what the form says.
    Open,
    /// See what else there is to choose from, in a form.
    Turn,
    /// The line that is being typed is whole.
    Enter,
    /// Type no line after all.
    Drop,
}

impl Deed {
    /// Its key.
    pub fn key(self) -> KeyCode {
        KeyCode::Char(match self {
            Self::Turn => return KeyCode::Right,
            Self::Make | Self::Join | Self::Open | Self::Unfold | Self::Enter => return KeyCode::Enter,
            Self::Close | Self::Drop => return KeyCode::Esc,
            Self::HelpInText => return KeyCode::F(1),
            Self::Hint => 'h',
            Self::Offer(Offer::Draw) => 'd',
            Self::Offer(Offer::Takeback) => 'u',
            Self::Offer(Offer::Pause) | Self::Resume => 'p',
            Self::Answer(true) | Self::Yes => 'y',
            Self::Answer(false) | Self::New => 'n',
            Self::Resign | Self::Records | Self::Reason => 'r',
            Self::Again => 'a',
            Self::Learn => 's',
            Self::Review => 'v',
            Self::Deepen => 'o',
            Self::Earlier => 'b',
            Self::Later => 'f',
            Self::Wait | Self::WaitNoMore | Self::Watch => 'w',
            Self::Claim => 'c',
            Self::Talk => 't',
            Self::Terms => 'i',
            Self::Help => '?',
            Self::Leave => 'l',
            Self::Quit => 'q',
            Self::Quick => 'm',
            Self::Filter => '/',
        })
    }

    /// Whether it is asked once more before it is done: nothing brings back what is lost by it.
    pub fn is_grave(self, view: &View<'_>) -> bool {
        match self {
            Self::Resign | Self::Claim => true,
            // Of two at one keyboard nobody else is asked.
            Self::Offer(Offer::Draw) => view.two,
            Self::Leave => view.is_playing(),
            Self::Quit => view.is_playing() && !view.goes_as_it_is,
            _ => false,
        }
    }

    /// Whether it is done while the connection is lost too, or then for later.
    fn needs_no_server(self) -> bool {
        matches!(
            self,
            Self::Make | Self::Learn | Self::Review | Self::Terms | Self::Help | Self::Leave | Self::Quit
        )
    }
}

/// What can be done now, what matters most first.
pub fn open(state: &State, view: &View<'_>) -> Vec<Deed> {
    match &state.over {
        Some(Over::Sure(_)) => vec![Deed::Yes, Deed::Close],
        Some(Over::Form(form)) => in_form(form),
        Some(_) => vec![Deed::Close],
        None => explained(state, view),
    }
}

/// What the help is about: what can be done in the form or with the line that is being typed, or else on the screen.
pub(super) fn explained(state: &State, view: &View<'_>) -> Vec<Deed> {
    match &state.over {
        Some(Over::FormHelp(form)) => in_form(form),
        // Any other key is a letter of it.
        _ if state.input.is_some() => vec![Deed::Enter, Deed::Drop, Deed::HelpInText],
        _ => beneath(state, view),
    }
}

/// What can be done in a form.
fn in_form(form: &Form) -> Vec<Deed> {
    let turn = form.turns().then_some(Deed::Turn);
    let help = if form.holds_any_sign() { Deed::HelpInText } else { Deed::Help };
    turn.into_iter().chain([Deed::Open, Deed::Close, help]).collect()
}

/// The same on the screen itself, whatever lies over it.
pub fn beneath(state: &State, view: &View<'_>) -> Vec<Deed> {
    match (view.mine(), &state.learn) {
        (Some(mine), Some(learn)) => {
            let cut = is_cut(learn, &mine.lobby, state.size);
            in_learn(learn, meant(state, view).is_some(), is_offered(view) && !view.lost, cut)
        }
        (Some(_), None) => at_table(state, view),
        (None, _) => in_hall(state, view),
    }
}

/// The move that would be made now: the one that is chosen on the board, or that of the line in the learn panel.
pub(super) fn meant(state: &State, view: &View<'_>) -> Option<Move> {
    let chosen = match &state.learn {
        Some(learn) => learn.next(),
        None => state.table.chosen,
    };
    chosen.filter(|_| view.is_open())
}

/// What can be done in the learn panel. A line that is a move of the game is made; the arrow keys open and close it too. Where
/// the reason has no room beside the board, its key matters more than others. What is offered is answered there too.
fn in_learn(learn: &Learn, makes: bool, offered: bool, cut: bool) -> Vec<Deed> {
    let (ply, plies) = learn.plies();
    let leads_on = learn.leads_on();
    let first = if makes { Some(Deed::Make) } else { leads_on.then_some(Deed::Unfold) };
    let mut deeds: Vec<Deed> = first.into_iter().collect();
    if offered {
        deeds.extend([Deed::Answer(true), Deed::Answer(false)]);
    }
    deeds.extend(cut.then_some(Deed::Reason));
    deeds.extend((ply > 0).then_some(Deed::Earlier));
    deeds.extend((ply < plies).then_some(Deed::Later));
    deeds.extend(leads_on.then_some(Deed::Deepen));
    deeds.extend((!cut).then_some(Deed::Reason));
    deeds.extend([Deed::Close, Deed::Help, Deed::Quit]);
    deeds
}

/// What can be done in the hall.
fn in_hall(state: &State, view: &View<'_>) -> Vec<Deed> {
    let mut deeds = Vec::new();
    // Somebody who has just come and waits to be let in has nothing to choose yet.
    if view.question.is_some() {
        if let Some(listing) = hall::here(state, view) {
            let is_open = listing.state == LobbyState::Open;
            deeds.extend((is_open || listing.watched).then_some(Deed::Join));
            deeds.extend(listing.watched.then_some(Deed::Watch));
        }
        deeds.extend([Deed::New, Deed::Quick]);
    }
    // What is known of the lobbies can be searched also while nothing is heard of them.
    deeds.extend((!view.arriving).then_some(Deed::Filter));
    deeds.extend((view.question.is_some() && state.library.is_some()).then_some(Deed::Records));
    deeds.extend([Deed::Help, Deed::Quit]);
    deeds
}

/// What can be done in a lobby now.
fn at_table(state: &State, view: &View<'_>) -> Vec<Deed> {
    let mut deeds = of_table(state, view);
    deeds.retain(|deed| !view.lost || deed.needs_no_server());
    deeds.retain(|deed| !view.leaves_later || *deed != Deed::Leave);
    deeds
}

/// Whether this key does something in the lobby, and cannot do it before the connection is back.
pub(super) fn waits_for_server(state: &State, view: &View<'_>, key: KeyCode) -> bool {
    view.lost && of_table(state, view).into_iter().any(|deed| deed.key() == key)
}

/// The same with a connection, as far as it is known without one.
fn of_table(state: &State, view: &View<'_>) -> Vec<Deed> {
    let Some(mine) = view.mine() else { return Vec::new() };
    let (lobby, watching) = (&mine.lobby, view.is_watching());
    let mut deeds = Vec::new();
    if meant(state, view).is_some() {
        deeds.push(Deed::Make);
    }
    if is_offered(view) {
        deeds.extend([Deed::Answer(true), Deed::Answer(false)]);
    }
    deeds.extend(in_an_absence(lobby, view.claimable).into_iter().filter(|_| !watching));
    match lobby.phase() {
        Phase::Playing if lobby.is_paused() && !watching => deeds.push(Deed::Resume),
        Phase::Over { .. } if view.question == Some(Question::Again) || watching && lobby.is_exhibition() => {
            deeds.push(Deed::Again);
        }
        _ => {}
    }
    if may_be_hinted(view, lobby) {
        deeds.push(Deed::Hint);
    }
    if may_learn(view, lobby) {
        deeds.push(if lobby.has_last_game() { Deed::Review } else { Deed::Learn });
    }
    if !is_alone(view, lobby) {
        deeds.push(Deed::Talk);
    }
    if view.is_playing() && !lobby.is_paused() {
        let offers = [Offer::Takeback, Offer::Draw, Offer::Pause];
        deeds.extend(offers.into_iter().filter(|offer| may_offer(view, mine, *offer)).map(Deed::Offer));
        deeds.push(Deed::Resign);
    }
    deeds.push(Deed::Terms);
    if state.afterwards == Afterwards::Hall {
        deeds.push(Deed::Leave);
    }
    deeds.extend([Deed::Help, Deed::Quit]);
    deeds
}

/// Whether something is offered.
fn is_offered(view: &View<'_>) -> bool {
    matches!(view.question, Some(Question::Offer(_)))
}

/// Whether this can be offered now. Of two at one keyboard it is whoever made the last move who takes that back.
fn may_offer(view: &View<'_>, mine: &MyLobby, offer: Offer) -> bool {
    let side = match offer {
        Offer::Takeback if view.two => Some(!mine.lobby.board().turn()),
        _ => mine.side(),
    };
    side.is_some_and(|side| mine.lobby.may_offer(side, offer).is_ok())
}

/// Whether a hint can be had. The last word is the server's.
fn may_be_hinted(view: &View<'_>, lobby: &Lobby) -> bool {
    let who = match view.mine().and_then(MyLobby::you) {
        _ if view.two => return view.is_open() && is_hinted_here(lobby),
        Some(player) => Who::Player(player),
        None => Who::Watcher,
    };
    lobby.may_hint(who).is_ok()
}

/// Whether somebody may see what moves are worth: whoever may have hints when they are to move, and all once the game is
/// over.
pub(super) fn may_learn(view: &View<'_>, lobby: &Lobby) -> bool {
    let who = match view.mine().and_then(MyLobby::you) {
        _ if lobby.has_last_game() => return true,
        _ if view.two => return is_hinted_here(lobby),
        Some(player) => Who::Player(player),
        None => Who::Watcher,
    };
    matches!(lobby.may_hint(who), Ok(()) | Err(Refusal::NotYourTurn))
}

/// Whether two at one keyboard may have hints now: none while the game rests, in which the clocks stand.
fn is_hinted_here(lobby: &Lobby) -> bool {
    lobby.phase() == Phase::Playing && !lobby.is_paused() && lobby.conditions().hints == Hints::All
}

/// Whether nobody would hear what is said: there are bots alone, or both players sit at this keyboard.
fn is_alone(view: &View<'_>, lobby: &Lobby) -> bool {
    let is_person =
        |side: Side| lobby.seats()[side].as_ref().is_some_and(|player| player.kind == Kind::Person);
    match view.mine().and_then(MyLobby::side) {
        Some(side) => view.two || !is_person(!side),
        None => lobby.watchers() < 2,
    }
}

/// What can be done about somebody who is away. A game is claimed once it can be.
fn in_an_absence(lobby: &Lobby, claimable: bool) -> Vec<Deed> {
    let waited_for = |side| lobby.absence(side).is_some_and(|absence| absence.cover == Cover::Waited);
    let waits = Side::BOTH.into_iter().any(waited_for);
    let change = match lobby.runs_out() {
        None if waits => Deed::WaitNoMore,
        None => return Vec::new(),
        Some(_) => Deed::Wait,
    };
    if claimable { vec![change, Deed::Claim] } else { vec![change] }
}
