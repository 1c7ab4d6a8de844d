//! `nim-server check --cluster`: verifies what a cluster keeps in etcd.

use std::sync::Arc;

use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use nim::cluster::check::check;
use nim::cluster::engine::Engine;
use nim::cluster::engine::etcd::EtcdOptions;
use nim::cluster::keys::Slot;
use nim::game::notation::printable;

use crate::values::say;

/// The bar on a terminal.
const LOOK: &str = "reading slots [{bar:30}] {pos} of {len}";

/// Prints the findings. Returns whether there are none.
pub(crate) async fn check_cluster(options: EtcdOptions, engine: Arc<dyn Engine>) -> anyhow::Result<bool> {
    // It shows nothing where the standard error is no terminal.
    let bar = ProgressBar::with_draw_target(Some(Slot::COUNT as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(LOOK).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = bar.with_style(style).with_finish(ProgressFinish::AndClear);
    let report = check(&*engine, |slots| bar.set_position(slots as u64)).await?;
    bar.finish_and_clear();
    let Some(report) = report else {
        bail!("etcd at {} has no cluster below {:?}", options.endpoints.join(","), options.namespace);
    };
    for line in report.to_string().lines() {
        say(&printable(line).collect::<String>())?;
    }
    Ok(report.findings.is_empty())
}
