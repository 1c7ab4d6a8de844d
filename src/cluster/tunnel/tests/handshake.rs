//! The handshake, between honest nodes and with others.

use std::io;
use std::time::Duration;

use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::super::mac::{MacKey, Purpose};
use super::super::message::{Answer, Hello};
use super::*;

/// A handshake of two nodes with these secrets.
async fn meet(secrets: [SharedSecret; 2], introduction: Introduction) -> Met {
    let (dialing, accepting) = duplex(4_096);
    let accepting = accept(accepting, &secrets[1], (ACCEPTOR, Format::FIRST), |epoch| epoch == DIALER);
    tokio::join!(dial(dialing, &secrets[0], introduction), accepting)
}

/// What an acceptor says to a peer that reads its hello and sends this.
async fn accept_from(send: impl FnOnce(&[u8]) -> Vec<u8>) -> (Option<u8>, HandshakeError) {
    let (mut peer, accepting) = duplex(4_096);
    let peer = async {
        let mut hello = [0; Hello::LENGTH];
        peer.read_exact(&mut hello).await.unwrap();
        peer.write_all(&send(&hello)).await.unwrap();
        peer.shutdown().await.unwrap();
        peer.read_u8().await.ok()
    };
    let (secret, is_living) = (secret(), |epoch| epoch == DIALER);
    let (verdict, accepted) =
        tokio::join!(peer, accept(accepting, &secret, (ACCEPTOR, Format::FIRST), is_living));
    (verdict, accepted.unwrap_err())
}

/// The answer to this hello of a dialer that knows the secret and means this node.
fn answer_to(hello: &[u8], meant: Epoch) -> Vec<u8> {
    let answer =
        Answer { format: Format::FIRST, dialer: DIALER, meant, nonce: [2; 32], client: client() }.write();
    let mac = MacKey::derive(&secret(), Purpose::Answer).whole(&[hello, &answer]);
    [&answer[..], &mac].concat()
}

/// What a dialer says of a peer that sends this.
async fn dial_to(said: &[u8]) -> HandshakeError {
    let (mut peer, dialing) = duplex(4_096);
    let _ = peer.write_all(said).await;
    peer.shutdown().await.unwrap();
    dial(dialing, &secret(), introduction()).await.unwrap_err()
}

async fn assert_carries(mut dialer: Tunnel<DuplexStream>, mut acceptor: Tunnel<DuplexStream>) {
    for (from, to) in [(0, 1), (1, 0)] {
        let ends = [&mut dialer, &mut acceptor];
        ends[from].write_all(b"hi").await.unwrap();
        ends[from].flush().await.unwrap();
        let mut read = [0; 2];
        ends[to].read_exact(&mut read).await.unwrap();
        assert_eq!(read, *b"hi");
    }
}

#[test]
fn macs_of_the_handshake_are_those_of_the_table() {
    // By Python's hmac and hashlib.
    let hello = Hello { format: Format::FIRST, acceptor: ACCEPTOR, challenge: [0xcc; 32] }.write();
    let answer = Answer {
        format: Format::FIRST,
        dialer: DIALER,
        meant: ACCEPTOR,
        nonce: [0xaa; 32],
        client: client(),
    }
    .write();
    let digits = |mac: [u8; 32]| mac.map(|byte| format!("{byte:02x}")).concat();
    let mac = MacKey::derive(&secret(), Purpose::Answer).whole(&[&hello, &answer]);
    assert_eq!(digits(mac), "2efe3b12c875af1b04937c66e4a720347da92c5b21124f8e6d17d95527528083");
    let mac = MacKey::derive(&secret(), Purpose::Verdict).whole(&[&hello, &answer, &mac, &[0]]);
    assert_eq!(digits(mac), "a0cf922e43158cbd2878c9234b97f52339b5737f1aa73c93a1a05086a3878bc6");
}

#[tokio::test]
async fn the_address_of_a_client_arrives_as_it_was_said() {
    for address in ["192.0.2.7:65535", "0.0.0.0:0", "[2001:db8::7]:443", "[::ffff:192.0.2.7]:1", "[::]:0"] {
        let said = Introduction { client: address.parse().unwrap(), ..introduction() };
        let (tunnel, accepted) = meet([secret(), secret()], said).await;
        let accepted = accepted.unwrap();
        assert_eq!((accepted.client, accepted.dialer), (said.client, DIALER));
        assert_carries(tunnel.unwrap(), accepted.tunnel).await;
    }
}

#[tokio::test]
async fn a_peer_with_another_secret_is_refused_on_both_sides() {
    let (dialer, acceptor) = meet([secret(), SharedSecret::of([8; 32])], introduction()).await;
    assert!(matches!(dialer, Err(HandshakeError::TurnedAway(_))), "{dialer:?}");
    assert!(matches!(acceptor, Err(HandshakeError::WrongMac)), "{acceptor:?}");
    // An acceptor that welcomes everybody.
    let hello = Hello { format: Format::FIRST, acceptor: ACCEPTOR, challenge: [1; 32] }.write();
    let error = dial_to(&[&hello[..], &[0; 33]].concat()).await;
    assert!(matches!(error, HandshakeError::WrongMac), "{error:?}");
}

#[tokio::test]
async fn a_dialer_that_names_another_epoch_is_refused() {
    let said = Introduction { meant: OTHER, ..introduction() };
    let (dialer, acceptor) = meet([secret(), secret()], said).await;
    let is_other = |error| {
        let HandshakeError::OtherNode { meant, found } = error else { panic!("{error:?}") };
        assert_eq!((meant, found), (OTHER, ACCEPTOR));
    };
    is_other(dialer.unwrap_err());
    assert!(matches!(acceptor, Err(HandshakeError::Ended(_))), "{acceptor:?}");
    // A dialer that does not look at the hello.
    let (verdict, error) = accept_from(|hello| answer_to(hello, OTHER)).await;
    assert_eq!(verdict, Some(1));
    is_other(error);
}

#[tokio::test]
async fn why_a_dialer_is_refused_is_known_although_it_has_gone() {
    let (mut peer, accepting) = duplex(4_096);
    let leaving = async move {
        let mut hello = [0; Hello::LENGTH];
        peer.read_exact(&mut hello).await.unwrap();
        peer.write_all(&answer_to(&hello, ACCEPTOR)).await.unwrap();
    };
    let secret = secret();
    let ((), accepted) =
        tokio::join!(leaving, accept(accepting, &secret, (ACCEPTOR, Format::FIRST), |_| false));
    assert!(matches!(accepted, Err(HandshakeError::NotLiving(DIALER))), "{accepted:?}");
}

#[tokio::test]
async fn a_dialer_that_is_not_living_is_refused_and_told_so() {
    let said = Introduction { dialer: OTHER, ..introduction() };
    let (dialer, acceptor) = meet([secret(), secret()], said).await;
    for error in [dialer.unwrap_err(), acceptor.unwrap_err()] {
        assert!(matches!(error, HandshakeError::NotLiving(OTHER)), "{error:?}");
        assert!(error.to_string().contains("0000000000000004 is no living member"), "{error}");
    }
}

#[tokio::test]
async fn what_was_said_in_one_handshake_is_refused_in_the_next() {
    let (mut answer, mut others) = (Vec::new(), Vec::new());
    let met = meet_through(&mut |is_there, _, byte| {
        if is_there { &mut answer } else { &mut others }.push(byte);
        byte
    })
    .await;
    assert!(met.0.is_ok() && met.1.is_ok());
    assert_eq!((answer.len(), others.len()), (Answer::LENGTH + 32, Hello::LENGTH + 33));
    let (verdict, error) = accept_from(|_| answer).await;
    assert!(matches!(error, HandshakeError::WrongMac), "{error:?}");
    assert_eq!(verdict, None);
    let error = dial_to(&others).await;
    assert!(matches!(error, HandshakeError::WrongMac), "{error:?}");
}

#[tokio::test]
async fn a_flipped_bit_anywhere_in_the_handshake_is_an_error() {
    for (is_there, count) in [(true, Answer::LENGTH + 32), (false, Hello::LENGTH + 33)] {
        for bit in 0..count * 8 {
            let (dialer, acceptor) = meet_through(&mut |way, at, byte| {
                if way == is_there && at == bit / 8 { byte ^ (1 << (bit % 8)) } else { byte }
            })
            .await;
            assert!(dialer.is_err(), "{is_there} {bit}");
            // The last message is the acceptor's: it sees that the dialer goes.
            let is_last = !is_there && bit / 8 >= Hello::LENGTH;
            assert_eq!(acceptor.is_ok(), is_last, "{is_there} {bit}");
            if let Ok(accepted) = acceptor {
                drop(dialer);
                let cut = { accepted }.tunnel.read_u8().await.unwrap_err();
                assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof);
            }
        }
    }
}

#[tokio::test]
async fn a_peer_that_is_no_node_is_refused_at_the_first_byte() {
    let (_, error) = accept_from(|_| b"GET / HTTP/1.1\r\n\r\n".to_vec()).await;
    assert!(matches!(error, HandshakeError::OtherVersion(b'G')), "{error:?}");
    assert!(error.to_string().contains("begins with version 71"), "{error}");
    let error = dial_to(&[3; 100]).await;
    assert!(matches!(error, HandshakeError::OtherVersion(3)), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_peer_is_given_up_at_the_callers_deadline() {
    let (_peer, stream) = duplex(4_096);
    let (secret, deadline) = (secret(), Duration::from_secs(1));
    let dialing = dial(stream, &secret, introduction());
    assert!(tokio::time::timeout(deadline, dialing).await.is_err());
    let (_peer, stream) = duplex(4_096);
    let accepting = accept(stream, &secret, (ACCEPTOR, Format::FIRST), |_| true);
    assert!(tokio::time::timeout(deadline, accepting).await.is_err());
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_no_handshake(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..200),
        begins_well: bool,
    ) {
        if begins_well {
            let hello = Hello { format: Format::FIRST, acceptor: ACCEPTOR, challenge: [1; 32] }.write();
            bytes.iter_mut().zip(&hello).for_each(|(byte, right)| *byte = *right);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            dial_to(&bytes).await;
            accept_from(|_| bytes).await;
        });
    }
}
