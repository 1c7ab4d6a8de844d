//! Open files: a server needs one for each connection, and some for itself.

use nim::server::{Config, RESERVED_FILES};

/// Raises the process's limit on open files, if it is too low for the maximum number of connections, as far as
/// the system allows. Lowers that maximum to what is left; then returns a line for the start screen.
pub(crate) fn fit(config: &mut Config) -> Option<String> {
    let files = raise(config.max_connections.saturating_add(RESERVED_FILES))?;
    let (wished, left) = (config.max_connections, connections(files));
    config.max_connections = wished.min(left);
    (left < wished).then(|| {
        format!(
            "This system allows {files} open files, so there are at most {left} connections (--max-connections {wished} \
             needs `ulimit -n {}`).",
            wished + RESERVED_FILES
        )
    })
}

/// How many connections fit below this limit on open files.
fn connections(files: usize) -> usize {
    // With very few files no reserve would be enough; then the server closes idle connections when it has to.
    files.saturating_sub(RESERVED_FILES).max(files / 4)
}

/// Raises the limit on open files to this, or to the highest that is allowed. Returns it, if there is one.
#[cfg(unix)]
fn raise(wanted: usize) -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
    let raised = maximum.map_or(wanted, |maximum| wanted.min(maximum));
    let is_raised = current.is_some_and(|current| current < raised)
        && setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum }).is_ok();
    let files = if is_raised { Some(raised) } else { current };
    files.map(|files| usize::try_from(files).unwrap_or(usize::MAX))
}

/// Other systems do not count sockets as files.
#[cfg(not(unix))]
fn raise(_: usize) -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_files_is_kept_in_reserve_and_even_few_files_leave_some_connections() {
        assert_eq!([1_112, 256, 112, 32].map(connections), [1_000, 144, 28, 8]);
    }
}
