// @ts-check
// The script of the page: it puts regions of HTML in place, sends what the person does, follows fingers on the
// board, keeps the tickets of seats, and comes back when the connection is lost. The words are the server's.

/** @typedef {{code: string, ticket: string, name: string, about: string, seen?: object}} Seat */

const VERSION = document.querySelector("script[data-version]")?.getAttribute("data-version") ?? "";
/** The most bytes of the first message, a little less than a message may have; the most tickets of old seats. */
const MOST_BYTES = 4000, MOST_TICKETS = 32;
/** How often the server is told that somebody is here, and how long it may be silent, in milliseconds. Together with
 * `LOOK_EVERY`, a dead connection is noticed within 3 seconds. */
const ALIVE_EVERY = 1000, DEAD_AFTER = 2600, LOOK_EVERY = 250;
/** The pauses before coming back, in milliseconds: the first one again after a connection that lived for a while. */
const FIRST_PAUSE = 200, LONGEST_PAUSE = 5000, GOOD_AFTER = 5000;
/** How long nothing is said of a lost connection: one is back sooner if its game goes on at another node. */
const QUIET = 1000;
/** The lines that a list keeps. */
const MAX_LINES = 100;

// What the browser keeps, by host: the storage is the origin's own.

/** What this tab keeps where the browser does not. @type {Record<string, any>} */
const inTab = {};

/** @param {string} key @param {any} otherwise @param {"localStorage" | "sessionStorage"} where @returns {any} */
function kept(key, otherwise, where = "localStorage") {
  if (key in inTab) return inTab[key];
  try {
    return JSON.parse(window[where].getItem(key) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Returns whether the browser keeps it. @param {string} key @param {any} value @param {"localStorage" | "sessionStorage"} where */
function keep(key, value, where = "localStorage") {
  try {
    window[where].setItem(key, JSON.stringify(value));
    return delete inTab[key];
  } catch {
    inTab[key] = value;
    return false;
  }
}

// Another version of the page may have kept something else there: what is not of the known shape is not there.

/** @param {string} key @returns {any[]} */
const keptList = (key) => [kept(key, [])].flat();

/** @returns {Seat[]} */
const seats = () => keptList("nim.seats").filter((seat) => ["code", "ticket", "name"].every((key) => typeof seat?.[key] === "string"));

/** @returns {string[]} */
const tickets = () => keptList("nim.tickets").filter((ticket) => /^[0-9a-f]{32}$/.test(String(ticket)));

const keptName = () => String([kept("nim.name", "")].find((name) => typeof name === "string") ?? "").slice(0, 64);

/** @param {Seat} seat */
function keepSeat(seat) {
  keep("nim.seats", [seat, ...seats().filter((old) => old.code !== seat.code)].slice(0, 16));
}

/** The seat goes, and its ticket stays: it opens the records of its games. @param {string} code */
function forgetSeat(code) {
  const gone = seats().filter((old) => old.code === code).map((old) => old.ticket);
  keep("nim.seats", seats().filter((old) => old.code !== code));
  keep("nim.tickets", [...gone.filter((ticket) => /^[0-9a-f]{32}$/.test(ticket)), ...tickets()].slice(0, MOST_TICKETS));
}

/** The first message: who this is and what is kept here, the newest first, as far as there is room. @param {boolean} unnoticed */
function hello(unnoticed) {
  const message = {
    do: "hello", version: VERSION, name: keptName(), path: location.pathname, query: location.search,
    seats: seats(), tickets: tickets(), seen: watchedSeen(), forgets: !keep("nim.name", keptName()), unnoticed,
  };
  const size = () => new TextEncoder().encode(JSON.stringify(message)).length;
  while (size() > MOST_BYTES && (message.tickets.pop() ?? message.seats.pop()));
  return message;
}

/** The name that the person has typed last. @type {string | null} */
let wished = null;

/** Keeps the name of the person. A number that the server adds, as long as the old connection has the name, is not
 * part of it. @param {string} given */
function keepName(given) {
  const asked = wished ?? keptName(), field = region("name");
  if (wished !== null && field instanceof HTMLInputElement) field.value = given;
  wished = null;
  keep("nim.name", asked && given.startsWith(asked + "-") ? asked : given);
}

/** Keeps the seat of a link from another browser: its ticket stands in the fragment, which is taken off the address.
 * A seat that is kept already stays, so that nobody's link can take its place. The server says if it is no ticket. */
function takeSeat() {
  const link = new URLSearchParams(location.hash.slice(1)), ticket = link.get("seat")?.slice(0, 64), code = location.pathname.slice(1);
  if (ticket === undefined || !/^[a-z]+-[a-z]+/.test(code)) return false;
  // Who has no name here has the one of the seat.
  if (!keptName()) keep("nim.name", (link.get("name") ?? "").slice(0, 64));
  history.replaceState(null, "", location.pathname + location.search);
  if (!seats().some((seat) => seat.code === code)) keepSeat({ code, ticket, name: keptName() || "guest", about: "" });
  return true;
}

/** A new ticket: 128 random bits. */
function newTicket() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The page.

/** @param {string} id */
const region = (id) => document.getElementById(id);

/** @param {string} id @param {string} words */
function show(id, words) {
  const there = region(id);
  if (there && there.textContent !== words) there.textContent = words;
}

/** Gives this the focus. Returns whether it took it. @param {Element | null | undefined} element */
function focusOn(element) {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  return element !== null && element === document.activeElement;
}

/** The focus that had no place any more, as after a move: it returns with the next moves.
 * @type {{mark: string, fold: string, region: string, caret: number | null} | null} */
let astray = null;

/** What was typed and chosen in regions that this message draws anew, by form and name: it returns to the same field.
 * So a form is as it was after the connection was lost. @type {Map<string, string>} */
const typed = new Map();

/** @param {Element} there @returns {(HTMLInputElement | HTMLSelectElement)[]} */
const fieldsOf = (there) => Array.from(there.querySelectorAll("input:not([type=hidden]), select"));

/** @param {HTMLInputElement | HTMLSelectElement} field */
const nameOf = (field) => `${field.form?.dataset.do} ${field.name}`;

/** What the field has as long as nobody touches it. @param {HTMLInputElement | HTMLSelectElement} field */
const untouched = (field) => field instanceof HTMLInputElement ? field.defaultValue
  : (Array.from(field.options).find((option) => option.defaultSelected) ?? field.options[0])?.value;

/** Gives the focus back, with its caret. @param {Element | null} element @param {number | null} caret */
function refocus(element, caret) {
  if (!focusOn(element)) return false;
  if (element instanceof HTMLInputElement && caret !== null) element.setSelectionRange(caret, caret);
  return true;
}

/** What is folded out: it stays so in the next turn. @type {Set<string>} */
const unfolded = new Set();

/** The id of what opens the part that folds, around this. @param {Element | null} element */
const foldOf = (element) => element?.closest("details")?.querySelector("summary")?.id ?? "";

/** Puts HTML of the server in place; the element with the focus keeps it, and what was typed stays.
 * @param {string} id @param {string} html */
function put(id, html) {
  const there = region(id);
  if (!there) return;
  const focused = document.activeElement;
  const had = focused && focused !== there && there.contains(focused) ? mark(focused) : null;
  const caret = focused instanceof HTMLInputElement ? focused.selectionStart : null;
  if (had) astray = { mark: had, fold: foldOf(focused), region: focused?.closest("[id]:not(button, input, select, summary)")?.id ?? id, caret };
  fieldsOf(there).filter((field) => field.value !== untouched(field)).forEach((field) => typed.set(nameOf(field), field.value));
  there.querySelectorAll("details").forEach((fold) => fold.open ? unfolded.add(foldOf(fold)) : unfolded.delete(foldOf(fold)));
  const wasEmpty = there.firstChild === null;
  there.innerHTML = html;
  if (id === "learn" && wasEmpty && html !== "") there.scrollIntoView({ block: "nearest" });
  there.querySelectorAll("details").forEach((fold) => { fold.open = unfolded.has(foldOf(fold)); });
  fieldsOf(there).forEach((field) => { field.value = typed.get(nameOf(field)) ?? field.value; });
  if (had) refocus(there.querySelector(had), caret);
  if (id === "log") {
    there.firstElementChild?.insertAdjacentHTML("afterbegin", staying);
    there.scrollTop = there.scrollHeight;
  }
  if (id === "dialog") openDialog(there);
}

/** Gives the focus a place: its own again, or a move's, or the main part's. */
function settleFocus() {
  if (!astray) return;
  const now = document.activeElement, isPlaced = now && now !== document.body && now !== region("main");
  const places = [region(astray.fold), region(astray.region)?.querySelector("summary, button, input")];
  if (isPlaced || refocus(document.querySelector(astray.mark), astray.caret) || places.some(focusOn)) astray = null;
  else focusOn(region("main"));
}

/** Adds lines to the list in a region; as many as the server keeps stay. @param {string} id @param {string} html */
function add(id, html) {
  const there = region(id), list = there?.firstElementChild;
  if (!there || !list) return;
  list.insertAdjacentHTML("beforeend", html);
  while (list.childElementCount > MAX_LINES) list.firstElementChild?.remove();
  there.scrollTop = there.scrollHeight;
}

/** A selector for the element that takes the place of this one. @param {Element} element */
function mark(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const keys = ["name", "data-do", "data-act", "data-move", "data-code", "data-about", "data-node", "data-step"];
  const there = keys.filter((key) => element.hasAttribute(key));
  return there.map((key) => `[${key}="${CSS.escape(element.getAttribute(key) ?? "")}"]`).join("") || "*:not(*)";
}

/** The focus before a dialog was opened. @type {string | null} */
let before = null;

/** @param {HTMLElement} holder */
function openDialog(holder) {
  const dialog = holder.querySelector("[role=dialog]");
  document.body.classList.toggle("covered", dialog !== null);
  document.querySelectorAll(".skip, #head, #main").forEach((part) => part.toggleAttribute("inert", dialog !== null));
  if (dialog) {
    if (document.activeElement && !holder.contains(document.activeElement)) before ??= mark(document.activeElement);
    focusOn(dialog.querySelector("[autofocus], button, input:not([type=hidden])"));
  } else if (before) {
    focusOn(document.querySelector(before));
    before = null;
  }
}

/** The code of the lobby in which this page has its seat. @type {string | null} */
let seated = null;

/** Keeps how the lobby stands: with its seat, or, where this tab only watches, with the tab. @param {object} seen */
function keepSeen(seen) {
  if (location.search === "?watch") {
    keep("nim.watched", { path: location.pathname, seen }, "sessionStorage");
  } else {
    seats().filter((seat) => seat.code === seated).forEach((seat) => keepSeat({ ...seat, seen }));
  }
}

/** How the lobby stood that this tab watches: it is told what happened since. */
function watchedSeen() {
  const { path, seen } = kept("nim.watched", {}, "sessionStorage");
  return location.search === "?watch" && path === location.pathname ? seen : undefined;
}

/** Saves a text as a file. @param {{name: string, text: string}} file */
function save({ name, text }) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The path of what is shown. */
let shownPath = location.pathname;

/** @param {any} update */
function take(update) {
  if (update.reload) return reload();
  for (const [id, html] of update.html ?? []) put(id, html);
  for (const [id, html] of update.more ?? []) add(id, html);
  typed.clear();
  staying = "";
  settleFocus();
  if (update.title !== undefined) document.title = update.title;
  if (update.path !== undefined && update.path !== location.pathname + location.search) {
    // Going back does not begin the game of a link again.
    history[location.search.startsWith("?play=") ? "replaceState" : "pushState"](null, "", update.path);
  }
  // Another page is read from its top.
  if (shownPath !== (shownPath = location.pathname)) scrollTo(0, 0);
  if (update.name !== undefined) keepName(update.name);
  if (update.keep) {
    keepSeat(update.keep);
    seated = update.keep.code;
  }
  if (update.seen) keepSeen(update.seen);
  if (update.download) save(update.download);
  for (const code of update.forget ?? []) forgetSeat(code);
  if (update.answered !== undefined) putBack(update.answered);
  if (update.over) end();
}

/** What is shown as taken, each with the number of its action on this connection. @type {Map<Element, number>} */
const taken = new Map();
let acted = 0;

/** What these first actions took is not shown as taken any more: they are answered. */
function putBack(answered = Infinity) {
  for (const [element, number] of taken) {
    if (number > answered) continue;
    taken.delete(element);
    release(element);
    // A line of chat that was refused or not sent stays to be mended.
    const field = element.matches("[data-do=say]") && answered < Infinity && !region("notice")?.textContent ? region("words") : null;
    if (field instanceof HTMLInputElement && field.value === said) field.value = "";
  }
}

/** The line of chat that was sent last. @type {unknown} */
let said = null;

/** @param {Element} element */
const release = (element) => { element.classList.remove("taken-now"); element.removeAttribute("transform"); };

/** Sends an action, and shows these as taken until it is answered. @param {object} action @param {Element[]} elements */
function sendTaking(action, elements) {
  if (send(action)) return elements.forEach((element) => { taken.set(element, acted); element.classList.add("taken-now"); });
  elements.forEach(release);
  show("notice", "Not sent: the connection is lost.");
}

/** The session is over, as when another tab has taken the seat: this page stays as it is until the person wants it. */
function end(words = "This page has ended.", button = "Continue here") {
  ended = true;
  show("connection", words);
  show("again", button);
  region("again")?.removeAttribute("hidden");
  socket?.close();
}

/** Loads the page of a newer server, but not again and again. */
function reload() {
  const [how] = performance.getEntriesByType("navigation");
  const isAgain = how instanceof PerformanceNavigationTiming && how.type === "reload" && performance.now() < 10000;
  if (isAgain) end("The host runs another version.", "Load this page again");
  else location.reload();
}

// The connection.

/** @type {WebSocket | null} */
let socket = null;
let ended = false;
let opened = 0, heard = 0, told = 0, looked = 0, pause = FIRST_PAUSE, timer = 0;
/** The timer that says that the connection is lost. */
let quiet = 0;
/** The lines of the log that stay on a page that is back before anybody was told that its connection was lost. */
let staying = "";

const hush = () => { clearTimeout(quiet); quiet = 0; };

function connect() {
  clearTimeout(timer);
  if (ended) return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const fresh = new WebSocket(`${scheme}://${location.host}/assets/socket`);
  socket = fresh;
  opened = heard = looked = Date.now();
  acted = 0;
  fresh.onopen = () => {
    const unnoticed = quiet !== 0 && region("connection")?.textContent === "";
    staying = unnoticed ? region("log")?.firstElementChild?.innerHTML ?? "" : "";
    fresh.send(JSON.stringify(hello(unnoticed)));
  };
  fresh.onmessage = (event) => {
    if (socket !== fresh) return;
    heard = Date.now();
    hush();
    show("connection", "");
    region("elsewhere")?.setAttribute("hidden", "");
    if (event.data !== "") take(JSON.parse(event.data));
  };
  fresh.onclose = () => { if (socket === fresh) lost(); };
}

/** The connection is lost: come back after a pause, and say so if that takes longer than this. */
function lost(within = QUIET) {
  const heardNow = heard > opened;
  socket = null;
  if (ended) return;
  putBack();
  quiet ||= setTimeout(() => show("connection", "The connection is lost. Coming back …"), within);
  if (!heardNow) void sayWhy();
  // A host that does not come back may have another address now: the seat goes there.
  if (pause >= LONGEST_PAUSE && seatHere()) region("elsewhere")?.removeAttribute("hidden");
  if (Date.now() - opened > GOOD_AFTER) pause = FIRST_PAUSE;
  clearTimeout(timer);
  timer = setTimeout(connect, pause * (0.5 + Math.random() / 2));
  pause = Math.min(pause * 2, LONGEST_PAUSE);
}

/** A host that turns this address away says why. */
async function sayWhy() {
  const answer = await fetch(location.pathname).catch(() => null);
  if (answer?.status !== 503 || socket) return;
  hush();
  show("connection", await answer.text());
}

/** The seat to which the page's address leads. */
const seatHere = () => seats().find((seat) => "/" + seat.code === location.pathname);

/** Takes the seat to the address that the person types, as the host shows it or a part of that. */
function goElsewhere() {
  const seat = seatHere(), typed = seat && prompt("The address of the host now, such as http://192.168.1.9:7646/");
  const at = /^\s*(https?:\/\/)?([^\s/?#@]+)/i.exec(typed ?? "");
  if (seat && at) location.href = `${at[1] ?? "http://"}${at[2]}/${seat.code}#seat=${seat.ticket}&name=${encodeURIComponent(seat.name)}`;
}

/** Comes back at once: the network or the person is back. */
function hurry() {
  if (socket) return alive();
  pause = FIRST_PAUSE;
  connect();
}

/** @param {object} action */
function send(action) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(action));
  acted += 1;
  return true;
}

function alive() {
  const now = Date.now();
  // While this page slept, nothing could be heard.
  if (now - looked > 4 * LOOK_EVERY) heard = now;
  looked = now;
  if (!socket || document.hidden) return;
  if (now - heard > DEAD_AFTER) {
    const dead = socket;
    // It has been silent for long enough.
    lost(0);
    dead.close();
  } else if (now - told >= ALIVE_EVERY) {
    told = now;
    if (socket.readyState === WebSocket.OPEN) socket.send('{"do":"alive"}');
  }
}

setInterval(alive, LOOK_EVERY);
addEventListener("online", hurry);
addEventListener("pageshow", hurry);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    // While the page was hidden, nothing was sent.
    heard = Date.now();
    told = 0;
    hurry();
  }
});

// What the person does.

/** The fields of an action, from the element and its form. @param {HTMLElement} element @param {Record<string, any>} [fields] */
function act(element, fields = {}) {
  /** @type {Record<string, any>} */
  const action = { ...fields, ...element.dataset }, what = element.dataset.do;
  for (const key of ["turn", "node", "step"]) if (key in action) action[key] = Number(action[key]);
  if (["play-now", "quick", "new", "join"].includes(String(what))) action.ticket = newTicket();
  if (what === "reload") return location.reload();
  if (what === "elsewhere") return goElsewhere();
  // Why it has ended, and what helps, is said already.
  if (ended) return focusOn(region("again"));
  show("notice", "");
  if (what === "rename") wished = fields.name;
  const leave = what === "home" ? document.querySelector("#actions [data-about=leave], #actions [data-do=give-up]") : null;
  if (leave instanceof HTMLElement) return leave.click(); else if (what === "home" && location.pathname !== "/") history.pushState(null, "", "/");
  if (what === "play" && element.matches("[data-move]")) return play(action, [element]);
  sendTaking(action, [element]);
}

/** Sends a move. A second tap before its answer makes no second move. @param {Record<string, any>} action @param {Element[]} elements */
function play(action, elements) {
  if (document.querySelector("#board .taken-now, #moves .taken-now")) elements.filter((one) => !taken.has(one)).forEach(release);
  else sendTaking(action, elements);
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target.closest("[data-do], [data-move]") : null;
  if (!(target instanceof HTMLElement || target instanceof SVGElement) || target instanceof HTMLFormElement) return;
  if (target.closest("form") && !target.dataset.do) return;
  event.preventDefault();
  if (!target.dataset.do && target.dataset.move) target.dataset.do = "play";
  act(/** @type {HTMLElement} */ (target));
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  const fields = Object.fromEntries(new FormData(form));
  if (form.dataset.do === "say") {
    if (taken.has(form)) return;
    said = fields.words;
  }
  act(form, fields);
});

/** The keys that go through a record. @type {Record<string, string>} */
const ARROWS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
addEventListener("keydown", (event) => {
  const act = ARROWS[event.key], dialog = region("dialog")?.firstChild;
  const isTyped = event.target instanceof Element && event.target.matches("input, select, #log");
  if (event.key === "Escape") {
    letGo(false);
    if (dialog) send({ do: "close" });
  } else if (act && region("record-keys") && !dialog && !isTyped && !event.altKey && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    send({ do: "record", act });
  }
});

addEventListener("popstate", () => { if (location.hash !== "#main") location.reload(); });
addEventListener("hashchange", () => { if (takeSeat()) location.reload(); });

// Sticks are pulled off their pile: press on one, pull across those to take, and let go outside the pile; back on
// the pile they fall back. A tap on a stick takes it and those behind it.

/** @type {{pile: SVGGElement, row: string | null, from: number, to: number, moved: boolean, off: boolean, id: number} | null} */
let drag = null;

/** The stick under the pointer: a row of them is one place. @param {Element | null | undefined} element @param {number} x */
function objectOf(element, x) {
  const row = element?.closest("[data-from]");
  if (!row) return null;
  const [from, to] = ["data-from", "data-to"].map((name) => Number(row.getAttribute(name)));
  const { left, width } = row.getBoundingClientRect();
  return Math.min(to - 1, from + Math.floor((x - left) / width * (to - from)));
}

/** How many sticks are held: as many as the rules allow. */
function held() {
  if (!drag) return 0;
  const most = (drag.pile.dataset.pile ?? "").split("|").length;
  const there = Number(drag.pile.dataset.count);
  const wanted = drag.moved ? Math.abs(drag.from - drag.to) + 1 : there - drag.from;
  return Math.max(1, Math.min(wanted, most));
}

function lift() {
  document.querySelectorAll(".stick.lifted").forEach((stick) => stick.classList.remove("lifted", "off"));
  if (!drag) return;
  const { pile, off } = drag, count = held(), there = Number(pile.dataset.count);
  const first = drag.moved ? Math.min(drag.from, drag.to, there - count) : there - count;
  pile.querySelectorAll(".stick").forEach((stick, object) => {
    if (object >= first && object < first + count) {
      stick.classList.add("lifted");
      stick.classList.toggle("off", off);
    }
  });
  show("notice", off || !drag.moved ? `Let go to take ${count}.` : `${count} held: pull them off the pile.`);
}

document.addEventListener("pointerdown", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const pile = target?.closest("g[data-pile]"), object = objectOf(target, event.clientX);
  if (!(pile instanceof SVGGElement) || object === null || event.button !== 0) return;
  drag = { pile, row: target?.getAttribute("y") ?? null, from: object, to: object, moved: false, off: false, id: event.pointerId };
  if (target?.hasPointerCapture?.(event.pointerId)) target.releasePointerCapture(event.pointerId);
  event.preventDefault();
  lift();
});

document.addEventListener("pointermove", (event) => {
  if (!drag || event.pointerId !== drag.id) return;
  const under = document.elementFromPoint(event.clientX, event.clientY);
  const on = under?.closest("g[data-pile]") === drag.pile, object = on ? objectOf(under, event.clientX) : null;
  // On the way off the pile the finger crosses other rows: they change nothing.
  const sameRow = drag.row === under?.getAttribute("y");
  if (object !== null && sameRow && object !== drag.to) [drag.to, drag.moved] = [object, true];
  const box = drag.pile.getBoundingClientRect();
  drag.off = event.clientY < box.top - 12 || event.clientY > box.bottom + 12
    || event.clientX < box.left - 24 || event.clientX > box.right + 24;
  if (drag.off) drag.moved = true;
  lift();
});

/** @param {boolean} takes */
function letGo(takes) {
  if (!drag) return;
  const { pile, off, moved } = drag, count = held(), lifted = Array.from(pile.querySelectorAll(".lifted"));
  drag = null;
  const move = (pile.dataset.pile ?? "").split("|")[count - 1];
  show("notice", "");
  lift();
  if (takes && move && (off || !moved)) play({ do: "play", move, turn: Number(pile.dataset.turn) }, lifted);
}

// Stones are slid to the free point: the stone follows the finger, and jumps back where it cannot go.

/** @type {{stone: SVGGElement, x: number, y: number, moved: boolean, id: number} | null} */
let slide = null;

/** Where the pointer is on the drawing. @param {SVGGElement} stone @param {PointerEvent} event */
function onDrawing(stone, event) {
  const to = stone.ownerSVGElement?.getScreenCTM()?.inverse();
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(to);
}

document.addEventListener("pointerdown", (event) => {
  const stone = event.target instanceof Element ? event.target.closest(".points g[data-move]") : null;
  if (!(stone instanceof SVGGElement) || event.button !== 0) return;
  const { x, y } = onDrawing(stone, event);
  slide = { stone, x, y, moved: false, id: event.pointerId };
  if (event.target instanceof Element) event.target.releasePointerCapture?.(event.pointerId);
});

document.addEventListener("pointermove", (event) => {
  if (!slide || event.pointerId !== slide.id) return;
  const { x, y } = onDrawing(slide.stone, event);
  slide.moved ||= Math.hypot(x - slide.x, y - slide.y) > 8;
  slide.stone.classList.add("slid");
  slide.stone.setAttribute("transform", `translate(${x - slide.x} ${y - slide.y})`);
});

/** @param {PointerEvent} event @param {boolean} lands */
function slideEnds(event, lands) {
  if (!slide || event.pointerId !== slide.id) return;
  const { stone, moved } = slide;
  slide = null;
  stone.classList.remove("slid");
  const under = document.elementFromPoint(event.clientX, event.clientY);
  // A tap, without a way, moves the stone too.
  if (!lands || moved && !under?.closest("[data-slide]")) return stone.removeAttribute("transform");
  play({ do: "play", move: stone.dataset.move, turn: Number(stone.dataset.turn) }, [stone]);
}

// A finger on a pile or a stone does not scroll the page. (`touch-action` does nothing inside a drawing.)
document.addEventListener("touchstart", (event) => {
  if (event.target instanceof Element && event.target.closest("g[data-pile], .points g[data-move]")) event.preventDefault();
}, { passive: false });

/** @param {PointerEvent} event */
function pointerEnds(event) {
  if (event.pointerId === drag?.id) letGo(event.type === "pointerup");
  slideEnds(event, event.type === "pointerup");
}
document.addEventListener("pointerup", pointerEnds);
document.addEventListener("pointercancel", pointerEnds);

takeSeat();
connect();
