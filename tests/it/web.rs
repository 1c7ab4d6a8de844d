//! The web site: HTTP, the pages of browsers, without a browser, and the API.

#[cfg(unix)]
mod alone;
mod api;
mod bounds;
mod browser;
mod hall;
mod http;
mod inviting;
#[cfg(unix)]
mod log;
mod meanwhile;
mod node;
mod playing;
mod records;
mod script;
mod showing;
