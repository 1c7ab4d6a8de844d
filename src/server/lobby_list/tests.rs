//! Tests: which lobbies are shown first, and those of other servers.

use tokio::time::timeout;

use super::entries::MAX_INITIAL;
use super::*;
use crate::game::BySide;
use crate::game::any::Variant;
use crate::lobby::{ClockRule, Level, Origin, Text};
use crate::server::config::Config;
use crate::server::connection::tests::{Slot, connection};
use crate::wire::{HallEvent, LobbyState, ToClient};

/// A list of these lobbies, each with the last part of its opener's address, in the order in which they
/// were opened.
fn list(openers: impl IntoIterator<Item = (u8, LobbyState)>) -> LobbyList {
    let list = LobbyList::default();
    for (number, (opener, state)) in (0_u16..).zip(openers) {
        let listing = Listing {
            code: code(number),
            variant: Text::cut("java-tech:21"),
            position: None,
            seats: BySide::default(),
            state,
            level: Level::Perfect,
            clock: ClockRule::None,
            best_of: 0,
            watchers: 0,
            watched: true,
            locked: false,
        };
        let lobby = (LobbyId(number.into()), listing.code, IpAddr::from([10, 0, 0, opener]));
        list.update(lobby, &start(), Some(listing));
    }
    list
}

fn code(number: u16) -> Code {
    Code::from_bits(number, if number < 64 { 1 } else { 2 })
}

fn start() -> Board {
    Origin::start_of(&"java-tech:21".parse::<Variant>().unwrap(), None)
}

fn initial(list: &LobbyList) -> Vec<Code> {
    list.state.lock().initial().iter().map(|listing| listing.code).collect()
}

fn codes(numbers: &[u16]) -> Vec<Code> {
    numbers.iter().map(|number| code(*number)).collect()
}

#[test]
fn a_hundred_lobbies_of_one_address_push_no_other_off_the_list() {
    use LobbyState::{Open, Playing};
    let crowd = std::iter::repeat_n((1, Open), 100);
    let listed = initial(&list([(2, Open)].into_iter().chain(crowd.clone())));
    assert_eq!((listed.len(), listed[1]), (MAX_INITIAL, code(0)));
    let few = list([(2, Playing), (1, Open), (1, Open), (3, Open), (2, Open), (1, Playing)]);
    assert_eq!(initial(&few), codes(&[4, 3, 2, 1, 5, 0]));
    let all = list([(1, Open), (1, Open), (1, Open), (2, Open), (2, Open), (3, Open)]);
    assert_eq!(initial(&all), codes(&[5, 4, 2, 3, 1, 0]));
}

#[test]
fn a_hundred_lobbies_of_one_address_keep_no_other_from_a_quick_match() {
    use LobbyState::Open;
    let crowd = std::iter::repeat_n((1, Open), 100);
    let open = list(crowd.chain([(2, Open)])).open_lobbies(&start(), false);
    assert_eq!(open[..3], codes(&[100, 0, 1]));
    assert_eq!(list([(2, Open), (1, Open)]).open_lobbies(&start(), false), codes(&[0, 1]));
}

/// The entry of a lobby of another server, with the number of its code.
fn shared(number: u16, state: LobbyState) -> SharedListing {
    let own = list([(1, state)]).own(1).remove(0);
    let listing = Listing { code: code(number), ..own.listing };
    SharedListing { lobby: LobbyId(number.into()), listing, ..own }
}

/// The codes of the lobbies that are new or changed, and of those that are gone, since the last call.
async fn news(list: &LobbyList, socket: &Slot) -> (Vec<Code>, Vec<Code>) {
    let before = socket.messages().len();
    let journal = Journal::disabled(&Config::default(), &Arc::default());
    assert!(timeout(Duration::from_secs(1), list.broadcast(&journal)).await.is_err(), "it never ends");
    let (mut changed, mut gone) = (Vec::new(), Vec::new());
    for message in socket.messages().split_off(before) {
        let ToClient::Hall(HallEvent::Lobbies { listed, gone: left, .. }) = message else { continue };
        changed.extend(listed.iter().map(|listing| listing.code));
        gone.extend(left.iter().copied());
    }
    (changed, gone)
}

#[tokio::test(start_paused = true)]
async fn lobbies_of_other_servers_come_change_and_go_in_the_same_list() {
    use LobbyState::{Open, Playing};
    let list = list([(1, Open), (2, Playing)]);
    let socket = Arc::new(Slot::that_takes_all());
    let connection = Arc::new(connection(Box::new(Arc::clone(&socket))));
    list.watch(&Journal::disabled(&Config::default(), &Arc::default()), &connection);
    assert_eq!(news(&list, &socket).await, (vec![], vec![]));

    list.list(shared(7, Open));
    assert_eq!(news(&list, &socket).await, (codes(&[7]), vec![]));
    assert_eq!(initial(&list), codes(&[7, 0, 1]));
    assert_eq!(list.open_lobbies(&start(), false), codes(&[0, 7]));
    assert_eq!(*list.count_open().borrow(), 2);

    list.list(shared(7, Open));
    assert_eq!(news(&list, &socket).await, (vec![], vec![]), "nothing has changed");
    list.list(shared(7, Playing));
    assert_eq!(news(&list, &socket).await, (codes(&[7]), vec![]));
    assert_eq!(list.open_lobbies(&start(), false), codes(&[0]));

    let own: Vec<_> = list.own(10).into_iter().map(|shared| (shared.lobby, shared.listing.code)).collect();
    assert_eq!(own, [(LobbyId(0), code(0)), (LobbyId(1), code(1))]);
    assert_eq!(list.own(1).len(), 1);

    list.unlist(LobbyId(7));
    assert_eq!(news(&list, &socket).await, (vec![], codes(&[7])));
    list.unlist(LobbyId(0));
    assert_eq!(initial(&list), codes(&[0, 1]), "this server's own lobbies stay");
}

#[test]
fn a_lobby_that_has_come_here_is_this_servers_own() {
    use LobbyState::{Open, Playing};
    let (list, there) = (LobbyList::default(), shared(3, Open));
    list.list(there.clone());
    assert_eq!(list.own(10), []);
    list.update((there.lobby, code(3), there.opener), &start(), Some(there.listing.clone()));
    assert_eq!(list.own(10), std::slice::from_ref(&there), "also if nothing but that has changed");
    list.list(shared(3, Playing));
    list.unlist(there.lobby);
    assert_eq!(list.own(10), [there], "the other server's word came late");
}

#[test]
fn a_lobby_of_a_game_that_this_server_does_not_know_is_not_listed() {
    let (list, mut there) = (LobbyList::default(), shared(3, LobbyState::Open));
    there.listing.position = Some(Text::cut("no position"));
    list.list(there.clone());
    there.listing = Listing { variant: Text::cut("chess"), position: None, ..there.listing };
    list.list(there);
    assert_eq!(initial(&list), []);
}
