//! Seats the players in groups of some hundred, so that no connection times out.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use anyhow::Context;
use nim::lobby::Text;
#[cfg(feature = "cluster")]
use nim::wire::NewLobby;
use nim::wire::{BotWish, HallRequest, LobbyRequest, Ticket, ToClient, ToServer};

use super::guest::{Guest, Setting, loopback, terms};
use super::kind::Kind;

/// The length of a bare relay's shortest answer.
const SHORTEST_ANSWER: u32 = 5;

/// The number of lobbies opened together.
const TOGETHER: usize = 250;

/// Seats two players in each lobby. The first of each pair opens the lobby, and makes the first move.
pub(crate) fn seat(
    kind: Kind,
    address: SocketAddr,
    setting: Setting<'_>,
    lobbies: usize,
) -> anyhow::Result<Vec<[TcpStream; 2]>> {
    seat_from(loopback, kind, address, setting, lobbies)
}

/// The same, with the address of each player.
pub(crate) fn seat_from(
    hosts: impl Fn(usize) -> Ipv4Addr,
    kind: Kind,
    address: SocketAddr,
    setting: Setting<'_>,
    lobbies: usize,
) -> anyhow::Result<Vec<[TcpStream; 2]>> {
    let mut pairs = Vec::with_capacity(lobbies);
    while pairs.len() < lobbies {
        let numbers = 2 * pairs.len()..2 * lobbies.min(pairs.len() + TOGETHER);
        let mut guests = numbers
            .map(|number| Ok((number, Guest::connect_from(hosts(number), address)?)))
            .collect::<anyhow::Result<Vec<_>>>()?;
        if kind.is_bare() {
            await_last(&mut guests)?;
        } else {
            greet(&mut guests)?;
            sit(&mut guests, setting)?;
        }
        let mut streams = guests.into_iter().map(|(_, guest)| guest.into_stream());
        while let Some(one) = streams.next() {
            pairs.push([one?, streams.next().context("somebody is alone")??]);
        }
    }
    Ok(pairs)
}

/// The addresses of servers of a cluster that two players connect to.
#[cfg(feature = "cluster")]
pub(crate) struct Way {
    /// That of the server where the first of them opens the lobby.
    pub(crate) lobby: SocketAddr,
    /// Those of the servers by which they play.
    pub(crate) players: [SocketAddr; 2],
}

/// Seats two players in each lobby of real servers, one lobby after the other.
#[cfg(feature = "cluster")]
pub(crate) fn seat_at(
    way: impl Fn(usize) -> Way,
    setting: Setting<'_>,
    lobbies: usize,
) -> anyhow::Result<Vec<[TcpStream; 2]>> {
    (0..lobbies).map(|lobby| seat_by(&way(lobby), setting, [2 * lobby, 2 * lobby + 1])).collect()
}

/// Seats the players of these numbers. The first opens the lobby, and then comes back by another server if it is to play
/// by that one.
#[cfg(feature = "cluster")]
fn seat_by(way: &Way, setting: Setting<'_>, numbers: [usize; 2]) -> anyhow::Result<[TcpStream; 2]> {
    let guest = |at: SocketAddr, number: usize| -> anyhow::Result<Guest> {
        let mut guest = [(number, Guest::connect(at, number)?)];
        greet(&mut guest)?;
        let [(_, guest)] = guest;
        Ok(guest)
    };
    let (mut one, ticket) = (guest(way.lobby, numbers[0])?, Ticket::random());
    let lobby = NewLobby { seat: ticket.hash(), ..terms(setting, BotWish::PeopleOnly) };
    one.ask_hall(HallRequest::Create(lobby))?;
    let code = Text::cut(&one.until_seated()?.to_string());
    if way.players[0] != way.lobby {
        one = guest(way.players[0], numbers[0])?;
        one.ask_hall(HallRequest::Return { code: code.clone(), ticket, seen: 0 })?;
        one.until_seated()?;
    }
    let mut other = guest(way.players[1], numbers[1])?;
    other.ask_hall(HallRequest::Join { code, password: None, seat: Ticket::random().hash() })?;
    one.until_started()?;
    other.until_started()?;
    Ok([one.into_stream()?, other.into_stream()?])
}

/// Waits until the last pair is accepted, and so all before it: the backlog is limited.
fn await_last(guests: &mut [(usize, Guest)]) -> anyhow::Result<()> {
    let [.., (_, one), (_, other)] = guests else { return Ok(()) };
    one.tell(&ToServer::Lobby { id: SHORTEST_ANSWER, request: LobbyRequest::Again })?;
    one.take(SHORTEST_ANSWER)?;
    other.take(SHORTEST_ANSWER)
}

/// Sends all hellos, then waits for all welcomes.
fn greet(guests: &mut [(usize, Guest)]) -> anyhow::Result<()> {
    for (number, guest) in guests.iter_mut() {
        guest.say_hello(*number)?;
    }
    for (_, guest) in guests {
        guest.until(|message| matches!(message, ToClient::Welcome { .. }).then_some(()))?;
    }
    Ok(())
}

fn sit(guests: &mut [(usize, Guest)], setting: Setting<'_>) -> anyhow::Result<()> {
    for pair in guests.chunks_exact_mut(2) {
        pair[0].1.ask_hall(HallRequest::Create(terms(setting, BotWish::PeopleOnly)))?;
    }
    for pair in guests.chunks_exact_mut(2) {
        let code = Text::cut(&pair[0].1.until_seated()?.to_string());
        pair[1].1.ask_hall(HallRequest::Join { code, password: None, seat: Ticket::random().hash() })?;
    }
    for (_, guest) in guests {
        guest.until_started()?;
    }
    Ok(())
}
