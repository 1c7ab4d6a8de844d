//! The web site: HTTP, and the pages of browsers, without a browser.

mod browser;
mod hall;
mod http;
mod meanwhile;
mod playing;
mod records;
mod showing;
