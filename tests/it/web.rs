//! The web site: HTTP, and the pages of browsers, without a browser.

#[cfg(unix)]
mod alone;
mod browser;
mod http;
mod inviting;
mod playing;
