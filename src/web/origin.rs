//! The origins whose pages may use the site's sockets. A browser names the origin of the page that opens one.

use std::fmt;
use std::str::FromStr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

/// The origin of a page: a scheme, a host and perhaps a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

/// A text is no origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "an origin is a scheme, a host and perhaps a port, such as https://games.example or http://localhost:8080"
)]
pub struct BadOrigin;

impl FromStr for Origin {
    type Err = BadOrigin;

    fn from_str(text: &str) -> Result<Self, BadOrigin> {
        let uri: Uri = text.parse().map_err(|_| BadOrigin)?;
        let (scheme, authority) = uri.scheme_str().zip(uri.authority()).ok_or(BadOrigin)?;
        let has_only_these = text.len() == scheme.len() + "://".len() + authority.as_str().len();
        let host = authority.host();
        let port = match authority.as_str().strip_prefix(host) {
            Some("") => None,
            Some(_) => Some(authority.port_u16().filter(|port| *port > 0).ok_or(BadOrigin)?),
            // There is a user before the host.
            None => return Err(BadOrigin),
        };
        if host.is_empty() || !has_only_these {
            return Err(BadOrigin);
        }
        let usual = match scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let port = port.filter(|port| Some(*port) != usual).map(|port| format!(":{port}"));
        let origin = format!("{scheme}://{host}{}", port.unwrap_or_default());
        Ok(Self(origin.to_ascii_lowercase()))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether these headers come from a page of this site.
pub(super) fn is_own_page(headers: &HeaderMap) -> bool {
    headers.contains_key(ORIGIN) && is_welcome(headers, &[])
}

/// Whether these headers come from a page of this site or of one of these origins, or from no page at all.
pub(super) fn is_welcome(headers: &HeaderMap, allowed: &[Origin]) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    headers.get_all(ORIGIN).iter().all(|origin| {
        let Ok(origin) = origin.to_str() else { return false };
        is_own(origin, host) || origin.parse().is_ok_and(|origin| allowed.contains(&origin))
    })
}

/// Whether a page of this origin is one of this site, which was asked for by this `Host`.
fn is_own(origin: &str, host: &str) -> bool {
    origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"))
        .is_some_and(|from| from == host)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn an_origin_is_read_as_browsers_write_it() {
        for (text, origin) in [
            ("https://games.example", "https://games.example"),
            ("HTTPS://Games.Example:443", "https://games.example"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://[::1]:80", "http://[::1]"),
            ("app://game", "app://game"),
        ] {
            assert_eq!(text.parse::<Origin>().map(|origin| origin.to_string()), Ok(origin.to_owned()));
        }
        for text in [
            "",
            "null",
            "*",
            "games.example",
            "games.example:80",
            "https://",
            "https://games.example/",
            "https://games.example/page",
            "https://games.example?x",
            "https://anna@games.example",
            "https://games.example:",
            "https://games.example:0",
            "https://games.example:65536",
            "https://games example",
            "/games",
        ] {
            assert_eq!(text.parse::<Origin>(), Err(BadOrigin), "{text}");
        }
    }

    /// The headers of a visitor to this site.
    fn headers(origins: &[&'static [u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("192.168.1.7:7646"));
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_bytes(origin).unwrap());
        }
        headers
    }

    #[test]
    fn only_pages_of_the_same_host_and_port_are_of_this_site() {
        assert!(is_own_page(&headers(&[b"http://192.168.1.7:7646"])));
        for origin in [
            &b"http://192.168.1.7"[..],
            b"null",
            b"http://evil.example",
            b"http://192.168.1.7:7646.evil.example",
            b"\xff",
            b"",
        ] {
            assert!(!is_own_page(&headers(&[origin])), "{origin:?}");
        }
        assert!(!is_own_page(&headers(&[])));
    }

    #[test]
    fn every_origin_that_is_named_has_to_be_allowed() {
        let allowed = ["https://games.example".parse().unwrap()];
        let is_welcome = |origins: &[&'static [u8]]| is_welcome(&headers(origins), &allowed);
        assert!(is_welcome(&[]));
        assert!(is_welcome(&[b"https://games.example", b"http://192.168.1.7:7646"]));
        assert!(!is_welcome(&[b"https://games.example", b"https://evil.example"]));
        assert!(!is_welcome(&[b"https://games.example:444"]));
        assert!(!is_welcome(&[b"http://games.example"]));
    }
}
