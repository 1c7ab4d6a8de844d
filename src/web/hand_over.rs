//! Where the web site and the server meet: connections that open with HTTP in one direction, sessions of browsers and
//! their searches in the other.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::host::{Found, Host, Registration, Visitor, Work};
use super::site::Site;
use crate::client::dial::Stream;
use crate::lobby::Code;
use crate::server::{Entrance, HttpStream, WebSite};
use crate::wire::{Access, HallRefusal};

impl Host for Entrance {
    fn connect(&self, peer: SocketAddr) -> Box<dyn Stream> {
        Box::new(Entrance::connect(self, peer))
    }

    fn search(&self, address: IpAddr, work: Work) -> Found {
        Box::pin(self.think(address, work))
    }

    fn access(&self, address: IpAddr, code: Code) -> Result<Access, HallRefusal> {
        Entrance::access(self, address, code)
    }
}

impl Registration for crate::server::Registration {
    fn end(&self) {
        crate::server::Registration::end(self);
    }

    fn charge(&self, price: u32) -> Duration {
        crate::server::Registration::charge(self, price)
    }
}

impl WebSite for Site {
    fn serve(&self, stream: HttpStream) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let visitor = Visitor { peer: stream.peer(), registration: Arc::new(stream.registration()) };
        Box::pin(self.clone().serve_connection(stream, visitor))
    }
}
