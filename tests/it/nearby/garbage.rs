//! What no honest machine sends: to a host that is asked, and to somebody who asks.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use nim::lan::datagram::{DISCOVERY_PORT, REQUEST, answer, read_answer, read_request, request};
use nim::lan::roll::MAX_AT_ADDRESS;
use nim::lan::{Card, HostId, Lookout};
use tokio::net::UdpSocket;
use tokio::time::timeout;

use super::{found, listed_until};
use crate::harness::{Town, within};

/// How long a flood is waited out.
const A_WHILE: Duration = Duration::from_secs(1);

/// The group and the port of multicast DNS.
const MULTICAST: (Ipv4Addr, u16) = (Ipv4Addr::new(224, 0, 0, 251), 5353);

/// Bytes of any length, as a generator with this seed makes them.
fn noise(seed: u64) -> Vec<u8> {
    let mut chance = fastrand::Rng::with_seed(seed);
    let length = chance.usize(0..1_400);
    (0..length).map(|_| chance.u8(..)).collect()
}

/// A packet of multicast DNS whose head is right and whose rest is noise.
fn half_right(seed: u64) -> Vec<u8> {
    [
        &[0, 0, 0x84, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4][..],
        b"_nim",
        &[4],
        b"_tcp",
        &[5],
        b"local",
        &[0],
        &noise(seed),
    ]
    .concat()
}

#[tokio::test]
async fn a_host_answers_requests_alone_a_bounded_number_of_them_and_is_found_all_the_same() {
    let town = Town::of(3).await;
    let [home, vandal, guest] = &town.machines[..] else { panic!("three machines") };
    let (_host, _) = home.hosts("tower", &[]).await;
    let (target, with_multicast) = (SocketAddr::from((home.ip, DISCOVERY_PORT)), vandal.is_real());
    let everybody = SocketAddr::from((vandal.everybody(), DISCOVERY_PORT));
    let from = vandal.ip;
    let answers = vandal
        .does(async move || {
            let socket = UdpSocket::bind((from, 0)).await.unwrap();
            socket.set_broadcast(true).unwrap();
            for seed in 0..2_000 {
                socket.send_to(&noise(seed), target).await.unwrap();
                if with_multicast {
                    let packet = if seed % 2 == 0 { noise(seed) } else { half_right(seed) };
                    socket.send_to(&packet, MULTICAST).await.unwrap();
                }
            }
            let whole = request([7; 8]);
            for length in 0..REQUEST {
                socket.send_to(&whole[..length], target).await.unwrap();
            }
            let mut answer = [0; 2_000];
            let unasked = timeout(A_WHILE, socket.recv_from(&mut answer)).await;
            assert!(unasked.is_err(), "nothing of that was a request: {unasked:?}");
            for _ in 0..200 {
                socket.send_to(&whole, everybody).await.unwrap();
            }
            let mut answers = 0;
            while let Ok(Ok((length, _))) = timeout(A_WHILE, socket.recv_from(&mut answer)).await {
                assert!(length <= REQUEST, "{length} bytes for {REQUEST}");
                let (nonce, card) = read_answer(&answer[..length]).expect("an answer");
                assert_eq!((nonce, card.name.as_str()), ([7; 8], "tower"));
                answers += 1;
            }
            answers
        })
        .await;
    assert!((1..200).contains(&answers), "{answers} answers");
    listed_until(guest, |hosts| hosts.iter().any(|host| host.name == "tower")).await;
}

#[tokio::test]
async fn whoever_looks_believes_no_garbage_and_lists_no_flood() {
    let town = Town::of(3).await;
    let [home, liar, guest] = &town.machines[..] else { panic!("three machines") };
    let (_host, _) = home.hosts("tower", &[]).await;
    let (reach, from, is_real) = (guest.reach(), liar.ip, liar.is_real());
    // A machine of its own has its own room.
    let most = MAX_AT_ADDRESS + usize::from(is_real);
    let (known, is_known) = tokio::sync::oneshot::channel();
    let lies = liar.does(async move || {
        // Where both are at one address, whoever comes first into what room there is for it stays there.
        is_known.await.unwrap();
        let socket = shared_port(from);
        let mut bytes = [0; 2_000];
        let (_, asker) = loop {
            let (length, asker) = socket.recv_from(&mut bytes).await.unwrap();
            if let Some(nonce) = read_request(&bytes[..length]) {
                break (nonce, asker);
            }
        };
        let nonce = read_request(&bytes[..REQUEST]).unwrap();
        let card = |id: u64, port| Card {
            id: HostId(id),
            name: "honest".parse().unwrap(),
            version: "1".parse().unwrap(),
            port,
            open_lobbies: 1,
        };
        let mut stray = answer([0; 8], &card(1, 1));
        stray[5..13].copy_from_slice(&[0xee; 8]);
        let mut commands = answer(nonce, &card(2, 2));
        let name = commands.windows(6).position(|six| six == b"honest").unwrap();
        commands[name..name + 6].copy_from_slice(b"\x1b[2Jok");
        let mut invisible = answer(nonce, &card(3, 3));
        invisible[name..name + 6].copy_from_slice(b"\r\n\0\x07\x08\x1b");
        let whole = answer(nonce, &card(4, 4));
        for bytes in [
            &stray[..],
            &invisible,
            &answer(nonce, &card(5, 0)),
            &whole[..whole.len() - 1],
            &[],
            &[0xff; 1_400],
            &commands,
        ] {
            socket.send_to(bytes, asker).await.unwrap();
        }
        for seed in 0..500 {
            socket.send_to(&noise(seed), asker).await.unwrap();
            if is_real {
                socket.send_to(&half_right(seed), MULTICAST).await.unwrap();
            }
        }
        for id in 100..1_000 {
            socket.send_to(&answer(nonce, &card(id, 9)), asker).await.unwrap();
        }
    });
    let looks = guest.does(async move || {
        let mut lookout = Lookout::start(reach).unwrap();
        found(&mut lookout, "tower").await;
        known.send(()).unwrap();
        within("a flood of hosts", async {
            while lookout.hosts().count() < most {
                lookout.next().await;
            }
        })
        .await;
        let _ = timeout(Duration::from_millis(200), async {
            loop {
                lookout.next().await;
            }
        })
        .await;
        lookout.hosts().cloned().collect::<Vec<_>>()
    });
    let (hosts, ()) = tokio::join!(looks, lies);
    assert_eq!(hosts.len(), most);
    let called = |name: &str| hosts.iter().filter(|host| host.name.as_str() == name).count();
    assert_eq!(called("tower"), 1);
    assert_eq!(called("[2Jok"), 1, "what commands a terminal is taken out: {hosts:?}");
    for host in &hosts {
        assert!(host.name.as_str().chars().all(|c| !c.is_control()), "{host:?}");
        assert!(![1, 3, 4, 5].contains(&host.id.0), "{host:?}");
    }
}

/// The port of hosts, which other programs may have too.
fn shared_port(from: Ipv4Addr) -> UdpSocket {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None).unwrap();
    socket.set_reuse_address(true).unwrap();
    socket.set_multicast_if_v4(&from).unwrap();
    socket.set_nonblocking(true).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, DISCOVERY_PORT)).into()).unwrap();
    UdpSocket::from_std(socket.into()).unwrap()
}
