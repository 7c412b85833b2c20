/** What the station believes: players, position, moves, diagnosis. */

import { keyOf } from "./board.js";
import { say } from "./texts.js";

const FAULTS = ["weak", "dead"];
const byId = (id) => document.getElementById(id);

/** Set an element's text only when it changes, so that screen readers hear it once. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** What stands on each cell of the game's position: cell key -> content. */
export function contentsOf(snapshot) {
  const { squares } = snapshot.geometry;
  return new Map(Object.entries(snapshot.contents).map(([name, content]) => [keyOf(squares[name]), content]));
}

/** What stands beneath the top pieces of the game's towers: cell key -> contents from the bottom upwards. */
export function towersOf(snapshot) {
  const { squares } = snapshot.geometry;
  return new Map(Object.entries(snapshot.towers ?? {}).map(([name, beneath]) => [keyOf(squares[name]), beneath]));
}

/** Cells whose sensors are not to be trusted: cell key -> "weak" or "dead". */
export function sensorMarks({ geometry, sensors }) {
  return Object.fromEntries(FAULTS.flatMap((fault) => sensors[fault].map((name) => [keyOf(geometry.squares[name]), fault])));
}

/** The same in words. */
export function sensorText({ sensors }) {
  const told = FAULTS.filter((fault) => sensors[fault].length);
  return told.map((fault) => say(`sensor.${fault}_squares`, { squares: sensors[fault].join(", ") })).join(" ");
}

/** What the sensors see on each cell: a content, `white`, `black`, `any` (a piece) or `unknown`. */
export function sensedOf(snapshot) {
  const { squares } = snapshot.geometry;
  const sensed = new Map();
  for (const [name, cell] of Object.entries(squares)) {
    const content = sensedContent(snapshot.position.seen[name]);
    if (content !== "empty") sensed.set(keyOf(cell), content);
  }
  return sensed;
}

/** One word for a set of contents that a sensor does not rule out. */
export function sensedContent(possible) {
  if (!possible || (possible.includes("empty") && possible.length > 1)) return "unknown";
  if (possible.length === 1) return possible[0];
  for (const colour of ["white", "black"]) if (possible.every((name) => name.startsWith(colour))) return colour;
  return "any";
}

/** The lamps that the guidance asks for: cell key -> role. */
export function lampsOf(snapshot) {
  const { squares } = snapshot.geometry;
  return new Map(Object.entries(snapshot.state.guidance.squares).map(([name, role]) => [keyOf(squares[name]), role]));
}

/** Whether a person plays, by name or without. */
export const isPerson = (player) => player.split(":")[0] === "person";

/** Who plays, in words; a person by name where it was told. */
export function playerText(player) {
  const [kind, ...rest] = player.split(":");
  if (kind === "engine") return say("player.engine", { level: rest[0] });
  if (kind === "problem") return say("player.problem", { number: rest[0] });
  if (kind === "hub") return say("player.hub", { command: rest.join(":") });
  return rest.join(":") || say("player.person");
}

export function showPlayers({ state, title }) {
  setText(byId("variant"), title);
  for (const side of ["white", "black"]) {
    const line = byId(`player-${side}`);
    const isOn = state.turn === side && state.phase !== "over";
    setText(line.querySelector(".who"), say("player.line", { side: say(`side.${side}`), player: playerText(state.players[side]) }));
    setText(line.querySelector(".turn-mark"), isOn ? say("turn.mark") : "");
    line.toggleAttribute("data-turn", isOn);
  }
  const result = byId("result");
  result.hidden = state.result === "*";
  setText(result, result.hidden ? "" : say("result.line", { result: state.result }));
}

export function showPosition(board, snapshot) {
  const { geometry, state } = snapshot;
  const contents = snapshot.set_up?.contents ?? snapshot.contents;
  board.setGeometry(geometry);
  board.setContents(contentsOf({ geometry, contents }));
  board.setTowers(towersOf(snapshot));
  const marks = {};
  const last = state.last_move;
  if (last && !snapshot.set_up) {
    for (const name of last.captured) marks[keyOf(geometry.squares[name])] = "captured";
    for (const name of last.path) marks[keyOf(geometry.squares[name])] = "path";
    marks[keyOf(geometry.squares[last.from])] = "from";
    marks[keyOf(geometry.squares[last.to])] = "to";
  }
  board.setMarks(marks);
  const list = (colour) =>
    Object.entries(contents)
      .filter(([, content]) => content.startsWith(colour))
      .map(([name, content]) => (content.endsWith("king") ? `${say(`content.${content}`)} ${name}` : name))
      .join(", ") || say("belief.nothing");
  board.svg.setAttribute("aria-label", say("belief.label", { white: list("white"), black: list("black") }));
}

/** The moves in two columns; whoever moves first has the first. */
export function showMoves({ moves, state }) {
  const whiteIsFirst = (state.turn === "white") === (state.ply % 2 === 0);
  setText(byId("moves-first"), say(whiteIsFirst ? "side.white" : "side.black"));
  setText(byId("moves-second"), say(whiteIsFirst ? "side.black" : "side.white"));
  byId("moves-none").hidden = moves.length > 0;
  const table = byId("moves");
  const text = JSON.stringify(moves);
  if (table.dataset.shown === text) return;
  table.dataset.shown = text;
  const rows = [];
  for (let ply = 0; ply < moves.length; ply += 2) {
    const row = document.createElement("tr");
    const number = document.createElement("th");
    number.scope = "row";
    number.textContent = `${ply / 2 + 1}.`;
    row.append(number, moveCell(moves, ply), moveCell(moves, ply + 1));
    rows.push(row);
  }
  table.tBodies[0].replaceChildren(...rows);
  const scroll = byId("moves-scroll");
  scroll.scrollTop = scroll.scrollHeight;
}

function moveCell(moves, ply) {
  const cell = document.createElement("td");
  cell.textContent = moves[ply] ?? "";
  if (moves[ply]) cell.dataset.ply = ply + 1;
  if (ply === moves.length - 1) cell.setAttribute("aria-current", "true");
  return cell;
}

/** The device, and every square that the sensors and the game tell of; where they differ, first. */
export function showDiagnosis(snapshot) {
  const { device, state, position, contents, geometry } = snapshot;
  const senses = device?.identity ? "kings" : device?.colour ? "colour" : "presence";
  const facts = device
    ? [
        ["diagnosis.device", device.name],
        ["diagnosis.firmware", device.firmware],
        ["diagnosis.identity", device.unique_id],
        ["diagnosis.senses", say(`diagnosis.senses_${senses}`)],
        ["diagnosis.lamps", say(device.lamps ? "diagnosis.yes" : "diagnosis.no")],
      ]
    : [["diagnosis.device", say("diagnosis.no_device")]];
  if (state.battery) {
    const { percent, charging } = state.battery;
    facts.push(["diagnosis.battery", say(charging ? "diagnosis.charging" : "diagnosis.percent", { percent })]);
  }
  facts.push(...playFacts(snapshot));
  facts.push(["diagnosis.problem", state.problem ?? say("diagnosis.no_problem")]);
  byId("device").replaceChildren(...facts.flatMap(([key, value]) => [textElement("dt", say(key)), textElement("dd", value)]));
  const items = Object.keys(geometry.squares).map((name) => sensorItem(name, position.seen[name], contents[name] ?? "empty"));
  items.sort((one, other) => other.differs - one.differs);
  byId("sensors").replaceChildren(...items.map(({ item }) => item));
}

/** How turns end, how draws come about, and each of the waiting times. */
function playFacts({ play }) {
  const times = Object.entries(play.times_ms).map(([name, ms]) => say(`pace.${name}`, { ms }));
  return [
    ["diagnosis.confirm", say(`confirm_mode.${play.confirm.replace("-", "_")}`)],
    ["diagnosis.draws", say(`draws_mode.${play.draws}`)],
    ["diagnosis.pace", `${say(`pace_preset.${play.pace || "own"}`)}: ${times.join(", ")}`],
  ];
}

function sensorItem(name, possible, inGame) {
  const differs = possible !== undefined && !possible.includes(inGame);
  const item = document.createElement("li");
  item.dataset.square = name;
  item.dataset.seen = sensedContent(possible);
  item.append(textElement("b", name), ` ${say(`content.${sensedContent(possible)}`)}`);
  if (differs) item.append(textElement("em", say("diagnosis.game", { content: say(`content.${inGame}`) })));
  item.classList.toggle("differs", differs);
  return { item, differs };
}

export function textElement(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

