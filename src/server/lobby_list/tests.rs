//! Tests: which lobbies are shown first, and those of other servers.

use super::entries::MAX_INITIAL;
use super::*;
use crate::game::BySide;
use crate::game::any::Variant;
use crate::lobby::{ClockRule, Level, Origin, Text};
use crate::wire::LobbyState;

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
