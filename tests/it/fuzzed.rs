//! The fuzz targets without the fuzzer: each runs once on every input in `tests/fuzz/kept`.

#[allow(unreachable_pub, reason = "the fuzz targets reach it")]
#[path = "../fuzz/bodies/list.rs"]
pub(crate) mod bodies;
#[allow(unreachable_pub, reason = "so does the program that keeps them")]
#[path = "../fuzz/kept.rs"]
mod kept;

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::time::Duration;

use bodies::guest::Guest;
use bodies::memory_server::{MemoryServer, run, settle};
use nim::lobby::ClockRule;
use nim::wire::{BotWish, HallRequest, NewLobby};

use crate::harness::terms;
use crate::simulation::panics;
use crate::storage::memory::Memory;
use crate::storage::model::open_in;

fn fuzz() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fuzz"].iter().collect()
}

/// Runs the target's body on each of its inputs. It also notices a panic in a spawned task.
fn replay(target: &str) {
    let (_, body) = bodies::ALL.iter().find(|(name, _)| *name == target).unwrap();
    let inputs = kept::read(&fuzz(), target);
    assert!(!inputs.is_empty(), "{target} has no kept inputs");
    for input in inputs {
        panics::watch();
        let borne = panic::catch_unwind(AssertUnwindSafe(|| body(&input)));
        let alarmed = panics::seen();
        assert!(borne.is_ok() && !alarmed, "{target} does not bear \"{}\"", input.escape_ascii());
    }
}

/// A test for each target, so that they run in parallel.
macro_rules! targets {
    ($($target:ident)+) => {
        const TESTED: &[&str] = &[$(stringify!($target)),+];

        mod every_kept_input_is_borne_by {
            $(#[test]
            fn $target() {
                super::replay(stringify!($target));
            })+
        }
    };
}

targets! {
    company journal session lobby record to_server to_client frames told position variant terms script
}

#[test]
fn every_target_is_tested_and_can_be_fuzzed_and_has_a_corpus() {
    let names = |folder: &str| -> BTreeSet<String> {
        let files = fs::read_dir(fuzz().join(folder)).unwrap();
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
    };
    let all: BTreeSet<String> = bodies::ALL.iter().map(|(name, _)| (*name).to_owned()).collect();
    let tested: BTreeSet<String> = TESTED.iter().map(ToString::to_string).collect();
    assert_eq!((&tested, &names("targets"), &names("kept")), (&all, &all, &all));
}

const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// Found by the target `company`: a second server on the same storage loaded a lobby with two events of the
/// same number.
#[test]
fn a_server_that_has_stopped_records_nothing_more() {
    run(async {
        let memory = Memory::default();
        let mut server = MemoryServer::open(&memory, 7, true);
        let mut anna = Guest::connect(&server, ADDRESS);
        anna.greet("anna").await;
        let clock = ClockRule::Move(2_000);
        let lobby = NewLobby { bot: BotWish::AtOnce, clock, ..terms("java-tech:21") };
        anna.ask_hall(HallRequest::Create(lobby), 0).await;
        settle().await;
        server.close().await;
        let recorded = open_in(&mut memory.clone());
        assert!(recorded[0].events.len() > 2, "a game was going on: {recorded:?}");
        // Anna's time would have run out by then.
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(open_in(&mut memory.clone()), recorded);
    });
}
