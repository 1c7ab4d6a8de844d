//! The web site: HTTP, the pages of browsers, without a browser, and the API.

mod api;
mod bounds;
mod browser;
mod hall;
mod http;
mod meanwhile;
mod node;
mod playing;
mod records;
mod script;
mod showing;
