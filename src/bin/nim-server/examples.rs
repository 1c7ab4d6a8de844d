//! The examples below the helps of the host's program, each a line that can be typed.

use nim::cli::Example;

pub(crate) const PROGRAM: &[Example] = &[
    ("nim-server", "host for everyone on this network"),
    ("nim-server --server-name classroom --metrics 7647", "under another name, with numbers to watch"),
    ("nim-server check", "whether all that is recorded is sound"),
];

pub(crate) const HOST: &[Example] = &[
    ("nim-server host", "the same as nim-server alone"),
    ("nim-server host --bind 127.0.0.1:0 --memory", "to try a client of one's own: this machine alone"),
    ("nim-server host --bot-after 1m --paused-kept 30d", "with more patience"),
    ("nim-server host --durability power --data /srv/nim", "where nothing may be lost"),
];

pub(crate) const CHECK: &[Example] = &[
    ("nim-server check", "verify everything that is recorded"),
    ("nim-server check --data /srv/nim", "the same in another folder"),
];

pub(crate) const BACKUP: &[Example] = &[
    ("nim-server backup copy.sqlite", "copy everything that is recorded"),
    ("nim-server backup copy.sqlite --data /srv/nim", "the same from another folder"),
];

pub(crate) const STATUS: &[Example] = &[
    ("nim-server status", "how a host of this machine with --metrics 7647 does"),
    ("nim-server status 192.168.1.7:7647", "how another one does"),
];

pub(crate) const COMPLETIONS: &[Example] =
    &[("nim-server completions bash > nim-server.bash", "the script for bash, to look at")];

pub(crate) const MAN: &[Example] = &[
    ("nim-server man | man -l -", "the page of the program, now"),
    ("nim-server man --to ~/.local/share/man/man1", "all pages, to stay"),
];
