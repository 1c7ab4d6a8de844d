//! The two datagrams of the request by broadcast, byte by byte as `proto/DISCOVERY.md` describes them. Knows no socket.
//!
//! A request is as long as the longest answer or longer, so that whoever asks in another one's name cannot turn hosts
//! into a flood: they send fewer bytes than they get.

use super::label::{MAX_NAME, MAX_VERSION};
use super::{Card, HostId, Label};

/// The UDP port at which hosts hear requests.
pub const DISCOVERY_PORT: u16 = 7646;

/// The length of a request in bytes, no more and no less.
pub const REQUEST: usize = 128;

/// The longest answer in bytes.
pub const MAX_ANSWER: usize = HEAD + 8 + 2 + 2 + 1 + MAX_NAME + 1 + MAX_VERSION;
const _: () = assert!(MAX_ANSWER <= REQUEST, "an answer is never longer than what it answers");

/// What both begin with: four letters, the version of this format, and the number that ties an answer to its request.
const HEAD: usize = 4 + 1 + 8;

const ASKS: [u8; 4] = *b"nim?";
const ANSWERS: [u8; 4] = *b"nim!";
/// The version of this format.
const FORMAT: u8 = 1;

/// A number that a request chooses and its answers repeat.
pub type Nonce = [u8; 8];

/// The bytes of a request.
pub fn request(nonce: Nonce) -> [u8; REQUEST] {
    let mut bytes = [0; REQUEST];
    bytes[..HEAD].copy_from_slice(&head(ASKS, nonce));
    bytes
}

/// Reads a request; `None` for anything else.
pub fn read_request(bytes: &[u8]) -> Option<Nonce> {
    (bytes.len() == REQUEST).then(|| read_head(ASKS, bytes)).flatten().map(|(nonce, _)| nonce)
}

/// The bytes of an answer.
pub fn answer(nonce: Nonce, card: &Card) -> Vec<u8> {
    let mut bytes = head(ANSWERS, nonce).to_vec();
    bytes.extend(card.id.0.to_be_bytes());
    bytes.extend(card.port.to_be_bytes());
    bytes.extend(card.open_lobbies.to_be_bytes());
    write_text(&mut bytes, card.name.as_str());
    write_text(&mut bytes, card.version.as_str());
    bytes
}

/// Reads an answer, with the number of its request; `None` for anything else. Later versions may say more behind it.
pub fn read_answer(bytes: &[u8]) -> Option<(Nonce, Card)> {
    let (nonce, rest) = read_head(ANSWERS, bytes)?;
    let (id, rest) = rest.split_first_chunk()?;
    let (port, rest) = rest.split_first_chunk()?;
    let (open_lobbies, rest) = rest.split_first_chunk()?;
    let (name, rest) = read_text(rest)?;
    let (version, _) = read_text(rest)?;
    let card = Card {
        id: HostId(u64::from_be_bytes(*id)),
        name,
        version,
        port: Some(u16::from_be_bytes(*port)).filter(|port| *port > 0)?,
        open_lobbies: u16::from_be_bytes(*open_lobbies),
    };
    Some((nonce, card))
}

fn head(letters: [u8; 4], nonce: Nonce) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[..4].copy_from_slice(&letters);
    bytes[4] = FORMAT;
    bytes[5..].copy_from_slice(&nonce);
    bytes
}

fn read_head(letters: [u8; 4], bytes: &[u8]) -> Option<(Nonce, &[u8])> {
    let (format, rest) = bytes.strip_prefix(&letters)?.split_first()?;
    let (nonce, rest) = rest.split_first_chunk()?;
    (*format == FORMAT).then_some((*nonce, rest))
}

/// A text behind its length.
fn write_text(bytes: &mut Vec<u8>, text: &str) {
    // A label has 48 bytes at most.
    bytes.push(u8::try_from(text.len()).unwrap_or_default());
    bytes.extend(text.as_bytes());
}

/// Reads what can be shown of a text.
fn read_text<const MAX: usize>(bytes: &[u8]) -> Option<(Label<MAX>, &[u8])> {
    let (length, rest) = bytes.split_first()?;
    let (text, rest) = rest.split_at_checked(usize::from(*length))?;
    let label = Label::clean(std::str::from_utf8(text).ok()?).ok()?;
    Some((label, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NONCE: Nonce = [1, 2, 3, 4, 5, 6, 7, 8];

    fn card() -> Card {
        Card {
            id: HostId(0x0123_4567_89ab_cdef),
            name: "anna's laptop".parse().unwrap(),
            version: "0.1.0".parse().unwrap(),
            port: 7646,
            open_lobbies: 2,
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_page() {
        let page = include_str!("../../proto/DISCOVERY.md");
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>();
        for bytes in [&request(NONCE)[..HEAD], &answer(NONCE, &card())] {
            for line in hex(bytes).chunks(16) {
                assert!(page.contains(&line.join(" ")), "the page lacks {}", line.join(" "));
            }
        }
        for number in [REQUEST, MAX_ANSWER, MAX_NAME, MAX_VERSION, usize::from(DISCOVERY_PORT)] {
            assert!(page.contains(&number.to_string()), "the page lacks {number}");
        }
    }

    #[test]
    fn what_is_cut_short_is_no_answer_and_no_request() {
        let (request, answer) = (request(NONCE), answer(NONCE, &card()));
        for length in 0..answer.len() {
            assert_eq!(read_answer(&answer[..length]), None, "{length}");
        }
        for length in (0..REQUEST).chain([REQUEST + 1]) {
            let mut bytes = request.to_vec();
            bytes.resize(length, 0);
            assert_eq!(
                read_request(&bytes),
                None,
                "a short request would be worth more than its answer: {length}"
            );
        }
        assert_eq!((read_answer(&request), read_request(&answer)), (None, None));
    }

    #[test]
    fn a_host_without_a_port_or_a_visible_name_is_none() {
        assert_eq!(read_answer(&answer(NONCE, &Card { port: 0, ..card() })), None);
        let mut bytes = answer(NONCE, &card());
        bytes[HEAD + 13..HEAD + 13 + 13].fill(0x1b);
        assert_eq!(read_answer(&bytes), None);
    }

    prop_compose! {
        fn any_card()(
            id: u64, port in 1u16.., open_lobbies: u16, name in "[^\\pC\\pZ]\\PC{0,60}", version in "[0-9a-z.+-]{1,30}",
        ) -> Option<Card> {
            let (name, version) = (name.parse().ok()?, version.parse().ok()?);
            Some(Card { id: HostId(id), name, version, port, open_lobbies })
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read(nonce: Nonce, card in any_card()) {
            prop_assert_eq!(read_request(&request(nonce)), Some(nonce));
            if let Some(card) = card {
                let bytes = answer(nonce, &card);
                prop_assert!(bytes.len() <= MAX_ANSWER);
                prop_assert_eq!(read_answer(&bytes), Some((nonce, card)));
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, behind_a_head: bool) {
            let bytes = if behind_a_head { [&head(ANSWERS, NONCE), &bytes[..]].concat() } else { bytes };
            read_request(&bytes);
            if let Some((nonce, card)) = read_answer(&bytes) {
                let again = read_answer(&answer(nonce, &card));
                prop_assert_eq!(again, Some((nonce, card)));
            }
        }

        #[test]
        fn a_changed_byte_never_breaks_the_reader(at in 0usize..90, byte: u8) {
            let mut bytes = answer(NONCE, &card());
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Some((_, card)) = read_answer(&bytes) {
                prop_assert!(card.name.as_str().chars().all(|c| !c.is_control()));
            }
        }
    }
}
