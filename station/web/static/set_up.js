/** A position that is set up by hand: what can be said to each step, and which piece stands on a square. */

import { textElement } from "./belief.js";
import { say } from "./texts.js";

const byId = (id) => document.getElementById(id);
const KINDS = ["white_man", "white_king", "black_man", "black_king"];

/** What can be said to a position that is set up by hand; who is to move only when that is asked. */
export function setUpAnswers({ step, turn }) {
  const other = turn === "white" ? "black" : "white";
  const answers = [
    ...(step === "turn" ? [{ text: say("set_up.turn", { side: say(`side.${other}`) }), body: { turn: other } }] : []),
    { text: say(step === "turn" ? "set_up.accept" : "set_up.next"), body: { step: "next" } },
    { text: say("set_up.back"), body: { step: "back" } },
    { text: say("set_up.leave"), body: { step: "leave" } },
  ];
  return answers.map((answer) => ({ ...answer, name: "set_position" }));
}

/** The squares on which something stands, to be named one by one; hidden while no position is set up. */
export function showNaming(setUp, seen) {
  const form = byId("naming");
  const squares = setUp && setUp.step !== "clear" ? standing(setUp, seen) : [];
  form.hidden = !squares.length;
  const text = JSON.stringify(squares);
  if (form.dataset.shown === text) return;
  form.dataset.shown = text;
  const chosen = byId("naming-square").value;
  byId("naming-square").replaceChildren(...squares.map(([name, words]) => option(name, words, name === chosen)));
  if (!byId("naming-kind").options.length) {
    byId("naming-kind").replaceChildren(...KINDS.map((kind) => option(kind, say(`content.${kind}`), false)));
  }
}

/** What the person has chosen to say. */
export function namedPiece() {
  return { square: byId("naming-square").value, piece: byId("naming-kind").value };
}

/** Choose the square that is to be named, where something stands on it. */
export function chooseSquare(name) {
  const select = byId("naming-square");
  if ([...select.options].some(({ value }) => value === name)) select.value = name;
}

function standing({ contents }, seen) {
  return Object.entries(seen)
    .filter(([name, possible]) => name in contents || !possible.includes("empty"))
    .map(([name]) => [name, `${name}: ${say(`content.${contents[name] ?? "any"}`)}`]);
}

function option(value, text, isChosen) {
  const found = textElement("option", text);
  found.value = value;
  found.selected = isChosen;
  return found;
}
