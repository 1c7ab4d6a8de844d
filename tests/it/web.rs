//! The web site: HTTP, the pages of browsers, without a browser, and the API.

mod api;
mod browser;
mod http;
mod node;
mod playing;
mod script;
