//! The examples below the helps of the player's program, each a line that can be typed.

use nim::cli::Example;

pub(crate) const PROGRAM: &[Example] = &[
    ("nim-client", "the first screen: play here and now, find hosts, or go on"),
    ("nim-client play", "the usual game, against the bot"),
    ("nim-client connect 192.168.1.7", "the lobbies of a host, by the address that it shows"),
];

pub(crate) const CONNECT: &[Example] = &[
    ("nim-client connect", "to the only host on this network"),
    ("nim-client connect 192.168.1.7 --quick java-tech", "play whoever waits for that game, or wait"),
    ("nim-client connect 192.168.1.7 --new nim:3-4-5 --clock 5m+3s", "open a lobby"),
    ("nim-client connect 192.168.1.7 --join brave-otter --name anna", "join a lobby by its code"),
];

pub(crate) const HOSTS: &[Example] = &[
    ("nim-client hosts", "who hosts on this network"),
    ("nim-client hosts --wait 5s --json", "the same for a script, looked for longer"),
];

pub(crate) const RESUME: &[Example] = &[
    ("nim-client resume", "go on where you were"),
    ("nim-client resume brave-otter --as anna", "where you have several seats: in this one"),
    ("nim-client resume brave-otter --forget", "do not go on there, now or later"),
];

pub(crate) const PLAY: &[Example] = &[
    ("nim-client play", "the usual game, against the bot"),
    ("nim-client play nim:3-4-5 --level easy --starts me", "another one, against an easier bot"),
    ("nim-client play tic-tac-toe --two --other ben", "two people at one keyboard"),
    ("nim-client play connect-four --watch --bot-pace 2s", "two bots, slowly"),
    ("nim-client play --from game.txt --at 7", "go on behind the seventh move of a record"),
];

pub(crate) const STUDY: &[Example] = &[
    ("nim-client study tree java-tech:4", "the game tree of a small game"),
    ("nim-client study moves java-tech --at 20", "what every move is worth, and why"),
];

pub(crate) const TREE: &[Example] = &[
    ("nim-client study tree java-tech:4", "the whole tree, to be read aloud"),
    ("nim-client study tree java-tech:4 --graph --format svg --out tree.svg", "a drawing"),
    ("nim-client study tree tic-tac-toe --at x.o/.x./..o --depth 2", "the next two moves"),
];

pub(crate) const COUNT: &[Example] = &[
    ("nim-client study count java-tech:21", "how large a game is, and how often who wins"),
    ("nim-client study count tic-tac-toe --at x.o/.x./..o", "the same from a position"),
];

pub(crate) const MOVES: &[Example] = &[
    ("nim-client study moves java-tech --at 20", "three moves, one of which is good"),
    ("nim-client study moves connect-four", "which column to begin in"),
];

pub(crate) const TRACE: &[Example] = &[
    ("nim-client study trace java-tech:4 --step", "a search, a line at every Enter"),
    ("nim-client study trace tic-tac-toe --at x.o/.x./..o --with alpha-beta", "one that cuts"),
];

pub(crate) const SOLVE: &[Example] = &[
    ("nim-client study solve nim:3-4-5", "who wins, how soon, and by which line"),
    ("nim-client study solve connect-four --at 4444", "the same from a position"),
];

pub(crate) const LEVELS: &[Example] = &[
    ("nim-client study levels java-tech", "the table of all levels"),
    ("nim-client study levels nim:3-4-5 --games 100 --seed 7", "a rougher one, from other games"),
];

pub(crate) const BOOK: &[Example] =
    &[("nim-client study book scores --threads 2", "make the book with two threads, or further")];

pub(crate) const SCORE: &[Example] = &[
    ("nim-client study score connect-four < positions.txt", "the score of every line of a file"),
    ("echo 4453 | nim-client study score connect-four --book", "that of one position"),
];

pub(crate) const RECORD: &[Example] = &[
    ("nim-client record list", "the games that you played at this keyboard"),
    ("nim-client record export 3/1 --to game.txt", "one of them as a file"),
    ("nim-client record replay game.txt", "what its moves were worth"),
];

pub(crate) const LIST: &[Example] = &[
    ("nim-client record list", "the games that you played at this keyboard"),
    ("nim-client record list --server 192.168.1.7 --with ben --since 7d", "a week of ben's on a host"),
    ("nim-client record list *.txt --game java-tech", "those among these files"),
];

pub(crate) const EXPORT: &[Example] = &[
    ("nim-client record export brave-otter", "the newest game that was played there, as text"),
    ("nim-client record export --server 192.168.1.7 17/2 --to game.txt", "one of a host, as a file"),
];

pub(crate) const SHOW: &[Example] = &[
    ("nim-client record show game.txt", "the whole game, with its positions"),
    ("nim-client record show game.txt --at 7", "the position behind the seventh move"),
    ("nim-client record show --server 192.168.1.7 brave-otter", "the newest game there"),
];

pub(crate) const REPLAY: &[Example] = &[
    ("nim-client record replay game.txt", "step by step"),
    ("nim-client record replay --server 192.168.1.7 17/2 | less", "all at once"),
];

pub(crate) const VERIFY: &[Example] = &[
    ("nim-client record verify game.txt", "whether it is right"),
    ("nim-client record verify - < mail.txt", "also in the middle of a mail"),
];

pub(crate) const CONFIG: &[Example] = &[
    ("nim-client config", "what the settings are, where each comes from, and where the file is"),
    ("nim-client config level easy", "an easy bot from now on"),
    ("nim-client config --unset level", "the usual one again"),
    ("nim-client config name", "one of them alone"),
];

pub(crate) const COMPLETIONS: &[Example] =
    &[("nim-client completions bash > nim-client.bash", "the script for bash, to look at")];

pub(crate) const MAN: &[Example] = &[
    ("nim-client man | man -l -", "the page of the program, now"),
    ("nim-client man --to ~/.local/share/man/man1", "all pages, to stay"),
];
