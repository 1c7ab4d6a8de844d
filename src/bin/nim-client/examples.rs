//! The examples in the help of the player's program, each a line that can be typed.

use nim::cli::Example;

pub(crate) const PROGRAM: &[Example] = &[
    ("nim-client", "the first screen: play, find hosts, or resume a game"),
    ("nim-client play", "the default game, against the bot"),
    ("nim-client connect 192.168.1.7", "show the lobbies of a host, at the address that it shows"),
];

pub(crate) const CONNECT: &[Example] = &[
    ("nim-client connect", "to the only host on this network"),
    ("nim-client connect 192.168.1.7 --quick java-tech", "join an open lobby, or wait"),
    ("nim-client connect 192.168.1.7 --new nim:3-4-5 --clock 5m+3s", "open a lobby"),
    ("nim-client connect 192.168.1.7 --join brave-otter --name anna", "join a lobby by its code"),
];

pub(crate) const HOSTS: &[Example] = &[
    ("nim-client hosts", "list the hosts on this network"),
    ("nim-client hosts --wait 5s --json", "the same for a script, after a longer search"),
];

pub(crate) const RESUME: &[Example] = &[
    ("nim-client resume", "resume the game"),
    ("nim-client resume brave-otter --as anna", "resume this one of several seats"),
    ("nim-client resume brave-otter --forget", "forget this seat"),
];

pub(crate) const PLAY: &[Example] = &[
    ("nim-client play", "the default game, against the bot"),
    ("nim-client play nim:3-4-5 --level easy --starts me", "another game, against an easier bot"),
    ("nim-client play tic-tac-toe --two --other ben", "two people at one keyboard"),
    ("nim-client play connect-four --web", "in a browser on this machine"),
    ("nim-client play connect-four --watch --bot-pace 2s", "watch two bots, slowly"),
    ("nim-client play --from game.txt --at 7", "continue after the seventh move of a record"),
];

pub(crate) const TUTORIAL: &[Example] = &[
    ("nim-client tutorial", "three screens, played with the keys"),
    ("nim-client tutorial --plain", "the same as text"),
];

pub(crate) const STUDY: &[Example] = &[
    ("nim-client study tree java-tech:4", "the game tree of a small game"),
    ("nim-client study moves java-tech --at 20", "the value of every move, and why"),
];

pub(crate) const TREE: &[Example] = &[
    ("nim-client study tree java-tech:4", "the whole tree as text"),
    ("nim-client study tree java-tech:4 --graph --format svg --to tree.svg", "a drawing"),
    ("nim-client study tree tic-tac-toe --at x.o/.x./..o --depth 2", "the next two moves"),
];

pub(crate) const COUNT: &[Example] = &[
    ("nim-client study count java-tech:21", "the size of a game, and how often each side wins"),
    ("nim-client study count tic-tac-toe --at x.o/.x./..o", "the same from a position"),
];

pub(crate) const MOVES: &[Example] = &[
    ("nim-client study moves java-tech --at 20", "three moves, one of which is good"),
    ("nim-client study moves connect-four", "the best column to begin in"),
];

pub(crate) const NIM: &[Example] = &[
    ("nim-client study nim nim:3-4-5", "the nim-sum of three piles in binary"),
    ("nim-client study nim java-tech --at 20", "the piles that lose, and the move to the next one"),
];

pub(crate) const TRACE: &[Example] = &[
    ("nim-client study trace java-tech:4 --step", "a search, one line for each Enter"),
    ("nim-client study trace tic-tac-toe --at x.o/.x./..o --with alpha-beta", "a search that prunes"),
];

pub(crate) const SOLVE: &[Example] = &[
    ("nim-client study solve nim:3-4-5", "who wins, how soon, and with which moves"),
    ("nim-client study solve connect-four --at 4444", "the same from a position"),
];

pub(crate) const WORKSHEET: &[Example] = &[
    ("nim-client study worksheet java-tech", "a page of positions, and the answers"),
    ("nim-client study worksheet tic-tac-toe --format html --to page.html", "another one to print"),
];

pub(crate) const LEVELS: &[Example] = &[
    ("nim-client study levels java-tech", "the table of all levels"),
    ("nim-client study levels nim:3-4-5 --games 100 --seed 7", "a less exact table, from other games"),
];

pub(crate) const BOOK: &[Example] =
    &[("nim-client study book scores --threads 2", "make or continue the book with two threads")];

pub(crate) const SCORE: &[Example] = &[
    ("nim-client study score connect-four < positions.txt", "the score of every line of a file"),
    ("echo 4453 | nim-client study score connect-four --book", "the score of one position"),
];

pub(crate) const RECORD: &[Example] = &[
    ("nim-client record list", "the games that you played at this keyboard"),
    ("nim-client record export 3/1 --to game.txt", "one of them as a file"),
    ("nim-client record replay game.txt", "replay it with the values of its moves"),
];

pub(crate) const LIST: &[Example] = &[
    ("nim-client record list", "the games that you played at this keyboard"),
    ("nim-client record list --server 192.168.1.7 --with ben --since 7d", "ben's games of a week on a host"),
    ("nim-client record list *.txt --game java-tech", "the games of one kind in these files"),
];

pub(crate) const EXPORT: &[Example] = &[
    ("nim-client record export brave-otter", "the newest game of that lobby, as text"),
    ("nim-client record export --server 192.168.1.7 17/2 --to game.txt", "a game of a host, as a file"),
];

pub(crate) const SHOW: &[Example] = &[
    ("nim-client record show game.txt", "the whole game, with its positions"),
    ("nim-client record show game.txt --at 7", "the position after the seventh move"),
    ("nim-client record show --server 192.168.1.7 brave-otter", "the newest game there"),
];

pub(crate) const REPLAY: &[Example] = &[
    ("nim-client record replay game.txt", "step by step"),
    ("nim-client record replay --server 192.168.1.7 17/2 | less", "all at once"),
];

pub(crate) const VERIFY: &[Example] = &[
    ("nim-client record verify game.txt", "check that it is right"),
    ("nim-client record verify - < mail.txt", "a record in the middle of a mail"),
];

pub(crate) const CONFIG: &[Example] = &[
    ("nim-client config", "show the settings, their sources, and the file"),
    ("nim-client config level easy", "play against an easy bot from now on"),
    ("nim-client config --unset level", "return to the default bot"),
    ("nim-client config name", "show one setting"),
    ("nim-client config keys.hint x", "give an action of the screen another key"),
];

pub(crate) const COMPLETIONS: &[Example] =
    &[("nim-client completions bash --to nim-client.bash", "write the script for bash into a file")];

pub(crate) const MAN: &[Example] = &[
    ("nim-client man | man -l -", "show the page of the program"),
    ("nim-client man --to ~/.local/share/man/man1", "install all pages"),
];
