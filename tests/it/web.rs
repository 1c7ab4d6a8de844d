//! The web site: HTTP, and the pages of browsers, without a browser.

mod bounds;
mod browser;
mod http;
mod playing;
