//! Hostile packets: to an announced host, and to a client that looks for hosts.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use nim::lan::host_list::MAX_AT_ADDRESS;
use nim::lan::{Announcer, Browser, Host, HostId, InterfaceFilter};
use tokio::net::UdpSocket;
use tokio::time::timeout;

use super::{found, listed_until};
use crate::harness::{Machine, TestLan, within};

/// The group and the port of multicast DNS.
const MULTICAST: (Ipv4Addr, u16) = (Ipv4Addr::new(224, 0, 0, 251), 5353);

/// Random bytes of random length.
fn noise(seed: u64) -> Vec<u8> {
    let mut chance = fastrand::Rng::with_seed(seed);
    let length = chance.usize(0..1_400);
    (0..length).map(|_| chance.u8(..)).collect()
}

/// A packet of multicast DNS with a valid head and random bytes after it.
fn half_valid(seed: u64) -> Vec<u8> {
    let head = [0, 0, 0x84, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4];
    [&head[..], b"_nim", &[4], b"_tcp", &[5], b"local", &[0], &noise(seed)].concat()
}

/// Sends invalid packets from this machine.
async fn flood(machine: &Machine) {
    let from = machine.ip;
    machine
        .does(async move || {
            let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None).unwrap();
            socket.set_multicast_if_v4(&from).unwrap();
            socket.set_nonblocking(true).unwrap();
            socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
            let socket = UdpSocket::from_std(socket.into()).unwrap();
            for seed in 0..2_000 {
                let packet = if seed % 2 == 0 { noise(seed) } else { half_valid(seed) };
                socket.send_to(&packet, MULTICAST).await.unwrap();
            }
        })
        .await;
}

#[tokio::test]
async fn a_host_is_found_in_a_flood_of_invalid_packets() {
    let lan = TestLan::of(3).await;
    let [home, vandal, guest] = &lan.machines[..] else { panic!("three machines") };
    let (_host, _) = home.hosts("tower", &[]).await;
    flood(vandal).await;
    let (hosts, ()) = tokio::join!(listed_until(guest, |hosts| !hosts.is_empty()), flood(vandal));
    assert!(hosts.iter().all(|host| host.name == "tower"), "{hosts:?}");
}

#[tokio::test]
async fn one_machine_cannot_fill_the_list() {
    let lan = TestLan::of(3).await;
    let [home, liar, guest] = &lan.machines[..] else { panic!("three machines") };
    let (_host, _) = home.hosts("tower", &[]).await;
    // On the loopback all hosts have one address.
    let most = MAX_AT_ADDRESS + usize::from(liar.is_real());
    let (interfaces, bound) = (guest.interfaces(), SocketAddr::from((liar.ip, 1)));
    let loopback = (!liar.is_real()).then(|| "127.0.0.1".parse().unwrap());
    let (known, is_known) = tokio::sync::oneshot::channel();
    let (done, is_done) = tokio::sync::oneshot::channel::<()>();
    let lies = liar.does(async move || {
        is_known.await.unwrap();
        let interfaces = InterfaceFilter::for_host(bound, loopback);
        let announcers: Vec<Announcer> = (0..12)
            .map(|number| {
                let (id, name) = (HostId(number), format!("liar {number}").parse().unwrap());
                let (version, addresses) = ("1".parse().unwrap(), vec![bound]);
                let host = Host { id, name, version, addresses, open_lobbies: 1 };
                let open_lobbies = tokio::sync::watch::channel(1).1;
                Announcer::start(host, open_lobbies, &interfaces).expect("multicast DNS")
            })
            .collect();
        let _ = is_done.await;
        drop(announcers);
    });
    let looks = guest.does(async move || {
        let mut browser = Browser::start(interfaces);
        found(&mut browser, "tower").await;
        known.send(()).unwrap();
        within("a flood of hosts", async {
            while browser.hosts().count() < most {
                browser.next().await;
            }
        })
        .await;
        let _ = timeout(Duration::from_secs(1), async {
            loop {
                browser.next().await;
            }
        })
        .await;
        drop(done);
        browser.hosts().map(|host| host.name.to_string()).collect::<Vec<_>>()
    });
    let (names, ()) = tokio::join!(looks, lies);
    assert_eq!(names.len(), most, "{names:?}");
    assert!(names.contains(&"tower".to_owned()), "{names:?}");
}
