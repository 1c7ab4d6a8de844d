use nim::lan::datagram::{MAX_ANSWER, REQUEST, answer, read_answer, read_request, request};

/// Reads a datagram as a request and as an answer, and writes again what was in it.
pub fn body(data: &[u8]) {
    if let Some(nonce) = read_request(data) {
        assert_eq!(data.len(), REQUEST);
        assert_eq!(read_request(&request(nonce)), Some(nonce));
        assert_eq!(read_answer(data), None, "nothing is both");
    }
    if let Some((nonce, card)) = read_answer(data) {
        let bytes = answer(nonce, &card);
        assert!(bytes.len() <= MAX_ANSWER, "an answer is no longer than a request");
        assert_eq!(read_answer(&bytes), Some((nonce, card.clone())));
        let shown = [card.name.to_string(), card.version.to_string()].concat();
        assert!(!shown.chars().any(char::is_control), "a host commands no terminal");
    }
}
