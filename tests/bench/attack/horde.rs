//! The process of the attackers: as many connections as they get, until its input is closed; then it says
//! what it has seen.

use std::cell::RefCell;
use std::io::Read;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::LocalSet;

use super::choice::Order;
use super::means::Means;
use super::raider::Count;
use super::raider::Raider;

/// How long to wait after a failed or closed connection.
const PAUSE: Duration = Duration::from_millis(1);

/// Attacks until the input is closed.
pub(crate) fn run(order: Order) -> anyhow::Result<()> {
    let (done, is_done) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        // Whatever it says, it is over.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        done.send(())
    });
    let count = Rc::new(RefCell::new(Count::default()));
    let (order, all) = (Rc::new(order), LocalSet::new());
    if order.means == Means::Nothing {
        all.spawn_local(keep_busy());
    } else {
        for number in 0..order.from.raiders() {
            all.spawn_local(raid(Rc::clone(&order), number, Rc::clone(&count)));
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(all.run_until(async { drop(is_done.await) }));
    println!("{}", serde_json::to_string(&*count.borrow())?);
    Ok(())
}

/// Does what attackers do to the machine and not to the server.
async fn keep_busy() {
    loop {
        tokio::task::yield_now().await;
    }
}

/// One connection after the other, for ever.
async fn raid(order: Rc<Order>, number: usize, count: Rc<RefCell<Count>>) {
    let from = order.from.address(number);
    loop {
        if let Ok(mut raider) = Raider::connect(from, order.target, &count).await {
            // However it ends, the next one follows.
            let _ = order.means.attack(&mut raider, &order.code).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
