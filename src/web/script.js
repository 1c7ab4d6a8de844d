// @ts-check
// The script of the page: it puts regions of HTML in place, sends what the person does, follows fingers on the
// board, keeps the tickets of seats, and comes back when the connection is lost. The words are the server's.

/** @typedef {{code: string, ticket: string, name: string, about: string}} Seat */

const VERSION = document.querySelector("script[data-version]")?.getAttribute("data-version") ?? "";
/** How often the server is told that somebody is here, and how long it may take to be heard, in milliseconds. */
const ALIVE_EVERY = 1000, DEAD_AFTER = 3000;
/** The pauses before coming back, in milliseconds. */
const FIRST_PAUSE = 200, LONGEST_PAUSE = 5000;

// What the browser keeps, by host: the storage is the origin's own.

/** @param {string} key @param {any} otherwise @returns {any} */
function kept(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {string} key @param {any} value */
function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    show("connection", "This browser keeps nothing: after a reload your seat is lost.");
  }
}

/** @returns {Seat[]} */
const seats = () => kept("nim.seats", []);

/** @param {Seat} seat */
function keepSeat(seat) {
  keep("nim.seats", [seat, ...seats().filter((old) => old.code !== seat.code)].slice(0, 16));
}

/** @param {string} code */
function forgetSeat(code) {
  keep("nim.seats", seats().filter((old) => old.code !== code));
}

/** Keeps the seat of a link from another browser: its ticket stands in the fragment, which is taken off the address.
 * A seat that is kept already stays, so that nobody's link can take its place. */
function takeSeat() {
  const ticket = /^#seat=([0-9a-f]{32})$/.exec(location.hash)?.[1], code = location.pathname.slice(1);
  if (!ticket) return false;
  history.replaceState(null, "", location.pathname + location.search);
  if (!seats().some((seat) => seat.code === code)) keepSeat({ code, ticket, name: kept("nim.name", "") || "guest", about: "" });
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

/** Puts HTML of the server in place; the element with the focus keeps it, and what was typed in it.
 * @param {string} id @param {string} html */
function put(id, html) {
  const there = region(id);
  if (!there) return;
  const focused = document.activeElement;
  const had = focused && focused !== document.body && there.contains(focused) ? mark(focused) : null;
  const typed = focused instanceof HTMLInputElement && had ? focused.value : null;
  const opened = Array.from(there.querySelectorAll("details[open]"), (_, at) => at);
  there.innerHTML = html;
  there.querySelectorAll("details").forEach((details, at) => { details.open = opened.includes(at); });
  if (had) {
    const again = there.querySelector(had);
    if (again instanceof HTMLElement) {
      if (again instanceof HTMLInputElement && typed !== null) again.value = typed;
      again.focus({ preventScroll: true });
    } else {
      region("main")?.focus({ preventScroll: true });
    }
  }
  if (id === "log") there.scrollTop = there.scrollHeight;
  if (id === "dialog") openDialog(there);
}

/** A selector for the element that takes the place of this one.
 * @param {Element} element */
function mark(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const name = element.getAttribute("name");
  if (name) return `[name="${CSS.escape(name)}"]`;
  const parts = ["data-do", "data-move", "data-code", "data-about", "data-node"].map((key) => {
    const value = element.getAttribute(key);
    return value === null ? "" : `[${key}="${CSS.escape(value)}"]`;
  });
  return parts.join("") || "*:not(*)";
}

/** The focus before a dialog was opened. @type {string | null} */
let before = null;

/** @param {HTMLElement} holder */
function openDialog(holder) {
  const dialog = holder.querySelector("[role=dialog]");
  document.body.classList.toggle("covered", dialog !== null);
  for (const id of ["head", "main"]) region(id)?.toggleAttribute("inert", dialog !== null);
  if (dialog) {
    if (document.activeElement && !holder.contains(document.activeElement)) before = mark(document.activeElement);
    const first = dialog.querySelector("[autofocus], button, input:not([type=hidden])");
    if (first instanceof HTMLElement) first.focus();
  } else if (before) {
    const again = document.querySelector(before);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    before = null;
  }
}

/** @param {any} update */
function take(update) {
  if (update.reload) return reload();
  for (const [id, html] of update.html ?? []) put(id, html);
  if (update.title !== undefined) document.title = update.title;
  if (update.path !== undefined && update.path !== location.pathname + location.search) {
    // Going back does not begin the game of a link again.
    history[location.search.startsWith("?play=") ? "replaceState" : "pushState"](null, "", update.path);
  }
  if (update.name !== undefined) keep("nim.name", update.name);
  if (update.keep) keepSeat(update.keep);
  if (update.forget) forgetSeat(update.forget);
  document.querySelectorAll(".taken-now").forEach((element) => element.classList.remove("taken-now"));
}

/** Loads the page of a newer server, but not again and again. */
function reload() {
  const last = Number(sessionStorage.getItem("nim.reloaded") ?? 0);
  if (Date.now() - last < 10000) {
    show("connection", "The host runs another version: load this page again.");
    return;
  }
  sessionStorage.setItem("nim.reloaded", String(Date.now()));
  location.reload();
}

// The connection.

/** @type {WebSocket | null} */
let socket = null;
let heard = 0, pause = FIRST_PAUSE, timer = 0;

function connect() {
  clearTimeout(timer);
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const opened = new WebSocket(`${scheme}://${location.host}/assets/socket`);
  socket = opened;
  heard = Date.now();
  opened.onopen = () => {
    send({
      do: "hello", version: VERSION, name: kept("nim.name", ""), path: location.pathname, query: location.search,
      seats: seats(),
    });
  };
  opened.onmessage = (event) => {
    if (socket !== opened) return;
    heard = Date.now();
    pause = FIRST_PAUSE;
    show("connection", "");
    if (event.data !== "") take(JSON.parse(event.data));
  };
  opened.onclose = () => { if (socket === opened) lost(); };
}

/** The connection is lost: come back after a pause. */
function lost() {
  socket = null;
  const seat = pause < LONGEST_PAUSE ? null : seats().find((seat) => "/" + seat.code === location.pathname);
  const moved = seat ? ` If the host has another address now, open it with /${seat.code}#seat=${seat.ticket} behind it.` : "";
  show("connection", "The connection is lost. Coming back …" + moved);
  clearTimeout(timer);
  timer = setTimeout(connect, pause * (0.5 + Math.random() / 2));
  pause = Math.min(pause * 2, LONGEST_PAUSE);
}

/** Comes back at once: the network or the person is back. */
function hurry() {
  if (!socket) {
    pause = FIRST_PAUSE;
    connect();
  } else {
    alive();
  }
}

/** @param {object} action */
function send(action) {
  if (socket?.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(action));
    return true;
  }
  return false;
}

function alive() {
  if (!socket || document.hidden) return;
  if (Date.now() - heard > DEAD_AFTER) {
    const dead = socket;
    lost();
    dead.close();
  } else {
    send({ do: "alive" });
  }
}

setInterval(alive, ALIVE_EVERY);
addEventListener("online", hurry);
addEventListener("pageshow", hurry);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    // While the page was hidden, nothing was sent.
    heard = Date.now();
    hurry();
  }
});

// What the person does.

/** The fields of an action, from the element and its form.
 * @param {HTMLElement} element @param {Record<string, any>} [fields] */
function act(element, fields = {}) {
  const { do: what, ...rest } = element.dataset;
  /** @type {Record<string, any>} */
  const action = { do: what, ...fields };
  for (const [key, value] of Object.entries(rest)) action[key] = value;
  for (const key of ["turn", "node"]) if (key in action) action[key] = Number(action[key]);
  if (["play-now", "quick", "new", "join"].includes(String(what))) action.ticket = newTicket();
  if (what === "home" && location.pathname !== "/") history.pushState(null, "", "/");
  element.classList.add("taken-now");
  if (!send(action)) show("notice", "Not sent: the connection is lost.");
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target.closest("[data-do], [data-move]") : null;
  if (!(target instanceof HTMLElement || target instanceof SVGElement) || target instanceof HTMLFormElement) return;
  if (target.closest("form") && !target.dataset.do) return;
  if (target.dataset.do || target.dataset.move) event.preventDefault();
  if (!target.dataset.do && target.dataset.move) target.dataset.do = "play";
  act(/** @type {HTMLElement} */ (target));
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  /** @type {Record<string, string>} */
  const fields = {};
  for (const [key, value] of new FormData(form)) fields[key] = String(value);
  act(form, fields);
  if (form.dataset.do === "say") form.reset();
});

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && region("dialog")?.firstChild) send({ do: "close" });
});

addEventListener("popstate", () => { if (location.hash !== "#main") location.reload(); });
addEventListener("hashchange", () => { if (takeSeat()) location.reload(); });

// Sticks are pulled off their pile: press on one, pull across those to take, and let go outside the pile; back on
// the pile they fall back. A tap on a stick takes it and those behind it.

/** @type {{pile: SVGGElement, from: number, to: number, moved: boolean, off: boolean, id: number} | null} */
let drag = null;

/** @param {Element | null} element */
const objectOf = (element) => {
  const object = element?.closest("[data-object]");
  return object ? Number(object.getAttribute("data-object")) : null;
};

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
  pile.querySelectorAll(".stick[data-object]").forEach((stick) => {
    const object = Number(stick.getAttribute("data-object"));
    if (object >= first && object < first + count) {
      stick.classList.add("lifted");
      stick.classList.toggle("off", off);
    }
  });
  show("notice", off || !drag.moved ? `Let go to take ${count}.` : `${count} held: pull them off the pile.`);
}

document.addEventListener("pointerdown", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const pile = target?.closest("g[data-pile]"), object = objectOf(target);
  if (!(pile instanceof SVGGElement) || object === null || event.button !== 0) return;
  if (object >= Number(pile.dataset.count)) return;
  drag = { pile, from: object, to: object, moved: false, off: false, id: event.pointerId };
  if (target?.hasPointerCapture?.(event.pointerId)) target.releasePointerCapture(event.pointerId);
  event.preventDefault();
  lift();
});

document.addEventListener("pointermove", (event) => {
  if (!drag || event.pointerId !== drag.id) return;
  const under = document.elementFromPoint(event.clientX, event.clientY);
  const on = under?.closest("g[data-pile]") === drag.pile, object = on ? objectOf(under) : null;
  if (object !== null && object < Number(drag.pile.dataset.count) && object !== drag.to) {
    drag.to = object;
    drag.moved = true;
  }
  const box = drag.pile.getBoundingClientRect();
  drag.off = event.clientY < box.top - 12 || event.clientY > box.bottom + 12
    || event.clientX < box.left - 24 || event.clientX > box.right + 24;
  if (drag.off) drag.moved = true;
  lift();
});

/** @param {boolean} takes */
function letGo(takes) {
  if (!drag) return;
  const { pile, off, moved } = drag, count = held();
  drag = null;
  const move = (pile.dataset.pile ?? "").split("|")[count - 1];
  show("notice", "");
  lift();
  if (takes && move && (off || !moved)) {
    pile.classList.add("taken-now");
    if (!send({ do: "play", move, turn: Number(pile.dataset.turn) })) show("notice", "Not sent: the connection is lost.");
  }
}

document.addEventListener("pointerup", (event) => { if (event.pointerId === drag?.id) letGo(true); });
document.addEventListener("pointercancel", (event) => { if (event.pointerId === drag?.id) letGo(false); });
addEventListener("keydown", (event) => { if (event.key === "Escape") letGo(false); });

takeSeat();
connect();
