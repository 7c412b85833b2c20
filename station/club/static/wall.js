/** The wall: every board of every station, live; one of them big when it is chosen. */

import { playerText, setText, showMoves, showPosition, textElement } from "/static/belief.js";
import { Board } from "/static/board.js";
import { Link } from "/static/link.js";
import { fillIn, language, offerLanguages, say } from "/static/texts.js";
import { leftText } from "/static/times.js";

const SIDES = ["black", "white"];
const LOW_MS = 30_000;
const TICK_MS = 100;
/** A card is so much higher than wide; no card is narrower than this many rem. */
const HEIGHT = 1.47;
const NARROW_REM = 11;
const byId = (id) => document.getElementById(id);

const snapshots = new Map();
/** When each board's clocks were as its snapshot has them, by performance.now(). */
const since = new Map();
const cards = new Map();
const changed = new Set();
const only = new URLSearchParams(location.search).getAll("station");
let link = "connecting";
let hello = null;
let club = { broker: "", archive: "" };
let lastHeard = null;
let isDue = false;

fillIn(document);
offerLanguages(byId("language"));
const big = new Board(byId("big-board"), { style: "plain" });

new Link(hear, (state) => {
  link = state;
  show();
});

function hear(name, data) {
  if (name === "hello") greet(data);
  else if (name === "club") club = data;
  else if (name === "board") take(data);
  lastHeard = new Date();
  show();
}

/** A page of another version than the club's is loaded anew. */
function greet(data) {
  if (hello && hello.page !== data.page) location.reload();
  hello = data;
}

function take({ board, age_ms: age, snapshot }) {
  if (snapshot.gone || (only.length && !only.includes(snapshot.station))) {
    snapshots.delete(board);
    cards.get(board)?.item.remove();
    cards.delete(board);
  } else {
    snapshots.set(board, snapshot);
    since.set(board, performance.now() - age - (snapshot.clocks?.age_ms ?? 0));
    changed.add(board);
  }
}

function show() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    showAll();
  });
}

const timeOf = (moment) => new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }).format(moment);
const chosen = () => decodeURIComponent(location.hash.slice(1));
const isAway = (snapshot) => !snapshot.online || !snapshot.hardware;

function showAll() {
  document.body.dataset.link = link;
  setText(byId("link-text"), say(`link.${link}`));
  setText(byId("club"), hello?.club ?? "");
  document.title = hello ? say("club.title", { club: hello.club }) : "Dambord";
  setText(byId("count"), snapshots.size ? say("club.boards", { count: snapshots.size }) : "");
  showBanner();
  byId("none").hidden = snapshots.size > 0;
  setText(byId("none"), say("club.none"));
  const isNew = [...changed].some((name) => !cards.has(name));
  for (const name of changed) showCard(name);
  changed.clear();
  if (isNew) sortCards();
  layOut();
  showBig();
  tick();
}

function showBanner() {
  const text = bannerText();
  byId("banner").hidden = !text;
  setText(byId("banner-text"), text);
}

function bannerText() {
  if (link === "down") return say("club.lost", { time: lastHeard ? timeOf(lastHeard) : "" });
  if (club.archive) return say("club.not_saving", { problem: club.archive });
  return club.broker ? say("club.no_broker", { problem: club.broker }) : "";
}

// --- cards -------------------------------------------------------------------------------------------------------

function newCard(name) {
  const item = document.createElement("li");
  item.className = "card";
  item.dataset.board = name;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.id = `card-${cards.size}-${Math.random().toString(36).slice(2, 8)}`;
  svg.setAttribute("role", "img");
  const stage = document.createElement("div");
  stage.className = "stage";
  stage.append(svg);
  const frame = document.createElement("a");
  frame.href = `#${encodeURIComponent(name)}`;
  const head = line("p", "head", "where", "phase");
  const [black, white] = SIDES.map((side) => {
    const player = line("p", "player", "disc", "who", "turn-mark", "time");
    player.dataset.side = side;
    player.querySelector(".disc").setAttribute("aria-hidden", "true");
    return player;
  });
  const last = line("p", "last");
  frame.append(head, black, stage, white, last);
  item.append(frame);
  byId("cards").append(item);
  return { item, board: new Board(svg, { style: "plain" }) };
}

function line(tag, name, ...parts) {
  const element = document.createElement(tag);
  element.className = name;
  element.append(...parts.map((part) => Object.assign(document.createElement("span"), { className: part })));
  return element;
}

function showCard(name) {
  const snapshot = snapshots.get(name);
  if (!snapshot) return;
  if (!cards.has(name)) cards.set(name, newCard(name));
  const { item, board } = cards.get(name);
  item.toggleAttribute("data-away", isAway(snapshot));
  item.toggleAttribute("data-over", snapshot.result !== "*");
  const where = item.querySelector(".where");
  if (where.dataset.name !== name) {
    where.dataset.name = name;
    where.replaceChildren(textElement("span", snapshot.table), " ", textElement("small", snapshot.station));
  }
  setText(item.querySelector(".phase"), phaseText(snapshot));
  setText(item.querySelector(".last"), lastText(snapshot));
  showPlayers(item, snapshot);
  if (snapshot.geometry) showPosition(board, snapshot);
}

function sortCards() {
  const order = [...cards.keys()].sort((one, other) => one.localeCompare(other, language, { numeric: true }));
  byId("cards").append(...order.map((name) => cards.get(name).item));
}

function showPlayers(root, snapshot) {
  for (const side of SIDES) {
    const player = root.querySelector(`.player[data-side="${side}"]`);
    const isOn = snapshot.state.turn === side && snapshot.result === "*" && !isAway(snapshot) && ["turn", "waiting", "answering"].includes(snapshot.phase);
    setText(player.querySelector(".who"), snapshot.players[side] ? playerText(snapshot.players[side]) : "");
    setText(player.querySelector(".turn-mark"), isOn ? say("turn.mark") : "");
    player.toggleAttribute("data-turn", isOn);
  }
}

function phaseText(snapshot) {
  if (!snapshot.online) return snapshot.since ? say("club.offline_since", { time: timeOf(new Date(snapshot.since)) }) : say("club.offline");
  if (!snapshot.hardware) return say("club.no_board");
  return snapshot.phase ? say(`phase.${snapshot.phase}`) : "";
}

function lastText(snapshot) {
  if (snapshot.fault) return say(snapshot.geometry ? "club.fault" : "club.no_rules", { problem: snapshot.fault });
  if (snapshot.result !== "*") return say("result.line", { result: snapshot.result });
  const ply = snapshot.moves.length;
  return ply ? `${Math.ceil(ply / 2)}${ply % 2 ? "." : "…"} ${snapshot.moves[ply - 1]}` : "";
}

/** All boards on the screen, as large as can be; where they would be too small, the wall is scrolled. */
function layOut() {
  const count = cards.size;
  const wall = byId("wall");
  if (!count || chosen()) return;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const style = getComputedStyle(wall);
  const room = wall.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const height = window.innerHeight - wall.getBoundingClientRect().top - parseFloat(style.paddingBottom) - window.scrollY;
  const gap = 0.6 * rem;
  const widthOf = (columns) => {
    const rows = Math.ceil(count / columns);
    return Math.min((room - gap * (columns - 1)) / columns, (height - gap * (rows - 1)) / rows / HEIGHT);
  };
  let columns = 1;
  for (let tried = 2; tried <= count; tried++) if (widthOf(tried) > widthOf(columns)) columns = tried;
  let width = widthOf(columns);
  const narrow = Math.min(room, NARROW_REM * rem);
  if (width < narrow || room < 40 * rem) {
    columns = Math.max(1, Math.min(count, Math.floor((room + gap) / (narrow + gap))));
    width = (room - gap * (columns - 1)) / columns;
  }
  byId("cards").style.setProperty("--columns", columns);
  byId("cards").style.setProperty("--width", `${Math.floor(width)}px`);
}

// --- one board big -----------------------------------------------------------------------------------------------

function showBig() {
  const name = chosen();
  const snapshot = snapshots.get(name);
  document.body.dataset.view = snapshot ? "big" : "all";
  byId("big").hidden = !snapshot;
  if (!snapshot) return;
  byId("big").toggleAttribute("data-away", isAway(snapshot));
  setText(byId("where"), `${snapshot.table} · ${snapshot.station}`);
  const title = say(`variant.${snapshot.variant}`);
  setText(byId("variant"), title.startsWith("variant.") ? snapshot.title : title);
  showPlayers(byId("about"), snapshot);
  byId("result").hidden = snapshot.result === "*";
  setText(byId("result"), snapshot.result === "*" ? "" : say("result.line", { result: snapshot.result }));
  setText(byId("says"), isAway(snapshot) || snapshot.fault ? `${phaseText(snapshot)} ${snapshot.fault ? lastText(snapshot) : ""}` : snapshot.sentence);
  if (snapshot.geometry) {
    showPosition(big, snapshot);
    showMoves({ moves: snapshot.moves, state: snapshot.state });
  }
  const asked = new URLSearchParams({ station: snapshot.station, board: snapshot.table });
  byId("pdn").href = `/live.pdn?${asked}`;
}

// --- clocks ------------------------------------------------------------------------------------------------------

function tick() {
  for (const [name, { item }] of cards) showClocks(item, name);
  if (!byId("big").hidden) showClocks(byId("about"), chosen());
}

function showClocks(root, name) {
  const snapshot = snapshots.get(name);
  for (const side of SIDES) {
    const time = root.querySelector(`.player[data-side="${side}"] .time`);
    const left = snapshot?.clocks?.left_ms[side];
    if (left === undefined) {
      setText(time, "");
      continue;
    }
    const runs = snapshot.clocks.running === side && !isAway(snapshot) && link === "up";
    const ms = Math.max(0, left - (runs ? performance.now() - since.get(name) : 0));
    time.toggleAttribute("data-runs", runs);
    time.toggleAttribute("data-low", ms < LOW_MS);
    setText(time, leftText(ms, snapshot.clocks));
  }
}

setInterval(tick, TICK_MS);
window.addEventListener("hashchange", show);
window.addEventListener("resize", show);
window.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && chosen()) location.hash = "";
});
