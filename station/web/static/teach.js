/** The page on which an arm is shown its board: one place after the other; a held button moves the tool, a let-go one nothing. */

import { boardPath, post, postNow } from "./requests.js";
import { draw } from "./svg.js";
import { fillIn, say } from "./texts.js";

const LOOK_MS = 400;
const CELL = 100;
const STEPS_MM = [0.1, 1, 10, 50];
const KEYS = {
  ...{ ArrowLeft: "left", ArrowRight: "right", ArrowUp: "away", ArrowDown: "near", PageUp: "up", PageDown: "down" },
};
const board = decodeURIComponent(location.pathname.split("/")[2]);
const byId = (id) => document.getElementById(id);

let stepMm = 10;
let shown = {};
let isAsking = false;
/** The way that the tool is moved while a button or key is held; null for none. */
let held = null;

fillIn(document);
document.title = say("teach.title");
byId("back").href = `/#${encodeURIComponent(board)}`;
byId("steps").append(...STEPS_MM.map(stepChoice));
byId("start").addEventListener("click", () => ask({ act: "start" }));
byId("next").addEventListener("click", () => ask({ act: "next" }));
byId("no").addEventListener("click", () => ask({ act: "no" }));
byId("end").addEventListener("click", () => ask({ act: "end" }));
byId("arm-halt").addEventListener("click", halt);
for (const button of document.querySelectorAll("[data-way]")) {
  button.addEventListener("pointerdown", () => hold(button.dataset.way));
  // A press by the keyboard or by an aid is one step.
  button.addEventListener("click", (event) => event.detail === 0 && step(button.dataset.way));
}
for (const name of ["pointerup", "pointercancel", "blur"]) window.addEventListener(name, () => (held = null));
document.addEventListener("visibilitychange", () => (held = null));
document.addEventListener("keyup", () => (held = null));
document.addEventListener("keydown", keyed);
setInterval(() => {
  if (!isAsking && !document.hidden) ask({ act: "look" });
}, LOOK_MS);
ask({ act: "look" });

function stepChoice(mm) {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "radio", name: "step", checked: mm === stepMm });
  input.addEventListener("change", () => (stepMm = mm));
  label.append(input, String(mm));
  return label;
}

function keyed(event) {
  if (event.key === "Escape") return halt();
  if (event.repeat || shown.step !== "touch") return undefined;
  const number = "1234".indexOf(event.key);
  if (number >= 0) return byId("steps").querySelectorAll("input")[number].click();
  if (event.key in KEYS && !event.target.closest("#steps")) {
    event.preventDefault();
    return hold(KEYS[event.key]);
  }
  return undefined;
}

/** Move the tool step by step for as long as the button is held: nothing is sent ahead. */
async function hold(way) {
  if (held !== null) return;
  held = way;
  while (held === way && (await step(way)));
  held = null;
}

function step(way) {
  return ask({ act: "jog", way, step_mm: stepMm });
}

function halt() {
  held = null;
  postNow(boardPath(board, "halt")).catch(complain);
}

/** Whether it was answered. */
async function ask(asked) {
  isAsking = true;
  try {
    show(await post(boardPath(board, "arm-place"), asked));
    byId("toast").hidden = true;
    return true;
  } catch (error) {
    complain(error);
    return false;
  } finally {
    isAsking = false;
  }
}

function complain(error) {
  byId("toast").textContent = error.message;
  byId("toast").hidden = false;
}

function show(answer) {
  shown = answer;
  const { step: stage, is_busy: isBusy } = answer;
  const isOver = ["closed", "ended", "saved"].includes(stage);
  byId("teach").dataset.step = stage;
  byId("phase").textContent = answer.done ? say("teach.progress", answer) : "";
  setText("guidance", sentence(answer));
  setText("readout", answer.said);
  byId("start").hidden = !isOver;
  byId("start").textContent = say(stage === "closed" ? "teach.start" : "camera.again");
  byId("next").hidden = isOver || stage === "opening";
  byId("next").textContent = say(stage === "judge" ? "teach.yes" : "teach.enter");
  byId("next").disabled = byId("no").disabled = isBusy;
  byId("no").hidden = stage !== "judge";
  byId("end").hidden = isOver;
  byId("pad").hidden = stage !== "touch";
  byId("arm-halt").hidden = isOver;
  const [x, y, z] = (answer.at ?? []).map((place) => place.toFixed(1));
  byId("place").textContent = answer.at ? say("teach.place", { x, y, z }) : "";
  showBoard(answer);
}

function sentence({ step: stage, sentence: asked }) {
  if (stage === "closed") return say("teach.about");
  if (stage === "opening") return say("teach.opening");
  return asked;
}

/** Only what is new is read aloud. */
function setText(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

function showBoard({ board: [columns, rows], spot, slot }) {
  const view = byId("view");
  const key = JSON.stringify([columns, rows, spot, slot]);
  if (view.dataset.shown === key) return;
  view.dataset.shown = key;
  view.setAttribute("viewBox", `-90 -20 ${columns * CELL + 110} ${rows * CELL + 110}`);
  const cells = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const isDark = (column + rows - 1 - row) % 2 === 0;
      cells.push(draw("rect", { class: isDark ? "cell dark" : "cell", x: column * CELL, y: row * CELL, width: CELL, height: CELL }));
    }
  }
  view.replaceChildren(...cells, draw("rect", { class: "edge", x: 0, y: 0, width: columns * CELL, height: rows * CELL }));
  for (let number = 1; number <= columns; number++) view.append(numeral(number, (number - 0.5) * CELL, rows * CELL + 75));
  for (let number = 1; number <= rows; number++) view.append(numeral(number, -50, (rows - number + 0.72) * CELL));
  if (spot) view.append(...target(spot));
}

function numeral(number, x, y) {
  const element = draw("text", { x, y });
  element.textContent = String(number);
  return element;
}

function target([column, row]) {
  const [x, y] = [(column + 0.5) * CELL, (row + 0.5) * CELL];
  return [
    draw("circle", { class: "target", cx: x, cy: y, r: 36 }),
    draw("path", { class: "cross", d: `M${x - 60},${y} L${x + 60},${y} M${x},${y - 60} L${x},${y + 60}` }),
  ];
}
