//! The process of the attackers: it opens all connections it can until its input is closed; then it reports.

use std::cell::RefCell;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use tokio::task::LocalSet;

use super::choice::Orders;
use super::means::Means;
use super::raider::{Count, Raider};

/// How long to wait after a failed or closed connection.
const PAUSE: Duration = Duration::from_millis(1);

/// Attacks this server by the first of all means until the input is closed.
pub(crate) fn run(orders: Orders, target: SocketAddr) -> anyhow::Result<()> {
    let (means, from) = (orders.means()[0], orders.from()[0]);
    let (done, is_done) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        // Whatever it says, it is over.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        done.send(())
    });
    let count = Rc::new(RefCell::new(Count::default()));
    let (code, all) = (Rc::<str>::from(orders.code), LocalSet::new());
    if means == Means::Nothing {
        // What attackers do to the machine and not to the server.
        all.spawn_local(async {
            loop {
                tokio::task::yield_now().await;
            }
        });
    } else {
        for number in 0..from.raiders() {
            let raid = raid(means, from.address(number), target, Rc::clone(&code), Rc::clone(&count));
            all.spawn_local(raid);
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(all.run_until(async { drop(is_done.await) }));
    println!("{}", serde_json::to_string(&*count.borrow())?);
    Ok(())
}

/// One connection after the other, for ever.
async fn raid(means: Means, from: Ipv4Addr, target: SocketAddr, code: Rc<str>, count: Rc<RefCell<Count>>) {
    loop {
        if let Ok(mut raider) = Raider::connect(from, target, &count).await {
            // However it ends, the next one follows.
            let _ = means.attack(&mut raider, &code).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
