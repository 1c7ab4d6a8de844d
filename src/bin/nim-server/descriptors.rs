//! Open files: a server needs one for each connection, a node of a cluster two, and both some for themselves.

#[cfg(feature = "cluster")]
use nim::cluster::runtime::NODE_FILES;
use nim::server::{Config, RESERVED_FILES};

/// What a server needs open files for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileNeeds {
    /// How many each connection needs.
    each: usize,
    /// How many everything else needs.
    reserved: usize,
}

impl FileNeeds {
    /// Those of the only server of its lobbies.
    pub(crate) const ALONE: Self = Self { each: 1, reserved: RESERVED_FILES };

    /// Those of a node: beside its socket, a client may have a tunnel to the node with its lobby.
    #[cfg(feature = "cluster")]
    pub(crate) const NODE: Self = Self { each: 2, reserved: RESERVED_FILES + NODE_FILES };

    /// How many files this many connections need.
    fn files(self, connections: usize) -> usize {
        connections.saturating_mul(self.each).saturating_add(self.reserved)
    }

    /// How many connections fit below this limit on open files.
    fn connections(self, files: usize) -> usize {
        // With very few files no reserve would be enough; then the server closes idle connections when it has to.
        files.saturating_sub(self.reserved).max(files / 4) / self.each
    }

    /// How many of the wished connections fit below this limit. If those are fewer, also a line for the start screen.
    fn fitting(self, wished: usize, files: usize) -> (usize, Option<String>) {
        let left = self.connections(files);
        let line = (left < wished).then(|| {
            format!(
                "This system allows {files} open files, so there are at most {left} connections (--max-connections {wished} \
                 needs `ulimit -n {}`).",
                self.files(wished)
            )
        });
        (wished.min(left), line)
    }
}

/// Raises the process's limit on open files, if it is too low for the maximum number of connections, as far as
/// the system allows. Lowers that maximum to what is left; then returns a line for the start screen.
pub(crate) fn fit(config: &mut Config, needs: FileNeeds) -> Option<String> {
    let files = raise(needs.files(config.max_connections))?;
    let (fitting, line) = needs.fitting(config.max_connections, files);
    config.max_connections = fitting;
    line
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
        let connections = |files| FileNeeds::ALONE.connections(files);
        assert_eq!([1_112, 256, 112, 32].map(connections), [1_000, 144, 28, 8]);
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn a_node_of_a_cluster_has_two_files_for_each_connection_and_more_in_reserve() {
        let needs = FileNeeds::NODE;
        assert_eq!(needs.files(1_000), 2_000 + RESERVED_FILES + NODE_FILES);
        // Of the last one only one of two files is there.
        let connections = |more| needs.connections(RESERVED_FILES + NODE_FILES + more);
        assert_eq!([2_000, 2_001, 2_002].map(connections), [1_000, 1_000, 1_001]);
        assert_eq!(needs.connections(256), 32, "a quarter of few files is for clients with tunnels");
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn the_page_on_limits_says_how_many_files_a_node_of_a_cluster_keeps() {
        let page = include_str!("../../../docs/LIMITS.md").replace(',', "");
        assert!(page.contains(&format!("keeps {NODE_FILES} more")), "{NODE_FILES}");
    }

    #[test]
    fn where_files_are_few_the_line_names_a_limit_with_which_all_connections_fit_in_a_cluster_too() {
        let all = [
            FileNeeds::ALONE,
            #[cfg(feature = "cluster")]
            FileNeeds::NODE,
        ];
        for needs in all {
            let (fitting, line) = needs.fitting(1_000, 1_024);
            assert!(fitting < 1_000, "{needs:?}");
            let line = line.unwrap();
            assert!(
                line.contains(&format!("at most {fitting} connections (--max-connections 1000 ")),
                "{line}"
            );
            let named = line.split_once("`ulimit -n ").unwrap().1.split_once('`').unwrap().0.parse().unwrap();
            assert_eq!(needs.fitting(1_000, named), (1_000, None), "{line}");
            assert_eq!(needs.fitting(1_000, named - 1).0, 999, "{line}");
        }
    }
}
