/** The page: hears what the station says, shows it, and passes on what people ask for. */

import { watch } from "./attract.js";
import * as belief from "./belief.js";
import { Board } from "./board.js";
import { askNewGame } from "./dialogs.js";
import { showEvaluation } from "./evaluation.js";
import { showCodes } from "./follow.js";
import { Hands } from "./hands.js";
import { sideView } from "./arm.js";
import { lampPicture, ROLES } from "./lamps.js";
import { Link } from "./link.js";
import { onManner, showManner } from "./manner.js";
import { askDraw, askResign, showClocks, showDrawButton, showOffer } from "./play.js";
import { boardPath, demoPath, post, postNow } from "./requests.js";
import { changeRights, showRights } from "./rights.js";
import { showSentence } from "./sentence.js";
import { chooseSquare, namedPiece, setUpAnswers, showNaming } from "./set_up.js";
import { fillIn, offerLanguages, say } from "./texts.js";

const TOAST_MS = 6000;
const TICK_MS = 100;
const byId = (id) => document.getElementById(id);
const { setText } = belief;

const snapshots = new Map();
const worlds = new Map();
/** By how many men White is ahead on each board that shows it. */
const leads = new Map();
/** When each board's snapshot was true, by performance.now(). */
const since = new Map();
/** Stages of an arm in which something may be in motion, or is about to be. */
const ARM_MOVES = new Set(["homing", "warning", "acting", "checking"]);
let link = "connecting";
let hello = null;
let chosen = decodeURIComponent(location.hash.slice(1));
let isDue = false;
/** The game that is over, while hands wait to set up the one after it. */
let newGame = null;

fillIn(document);
offerLanguages(byId("language"));
const wood = new Board(byId("wood-board"), { style: "wood", trayText: (colour, count) => say(`tray.${colour}`, { count }) });
const plain = new Board(byId("belief-board"), { style: "plain" });
const hands = new Hands(wood, { changed: show, failed: complain });
byId("wood-help").textContent = say("keys.help");
byId("legend-list").append(...ROLES.map(legendItem));

const stream = new Link(hear, (state) => {
  link = state;
  show();
});

function hear(name, data) {
  if (name === "hello") greet(data);
  else if (name === "board") {
    snapshots.set(data.board, data.snapshot);
    since.set(data.board, performance.now() - data.age_ms);
  }
  else if (name === "evaluation") leads.set(data.board, data.men);
  else if (name === "world") {
    worlds.set(data.board, data);
    if (data.board === hands.name) hands.see(data);
  }
  show();
}

/** A page of another version than the station's is loaded anew. */
function greet(data) {
  if (hello && hello.page !== data.page) location.reload();
  hello = data;
  hands.forget();
}

/** Show everything at the next frame, once, however much has changed. */
function show() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    showAll();
  });
}

/** Whether a clock runs, and its time is told anew at every tick. */
let isTicking = false;
setInterval(() => {
  if (isTicking && link === "up") showClocks(snapshots.get(board()).state, since.get(board()));
}, TICK_MS);

function board() {
  return snapshots.has(chosen) ? chosen : ([...snapshots.keys()].sort()[0] ?? null);
}

function showAll() {
  document.body.dataset.link = link;
  setText(byId("link-text"), say(`link.${link}`));
  setText(byId("station"), hello?.station ?? "");
  showRights(hello ?? {});
  byId("follow").hidden = !hello?.address;
  const name = board();
  showBoards(name);
  showBanner(name && snapshots.get(name));
  if (!name) return showSentence(byId("guidance"), say(link === "up" ? "guidance.no_boards" : "guidance.none"));
  const snapshot = snapshots.get(name);
  document.body.dataset.board = name;
  watch(name, snapshot);
  document.title = say("document.title", { board: name });
  showAdvice(snapshot);
  showOffer(snapshot.state);
  showNaming(snapshot.set_up, snapshot.position.seen);
  isTicking = showClocks(snapshot.state, since.get(name));
  showWood(name, snapshot);
  belief.showPlayers(snapshot);
  showEvaluation(leads.get(name) ?? null);
  belief.showPosition(plain, snapshot);
  belief.showMoves(snapshot);
  if (byId("diagnosis").open) belief.showDiagnosis(snapshot);
  showTools(snapshot);
  showManner(snapshot, link === "up" && mayAct());
  showLink("camera-link", hello?.cameras, name, "camera");
  showLink("teach-link", hello?.arms, name, "arm-place");
}

/** Cameras and arms have pages of their own on which a board is shown to them. */
function showLink(id, boards, name, page) {
  const anchor = byId(id);
  anchor.hidden = !boards?.includes(name);
  anchor.href = boardPath(name, page);
}

function showBoards(current) {
  const nav = byId("boards");
  nav.hidden = snapshots.size < 2;
  const names = [...snapshots.keys()].sort();
  if (nav.dataset.names !== names.join(" ")) {
    nav.dataset.names = names.join(" ");
    nav.replaceChildren(
      ...names.map((name) => {
        const tab = belief.textElement("a", name);
        tab.href = `#${encodeURIComponent(name)}`;
        return tab;
      }),
    );
  }
  names.forEach((name, place) => nav.children[place].toggleAttribute("aria-current", name === current));
}

function showBanner(snapshot) {
  const text = bannerText(snapshot);
  const banner = byId("banner");
  banner.hidden = !text;
  banner.dataset.about = link === "down" ? "link" : "board";
  setText(byId("banner-text"), text);
}

function bannerText(snapshot) {
  if (link === "down") return say("banner.link");
  const { problem = null, guidance = {}, battery = null, stop = null } = snapshot?.state ?? {};
  if (guidance.prompt === "lost") return problem ? say("banner.lost_because", { problem }) : say("banner.lost");
  return problem ? say("banner.problem", { problem }) : stop ?? battery?.warning ?? "";
}

function showAdvice({ state, set_up: setUp }) {
  setText(byId("phase"), say(`phase.${state.phase}`));
  showSentence(byId("guidance"), state.guidance.sentence);
  byId("advice").dataset.prompt = state.guidance.prompt;
  const answers = answersTo(state.guidance, setUp);
  const choices = byId("choices");
  choices.hidden = !answers.length;
  const texts = answers.map(({ text }) => text).join(" ");
  if (choices.dataset.moves === texts) return;
  choices.dataset.moves = texts;
  choices.replaceChildren(
    ...answers.map(({ text, name, body }) => {
      const button = belief.textElement("button", text);
      button.addEventListener("click", () => request(name, body));
      return button;
    }),
  );
}

function answersTo({ prompt, choices }, setUp) {
  if (prompt === "resume") {
    return [
      { text: say("resume.go_on"), name: "resume" },
      { text: say("resume.new_game"), name: "new_game" },
    ];
  }
  return setUp ? setUpAnswers(setUp) : moveAnswers(choices ?? []);
}

function moveAnswers(moves) {
  return moves.map((move, place) => ({ text: say("guidance.choose", { move }), name: "choose", body: { number: place + 1 } }));
}

function showWood(name, snapshot) {
  const world = worlds.get(name);
  const isDemo = !!hello?.demo && world !== undefined;
  wood.setGeometry(snapshot.geometry);
  if (name !== hands.name) {
    hands.serve(name, false);
    if (world) hands.see(world);
  }
  hands.serve(name, isDemo && link === "up");
  wood.setTrays(isDemo);
  wood.setContents(isDemo ? hands.contents() : belief.sensedOf(snapshot));
  wood.setTowers(isDemo ? belief.towersOf(snapshot) : new Map());
  const isLit = isDemo && snapshot.device?.lamps !== false;
  wood.setLamps(isLit ? new Map(world.lamps.map(([column, row, role]) => [`${column},${row}`, role])) : belief.lampsOf(snapshot));
  wood.setArm(isDemo ? world.arm : null);
  showArm(snapshot, isDemo ? world.arm : null);
  wood.setMarks(belief.sensorMarks(snapshot));
  setText(byId("sensor-note"), belief.sensorText(snapshot));
  wood.setCounts(hands.counts());
  hands.show();
  const { columns, rows } = snapshot.geometry;
  wood.svg.setAttribute("aria-label", say("wood.label", { columns, rows }));
  wood.svg.classList.toggle("free", hands.isFree);
  for (const [key, cell] of wood.cells) cell.setAttribute("aria-label", cellText(key));
  setText(byId("wood-title"), say(isLit ? "wood.title" : isDemo ? "wood.title_no_lamps" : "wood.title_sensors"));
  setText(byId("hand-says"), handText(isDemo));
  byId("hand-tools").hidden = !isDemo;
  byId("keys").hidden = !isDemo;
  if (isDemo) showHandTools(world);
  if (newGame !== null && newGame !== snapshot.state.game) {
    newGame = null;
    if (isDemo) hands.setUp(belief.contentsOf(snapshot));
  }
}

/** The arm's buttons; its picture from the side, where the machine is simulated. */
function showArm({ state, geometry }, seen) {
  byId("arm-tools").hidden = !state.arm;
  byId("arm-side").toggleAttribute("hidden", !seen);
  if (seen) sideView(byId("arm-side"), seen, geometry.columns);
  if (!state.arm) return;
  const waits = state.arm.may_arm || ["stopped", "asking"].includes(state.arm.stage);
  enable("arm-go", link === "up" && waits);
  setText(byId("arm-says"), state.arm.says);
}

function cellText(key) {
  const square = wood.names.get(key);
  const [column, row] = key.split(",").map((text) => Number(text) + 1);
  const place = square ? say("square.name", { square }) : say("square.none", { column, row });
  const content = say(`content.${wood.contents.get(key) ?? "empty"}`);
  const role = wood.lamps.get(key);
  const fault = wood.marks[key];
  const more = [...(role ? [say("square.lamp", { lamp: say(`lamp.${role}`) })] : []), ...(fault ? [say(`sensor.${fault}`)] : [])];
  return [place, content, ...more].join(", ");
}

function handText(isDemo) {
  if (!isDemo) return hands.focus ? cellText(hands.focus) : say("wood.help_sensors");
  if (hands.saying) return hands.saying;
  const place = hands.focus ? cellText(hands.focus) : "";
  if (hands.held) return say("hand.holds", { content: say(`content.${hands.held.content}`), place });
  return place || say("hand.free");
}

function showHandTools(world) {
  const standing = hands.focus !== null && wood.contents.has(hands.focus);
  byId("hand-lift").toggleAttribute("data-second", !!hands.held);
  byId("hand-cable").toggleAttribute("data-second", !world.plugged);
  byId("hand-cable").dataset.plugged = world.plugged;
  enable("hand-lift", hands.isFree && (!!hands.held || standing));
  enable("hand-crown", hands.isFree && !hands.held && standing);
  enable("hand-tray", hands.isFree && (!!hands.held || standing));
  for (const id of ["hand-set-up", "hand-confirm", "hand-cable"]) enable(id, hands.isFree);
}

function showTools({ board: name, state, moves, touch = null }) {
  const isUp = link === "up";
  const isOver = state.phase === "over";
  const isPaused = state.phase === "paused";
  const isLost = ["lost", "searching"].includes(state.guidance.prompt);
  const hasBegun = state.ply > 0 || !["setting_up", "over"].includes(state.phase);
  byId("pause").toggleAttribute("data-second", isPaused);
  enable("new-game", isUp);
  enable("set-up", isUp && !isLost && state.phase !== "composing");
  enable("take-back", isUp && state.ply > 0);
  enable("hint", isUp && state.phase === "turn" && !["hint", "problem_wrong"].includes(state.guidance.prompt));
  byId("adjust").hidden = touch === null;
  byId("adjust").toggleAttribute("data-second", !!touch?.adjusting);
  enable("adjust", isUp && !!touch?.may_adjust && !touch.adjusting);
  enable("pause", isUp && !(isPaused && isLost));
  showDrawButton(state);
  enable("draw", isUp && hasBegun && !isOver);
  enable("resign", isUp && hasBegun && !isOver);
  byId("pdn").href = boardPath(name, "game.pdn");
  byId("pdn").hidden = !moves.length;
}

function enable(id, can) {
  byId(id).disabled = !can || !mayAct();
}

function mayAct() {
  return hello?.may_act !== false;
}

function legendItem(role) {
  const item = document.createElement("li");
  item.dataset.role = role;
  item.append(lampPicture(role), belief.textElement("span", say(`lamp.${role}`)));
  return item;
}

// --- what people ask for ---------------------------------------------------------------------------------------

function request(name, body) {
  return post(boardPath(board(), name), body).catch(complain);
}

let toastTimer;
function complain(error) {
  const toast = byId("toast");
  toast.textContent = error.message;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.hidden = true), TOAST_MS);
}

function onClick(id, act) {
  byId(id).addEventListener("click", () => act(snapshots.get(board())));
}

onClick("new-game", async (snapshot) => {
  const wanted = await askNewGame(snapshot);
  if (wanted) request("new_game", wanted);
});
onClick("set-up", () => request("set_position"));
onClick("take-back", () => request("take_back"));
onClick("hint", () => request("hint"));
onClick("adjust", () => request("adjust"));
onManner((wanted) => request("set_play", wanted));
byId("naming").addEventListener("submit", (event) => {
  event.preventDefault();
  request("set_position", namedPiece());
});
byId("belief-board").addEventListener("click", ({ clientX, clientY }) => {
  const spot = plain.locate(clientX, clientY);
  if (spot?.cell) chooseSquare(plain.names.get(spot.cell.join(",")));
});
onClick("pause", ({ state }) => request(state.phase === "paused" ? "resume" : "pause"));
onClick("draw", async ({ state }) => {
  const wanted = await askDraw(state);
  if (wanted) request("draw", wanted);
});
onClick("offer-accept", () => request("draw", { answer: "accept" }));
onClick("offer-decline", () => request("draw", { answer: "decline" }));
onClick("resign", async ({ state }) => {
  const side = await askResign(state);
  if (side) request("resign", { side });
});
onClick("follow", showCodes);
byId("sign-in").addEventListener("click", () => {
  changeRights(hello).then((hasChanged) => hasChanged && stream.again(0), complain);
});
onClick("turn-board", () => {
  wood.flip();
  plain.flip();
  show();
});
onClick("arm-go", () => request("arm"));
const haltArm = () => postNow(boardPath(board(), "halt")).catch(complain);
byId("arm-halt").addEventListener("click", haltArm);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && ARM_MOVES.has(snapshots.get(board())?.state.arm?.stage)) haltArm();
});
onClick("hand-lift", () => hands.toggle());
onClick("hand-crown", () => hands.crown(hands.focus));
onClick("hand-tray", () => hands.toTray());
onClick("hand-set-up", async (snapshot) => {
  if (snapshot.state.phase !== "over") return hands.setUp(belief.contentsOf(snapshot));
  await request("new_game");
  newGame = snapshot.state.game;
  show();
});
onClick("hand-confirm", ({ board: name }) => post(demoPath(name, "press"), { button: "confirm" }).catch(complain));
onClick("hand-cable", ({ board: name }) => {
  const act = worlds.get(name).plugged ? "unplug" : "plug";
  post(demoPath(name, act)).catch(complain);
});
byId("diagnosis").addEventListener("toggle", show);
byId("toast").addEventListener("click", () => (byId("toast").hidden = true));
window.addEventListener("hashchange", () => {
  chosen = decodeURIComponent(location.hash.slice(1));
  show();
});
