//! What the fuzzer has found, each a test of its own.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use nim::lobby::ClockRule;
use nim::wire::{BotWish, HallRequest, NewLobby};

use super::bodies::guest::Guest;
use super::bodies::memory_server::{MemoryServer, run, settle};
use crate::harness::terms;
use crate::storage::memory::Memory;
use crate::storage::model::open_in;

const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// By the target `company`: another server that went on with the same storage found a lobby there in which
/// two things had happened as the same event.
#[test]
fn a_server_that_has_stopped_records_nothing_more() {
    run(async {
        let memory = Memory::default();
        let mut server = MemoryServer::open(&memory, 7, true);
        let mut anna = Guest::comes_to(&server, ADDRESS);
        anna.greets("anna").await;
        let clock = ClockRule::Move(2_000);
        let lobby = NewLobby { bot: BotWish::AtOnce, clock, ..terms("java-tech:21") };
        anna.asks_hall(HallRequest::Create(lobby), 0).await;
        settle().await;
        server.close().await;
        let recorded = open_in(&mut memory.clone());
        assert!(recorded[0].events.len() > 2, "a game was going on: {recorded:?}");
        // By then anna's time would be up.
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(open_in(&mut memory.clone()), recorded);
    });
}
