//! Frames, on honest connections and on others.

use std::io::{self, IoSlice};

use bytes::BytesMut;
use proptest::prelude::*;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, join, sink, split};

use super::super::frame::FrameWriter;
use super::super::mac::Toward;
use super::*;

/// Frames to the acceptor with these contents, and the end.
fn frames(contents: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut writer = FrameWriter::new(key(Toward::Acceptor));
    let mut framed = |content: &[u8]| {
        let mut bytes = BytesMut::new();
        match content {
            [] => writer.end(&mut bytes),
            content => assert_eq!(writer.write(&[IoSlice::new(content)], &mut bytes), content.len()),
        }
        bytes.to_vec()
    };
    contents.iter().copied().chain([&[][..]]).map(&mut framed).collect()
}

/// What the acceptor reads of these bytes before the end or the error.
fn read(bytes: &[u8]) -> (Vec<u8>, Result<(), FrameError>) {
    let mut tunnel = Tunnel::new(join(bytes, sink()), key(Toward::Acceptor), key(Toward::Dialer));
    let mut content = Vec::new();
    let all = futures_util::FutureExt::now_or_never(tunnel.read_to_end(&mut content)).unwrap();
    let again = futures_util::FutureExt::now_or_never(tunnel.read(&mut [0])).unwrap();
    assert_eq!(again.map_err(|error| frame_error(&error)), all.as_ref().map(|_| 0).map_err(frame_error));
    (content, all.map(|_| ()).map_err(|error| frame_error(&error)))
}

fn frame_error(error: &io::Error) -> FrameError {
    *error.get_ref().unwrap().downcast_ref().unwrap()
}

const CONTENTS: [&[u8]; 3] = [b"one", b"three", b"five"];

#[test]
fn frames_have_the_bytes_of_the_table() {
    // By Python's hmac and hashlib.
    for (toward, digits) in [
        (Toward::Acceptor, "000268692c5c8274b642d32a85b8109bf5b5b70b0000f91c893be58d174717d8415c3376677e"),
        (Toward::Dialer, "0002686931adb92bd38dcdbb16bb625802c210230000495d4de40547822de04874afc8443e7f"),
    ] {
        let (mut writer, mut bytes) = (FrameWriter::new(key(toward)), BytesMut::new());
        writer.write(&[IoSlice::new(b"h"), IoSlice::new(b"i")], &mut bytes);
        writer.end(&mut bytes);
        assert_eq!(format!("{bytes:02x}"), digits);
    }
}

#[test]
fn a_flipped_bit_in_any_frame_is_an_error_and_never_wrong_bytes() {
    let whole = frames(&CONTENTS).concat();
    assert_eq!(read(&whole), (CONTENTS.concat(), Ok(())));
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let (content, end) = read(&flipped);
        assert!(end.is_err() && CONTENTS.concat().starts_with(&content), "{bit}: {content:?} {end:?}");
    }
}

#[test]
fn frames_that_are_swapped_dropped_or_repeated_are_an_error() {
    let whole = frames(&CONTENTS);
    for order in [&[1, 0, 2, 3][..], &[0, 2, 3], &[0, 0, 1, 2, 3], &[0, 1, 2, 2, 3], &[0, 1, 3], &[3], &[1]] {
        let bytes: Vec<u8> = order.iter().flat_map(|at| whole[*at].clone()).collect();
        let right = order.iter().enumerate().take_while(|(at, frame)| at == *frame).count();
        assert_eq!(read(&bytes), (CONTENTS[..right].concat(), Err(FrameError::WrongMac)), "{order:?}");
    }
}

#[test]
fn frames_of_the_other_direction_are_an_error() {
    let mut bytes = BytesMut::new();
    FrameWriter::new(key(Toward::Dialer)).write(&[IoSlice::new(b"hi")], &mut bytes);
    assert_eq!(read(&bytes), (Vec::new(), Err(FrameError::WrongMac)));
}

#[test]
fn a_connection_that_is_cut_anywhere_is_an_error() {
    let whole = frames(&CONTENTS).concat();
    for count in 0..whole.len() {
        let (content, end) = read(&whole[..count]);
        assert_eq!(end, Err(FrameError::CutOff), "{count}");
        assert!(CONTENTS.concat().starts_with(&content), "{count}");
    }
}

#[test]
fn a_frame_that_claims_to_be_long_is_refused_at_its_length() {
    assert_eq!(read(&[0x40, 0x01]), (Vec::new(), Err(FrameError::TooLong(MAX_CONTENT + 1))));
    assert_eq!(read(&[0xff, 0xff]), (Vec::new(), Err(FrameError::TooLong(65_535))));
    let longest = vec![7; MAX_CONTENT];
    assert_eq!(read(&frames(&[&longest]).concat()), (longest, Ok(())));
}

#[tokio::test]
async fn a_shutdown_is_an_end_and_the_other_direction_goes_on() {
    let [mut dialer, mut acceptor] = pair(64);
    dialer.write_all(b"last").await.unwrap();
    assert_eq!(dialer.write(b"").await.unwrap(), 0, "no bytes are no end");
    dialer.shutdown().await.unwrap();
    let mut content = Vec::new();
    acceptor.read_to_end(&mut content).await.unwrap();
    assert_eq!(content, b"last");
    assert_eq!(dialer.write(b"more").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    acceptor.write_all(b"still here").await.unwrap();
    acceptor.shutdown().await.unwrap();
    content.clear();
    dialer.read_to_end(&mut content).await.unwrap();
    assert_eq!(content, b"still here");
}

#[test]
fn neither_keys_nor_what_clients_say_stand_in_a_log() {
    let [dialer, _acceptor] = pair(64);
    assert_eq!(format!("{dialer:?}"), "Tunnel { is_shut: false, .. }");
}

#[tokio::test]
async fn a_node_that_dies_is_no_end() {
    let [mut dialer, mut acceptor] = pair(64);
    dialer.write_all(b"hi").await.unwrap();
    drop(dialer);
    let mut content = Vec::new();
    let error = acceptor.read_to_end(&mut content).await.unwrap_err();
    assert_eq!((error.kind(), &content[..]), (io::ErrorKind::UnexpectedEof, &b"hi"[..]));
    assert!(acceptor.write_all(b"hello?").await.is_err());
}

/// Writes these parts into one end, and reads the other until the end.
async fn carry_parts(parts: &[Vec<u8>], from: impl AsyncWrite + Unpin, to: impl AsyncRead + Unpin) {
    let (mut from, mut to) = (from, to);
    let writing = async {
        for part in parts {
            from.write_all(part).await.unwrap();
        }
        from.shutdown().await.unwrap();
    };
    let mut content = Vec::new();
    let (read, ()) = tokio::join!(to.read_to_end(&mut content), writing);
    read.unwrap();
    assert!(content == parts.concat());
}

fn parts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let part = (prop_oneof![0..100_usize, 0..40_000_usize], any::<u8>());
    let bytes = |(count, seed)| (0..count).map(|at| u8::try_from(at * 31 % 251).unwrap() ^ seed).collect();
    proptest::collection::vec(part.prop_map(bytes), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn both_directions_carry_bytes_of_any_size_at_once(
        there in parts(),
        back in parts(),
        capacity in prop_oneof![1..40_usize, 1_000..100_000_usize],
    ) {
        let [dialer, acceptor] = pair(capacity).map(split);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            tokio::join!(carry_parts(&there, dialer.1, acceptor.0), carry_parts(&back, acceptor.1, dialer.0))
        });
    }

    #[test]
    fn arbitrary_bytes_are_no_frames(bytes: Vec<u8>, is_short: bool) {
        let length: &[u8] = if is_short { &[0, 9] } else { &[] };
        let (content, end) = read(&[length, &bytes].concat());
        prop_assert!(content.is_empty() && end.is_err());
    }
}
