//! Seats the players in groups of some hundred, so that no connection times out.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use anyhow::Context;
use nim::lobby::Text;
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

/// Seats two players in each lobby of a real server, each connected to the address of its number.
#[cfg(feature = "cluster")]
pub(crate) fn seat_at(
    address: impl Fn(usize) -> SocketAddr,
    setting: Setting<'_>,
    lobbies: usize,
) -> anyhow::Result<Vec<[TcpStream; 2]>> {
    let mut pairs = Vec::with_capacity(lobbies);
    for lobby in 0..lobbies {
        let connect = |number: usize| Ok((number, Guest::connect(address(number), number)?));
        let mut guests =
            [2 * lobby, 2 * lobby + 1].map(connect).into_iter().collect::<anyhow::Result<Vec<_>>>()?;
        greet(&mut guests)?;
        sit(&mut guests, setting)?;
        let streams = guests.into_iter().map(|(_, guest)| guest.into_stream());
        let streams = streams.collect::<anyhow::Result<Vec<_>>>()?;
        pairs.push(streams.try_into().ok().context("two players")?);
    }
    Ok(pairs)
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
