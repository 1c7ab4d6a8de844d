//! The process of the attackers. It opens as many connections as it can until its input closes, then
//! reports.

use std::cell::RefCell;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use tokio::task::LocalSet;

use super::choice::{Lobbies, Orders};
use super::means::Means;
use super::raider::{Count, Raider};

/// The pause after a failed or closed connection.
const PAUSE: Duration = Duration::from_millis(1);

/// Runs the first kind of attack on this server until the input closes.
pub(crate) fn run(orders: Orders, target: SocketAddr) -> anyhow::Result<()> {
    let (means, from) = (orders.means()[0], orders.from()[0]);
    let (done, is_done) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        // The end of the input counts, not its content.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        done.send(())
    });
    let count = Rc::new(RefCell::new(Count::default()));
    let (lobbies, all) = (Rc::new(orders.lobbies), LocalSet::new());
    if means == Means::Nothing {
        // The CPU load of attackers, without any traffic.
        all.spawn_local(async {
            loop {
                tokio::task::yield_now().await;
            }
        });
    } else {
        for number in 0..from.raiders(means.is_crowd()) {
            let raid = raid(means, from.address(number), target, Rc::clone(&lobbies), Rc::clone(&count));
            all.spawn_local(raid);
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(all.run_until(async { drop(is_done.await) }));
    println!("{}", serde_json::to_string(&*count.borrow())?);
    Ok(())
}

/// Opens one connection after the other, forever.
async fn raid(
    means: Means,
    from: Ipv4Addr,
    target: SocketAddr,
    lobbies: Rc<Lobbies>,
    count: Rc<RefCell<Count>>,
) {
    loop {
        if let Ok(mut raider) = Raider::connect(from, target, &count).await {
            // An error ends only this connection.
            let _ = means.attack(&mut raider, &lobbies).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
