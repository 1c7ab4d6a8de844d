// The programs that the tests run: a server on the loopback, and a client in a terminal.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const SERVER = resolve(process.env.NIM_SERVER ?? join(here, "../../target/debug/nim-server"));
const CLIENT = resolve(process.env.NIM_CLIENT ?? join(here, "../../target/debug/nim-client"));

/** How long anything may take on a slow machine, in milliseconds. */
export const PATIENCE = 30_000;

/** Collects what a program prints, and waits for it. */
class Output {
  text = "";
  #waiting = new Set();

  constructor(stream) {
    stream.setEncoding("utf8").on("data", (data) => {
      this.text += data;
      for (const check of this.#waiting) check();
    });
  }

  /** The match of this pattern, in what is printed from here on in the text. */
  async match(pattern, from = 0) {
    return new Promise((done, fail) => {
      const check = () => {
        const match = this.text.slice(from).match(pattern);
        if (!match) return;
        clearTimeout(late);
        this.#waiting.delete(check);
        done(match);
      };
      const late = setTimeout(() => {
        this.#waiting.delete(check);
        fail(new Error(`${pattern} was not printed, but:\n${this.text}`));
      }, PATIENCE);
      this.#waiting.add(check);
      check();
    });
  }
}

/** A server with a data folder of its own. It keeps its port and its folder when it is started again. */
export class Host {
  static async start(...flags) {
    if (!existsSync(SERVER)) throw new Error(`There is no ${SERVER}: build it, or set NIM_SERVER.`);
    const host = new Host();
    host.folder = mkdtempSync(join(tmpdir(), "nim-browser-"));
    // The port has to be the same after a restart, so it is not left to the system each time.
    host.port = await freePort();
    host.flags = flags;
    await host.restart();
    return host;
  }

  get address() {
    return `127.0.0.1:${this.port}`;
  }

  url(path = "/") {
    return `http://${this.address}${path}`;
  }

  async restart() {
    const flags = ["--no-announce", "--bind", this.address, "--data", join(this.folder, "data"), ...this.flags];
    this.process = spawn(SERVER, flags, { stdio: ["ignore", "pipe", "pipe"] });
    const [said, log] = [new Output(this.process.stdout), new Output(this.process.stderr)];
    this.ended = once(this.process, "exit");
    const listening = said.match(/listening on .*\n/);
    const failed = this.ended.then(([code]) => { throw new Error(`The server ended with ${code}:\n${log.text}`); });
    failed.catch(() => {});
    await Promise.race([listening, failed]);
  }

  /** Ends the server as a power cut would. */
  async kill() {
    this.process.kill("SIGKILL");
    await this.ended;
  }

  async close() {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

/** `nim-client connect HOST --plain`, driven through its standard input. */
export class Terminal {
  constructor(host, name, ...flags) {
    const state = join(host.folder, `state-${name}`);
    const all = ["connect", host.address, "--plain", "--name", name, "--state", state, ...flags];
    this.process = spawn(CLIENT, all, { stdio: ["pipe", "pipe", "pipe"] });
    this.said = new Output(this.process.stdout);
    this.errors = new Output(this.process.stderr);
    this.ended = once(this.process, "exit");
    this.seen = 0;
  }

  /** Waits for this in what was not waited for yet. */
  async prints(pattern) {
    const match = await this.said.match(pattern, this.seen);
    this.seen += (match.index ?? 0) + match[0].length;
    return match;
  }

  type(line) {
    this.process.stdin.write(line + "\n");
  }

  async close() {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGKILL");
    await this.ended;
  }
}
