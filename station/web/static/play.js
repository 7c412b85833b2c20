/** Clocks, draws and resignation: what the page shows of them, and how it asks. */

import { isPerson, setText } from "./belief.js";
import { askChoice } from "./dialogs.js";
import { say } from "./texts.js";
import { leftText } from "./times.js";

const byId = (id) => document.getElementById(id);
const SIDES = ["white", "black"];
const LOW_MS = 30_000;

/** Show the clocks of a snapshot that was true at `since` (performance.now()); returns whether one runs. */
export function showClocks({ clocks_ms: left, clock }, since) {
  byId("clocks").hidden = !left;
  if (!left) return false;
  for (const side of SIDES) {
    const runs = clock.running === side;
    const ms = Math.max(0, left[side] - (runs ? performance.now() - since : 0));
    const panel = byId(`clock-${side}`);
    panel.toggleAttribute("data-runs", runs);
    panel.toggleAttribute("data-low", ms < LOW_MS);
    setText(panel.querySelector(".time"), leftText(ms, clock));
    setText(panel.querySelector(".runs"), runs ? say("clock.runs") : "");
  }
  return clock.running !== null;
}

/** A draw that is offered, with the answers that a person at the board may give. */
export function showOffer({ draw, players, phase }) {
  const by = phase === "over" ? null : draw.offered_by;
  byId("offer").hidden = by === null;
  const other = by === "white" ? "black" : "white";
  const mayAnswer = isPerson(players[other]);
  const names = { side: say(`side.${other}`) };
  setText(byId("offer-text"), say(mayAnswer ? "offer.text" : "offer.text_waits", names));
  setText(byId("offer-accept"), say("offer.accept", names));
  setText(byId("offer-decline"), say("offer.decline", names));
  for (const id of ["offer-accept", "offer-decline"]) byId(id).hidden = !mayAnswer;
}

/** The button for draws says what it does. */
export function showDrawButton({ draw }) {
  setText(byId("draw"), say(draw.claim ? "button.claim_draw" : "button.draw"));
}

/** Ask how a draw is meant; resolves to the arguments of `draw`, or null. */
export async function askDraw({ draw, players }) {
  if (draw.claim) {
    const question = say("confirm.claim", { article: draw.claim.article });
    return (await askChoice(question, [{ value: "claim", text: say("confirm.claim_yes") }])) && {};
  }
  const persons = SIDES.filter((side) => isPerson(players[side]));
  const offers = persons
    .filter((side) => side !== draw.offered_by)
    .map((side) => ({ value: side, text: say("confirm.draw_offer", { side: say(`side.${side}`) }) }));
  const both = persons.length === 1 ? [] : [{ value: "draw", text: say("confirm.draw_yes") }];
  const answer = await askChoice(say("confirm.draw"), [...offers, ...both]);
  if (!answer) return null;
  if (answer !== "draw") return { side: answer, answer: "offer" };
  return draw.offered_by ? { answer: "accept" } : {};
}

/** Who resigns; resolves to a side, or null. */
export async function askResign({ players }) {
  const persons = SIDES.filter((side) => isPerson(players[side]));
  const sides = persons.length ? persons : SIDES;
  const answers = sides.map((side) => ({ value: side, text: say("confirm.resign_side", { side: say(`side.${side}`) }) }));
  return askChoice(say("confirm.resign"), answers);
}
