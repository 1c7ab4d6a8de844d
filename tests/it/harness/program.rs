//! The real programs, driven through pipes and signals as by a shell.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::within;

/// A running program. It is killed on drop.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Output,
    stderr: Output,
}

/// The result of a program.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    /// Asserts that it exited with this code and wrote this to its standard error.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &str) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.stderr.contains(words), "{words:?} is not in {self:?}");
    }
}

/// The lines of a program's output; all of them are kept.
#[derive(Debug)]
struct Output {
    lines: UnboundedReceiver<String>,
    seen: String,
}

impl Output {
    fn of(source: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let (send, lines) = unbounded_channel();
        let mut source = BufReader::new(source).lines();
        tokio::spawn(async move {
            while let Ok(Some(line)) = source.next_line().await {
                // Unwanted lines are read too, so that the program does not block on a full pipe.
                let _ = send.send(line);
            }
        });
        Self { lines, seen: String::new() }
    }

    async fn next(&mut self) -> Option<String> {
        let line = within(&format!("a line after\n{}", self.seen), self.lines.recv()).await?;
        self.seen += &line;
        self.seen.push('\n');
        Some(line)
    }

    async fn until(&mut self, part: &str) -> String {
        let found = async {
            loop {
                match self.next().await {
                    Some(line) if line.contains(part) => return line,
                    Some(_) => {}
                    None => panic!("the program ended and never wrote {part:?}, but:\n{}", self.seen),
                }
            }
        };
        within(&format!("{part:?}, though lines came"), found).await
    }

    async fn rest(mut self) -> String {
        while self.next().await.is_some() {}
        self.seen
    }
}

impl Program {
    /// The server program with these arguments.
    pub(crate) fn server(arguments: &[&str]) -> Self {
        Self::spawn(&mut server(arguments))
    }

    /// The client program with these arguments.
    pub(crate) fn client(arguments: &[&str]) -> Self {
        Self::spawn(&mut client(arguments))
    }

    /// Any program with its own environment.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self::of(command.kill_on_drop(true).spawn().unwrap())
    }

    /// A program that runs already. Only its piped streams can be typed and read here.
    pub(crate) fn of(mut child: Child) -> Self {
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().map_or_else(|| Output::of(tokio::io::empty()), Output::of);
        let stderr = child.stderr.take().map_or_else(|| Output::of(tokio::io::empty()), Output::of);
        Self { child, stdin, stdout, stderr }
    }

    /// A server on a free port, once it listens; and its address.
    pub(crate) async fn listening_server(arguments: &[&str]) -> (Self, SocketAddr) {
        let mut server = Self::server(&[&["--bind", "127.0.0.1:0"], arguments].concat());
        let address = server.listens().await;
        (server, address)
    }

    /// The server's address, once it listens.
    pub(crate) async fn listens(&mut self) -> SocketAddr {
        let line = self.line().await;
        let address = line.strip_prefix("listening on ").and_then(|address| address.parse().ok());
        address.unwrap_or_else(|| panic!("not an address: {line:?}"))
    }

    /// The next line on its standard output.
    pub(crate) async fn line(&mut self) -> String {
        self.stdout.next().await.expect("the program has more to say")
    }

    /// Reads its standard output until a line contains `part`, and returns that line.
    pub(crate) async fn until(&mut self, part: &str) -> String {
        self.stdout.until(part).await
    }

    /// The same for standard error.
    pub(crate) async fn until_error(&mut self, part: &str) -> String {
        self.stderr.until(part).await
    }

    /// Types a line, and waits for an output line that contains `part`.
    pub(crate) async fn asks(&mut self, line: &str, part: &str) -> String {
        self.types(format!("{line}\n")).await;
        self.until(part).await
    }

    /// The code of the lobby in which it waits alone.
    pub(crate) async fn code(&mut self) -> String {
        self.until("Waiting in ").await.split(' ').nth(2).expect("a code").to_owned()
    }

    /// Types `quit`, and waits for a successful exit.
    pub(crate) async fn quits(mut self) {
        self.types("quit\n").await;
        let ended = self.ended().await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }

    /// Resigns, leaves for good, and waits for a successful exit.
    pub(crate) async fn gives_up(mut self) {
        self.types("give up\n").await;
        self.quits().await;
    }

    /// Types lines.
    pub(crate) async fn types(&mut self, lines: impl AsRef<[u8]>) {
        self.types_bytes(lines.as_ref()).await;
    }

    /// Types bytes that may not be valid text.
    pub(crate) async fn types_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        // The program may have exited; the test then checks its result.
        let _ = within("the program to read", stdin.write_all(bytes)).await;
    }

    /// Closes its input.
    pub(crate) fn closes_input(&mut self) {
        self.stdin = None;
    }

    /// Plays a whole game: answers each question for a move with `answer`, and returns the line with the
    /// result. The question for another game may appear again before it.
    pub(crate) async fn plays(&mut self, answer: &str) -> String {
        within("a game to end, though lines came", self.plays_on(answer)).await
    }

    async fn plays_on(&mut self, answer: &str) -> String {
        let mut result = None;
        loop {
            let line = self.line().await;
            if line.contains("move (") {
                self.types(&format!("{answer}\n")).await;
            }
            match result.take() {
                Some(result) if line.starts_with("Type again") => return result,
                _ if line.contains(" won") || line.contains(" lost") => result = Some(line),
                earlier => result = earlier,
            }
        }
    }

    /// Sends a signal by its name, such as `INT`. The program's number stays reserved until its exit was
    /// waited for, so the signal cannot reach another process.
    #[cfg(unix)]
    pub(crate) async fn signal(&self, name: &str) {
        let id = self.child.id().expect("the program has not been waited for");
        let kill = Command::new("sh").args(["-c", &format!("kill -{name} {id}")]).status().await.unwrap();
        assert!(kill.success());
    }

    /// Its process number, while it runs.
    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> i32 {
        self.child.id().and_then(|id| id.try_into().ok()).expect("the program has not been waited for")
    }

    /// Kills it, as a power cut would.
    pub(crate) async fn dies(&mut self) {
        self.child.kill().await.unwrap();
    }

    /// Closes its input and waits for its exit.
    pub(crate) async fn finish(mut self) -> Finished {
        self.closes_input();
        self.ended().await
    }

    /// Waits until it exits by itself.
    pub(crate) async fn ended(mut self) -> Finished {
        let status = within("the program to end", self.child.wait()).await.unwrap();
        let (stdout, stderr) = (self.stdout.rest().await, self.stderr.rest().await);
        Finished { code: status.code(), stdout, stderr }
    }
}

/// The server program as a command, without settings from the test's environment.
pub(crate) fn server(arguments: &[&str]) -> Command {
    let mut command = command(env!("CARGO_BIN_EXE_nim-server"), arguments);
    // It must not use the user's data.
    if !arguments.contains(&"--data") {
        command.env("NIM_MEMORY", "true");
    }
    // It must put nothing into the user's folders, and send nothing to the user's network.
    command.env_remove("XDG_RUNTIME_DIR");
    command.env("NIM_NO_ANNOUNCE", "true");
    command
}

/// A folder for the client's seats and games.
#[derive(Debug)]
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The flag for this folder.
    pub(crate) fn state(&self) -> [&str; 2] {
        ["--state", self.path().to_str().unwrap()]
    }

    /// The client program with these arguments and this folder.
    pub(crate) fn runs(&self, arguments: &[&str]) -> Program {
        Program::client(&[arguments, &self.state()].concat())
    }

    /// The program that resumes a seat from this folder.
    pub(crate) fn resumes(&self, words: &[&str]) -> Program {
        self.runs(&[&["resume"], words].concat())
    }

    /// The same, once it is back in the seat.
    pub(crate) async fn is_back(&self, words: &[&str]) -> Program {
        let mut program = self.resumes(words);
        program.until("You are back in your seat.").await;
        program
    }

    /// The result of `resume` without typed lines.
    pub(crate) async fn resumed(&self, words: &[&str]) -> Finished {
        self.resumes(words).finish().await
    }

    /// The number of saved seats on servers.
    pub(crate) fn kept(&self) -> usize {
        seats(self.path()).len()
    }
}

/// The seat files in this folder.
pub(crate) fn seats(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "seat")).collect()
}

/// The client program, connected to a server under this name.
pub(crate) fn connect(address: SocketAddr, name: &str, flags: &[&str]) -> Program {
    Program::client(&[&["connect", &address.to_string(), "--name", name], flags].concat())
}

/// The client program as a command, without the user's seats and settings.
pub(crate) fn client(arguments: &[&str]) -> Command {
    let mut command = command(env!("CARGO_BIN_EXE_nim-client"), arguments);
    command.env("NIM_STATE", state()).env("NIM_LOOK_ON", "127.0.0.1").env("NIM_CONFIG", "");
    command
}

/// The folder for the seats of programs without a `--state` flag. It is empty at first: another server may have had the
/// port of one in an earlier run.
pub(super) fn state() -> &'static Path {
    static STATE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("state");
        // There is none before the first run.
        let _ = std::fs::remove_dir_all(&folder);
        folder
    });
    &STATE
}

fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    let ours = |name: &str| name.starts_with("NIM_") || name == "RUST_LOG";
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(ours)) {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}
