/** A display that nobody uses (`?kiosk`, `?kiosk=MINUTES`) plays problems through and invites; a touched piece ends it. */

import { contentsOf, setText } from "./belief.js";
import { Board } from "./board.js";
import { boardPath, get } from "./requests.js";
import { language, say } from "./texts.js";

const USUAL_MINUTES = 3;
const LOOK_MS = 5000;
const MOVE_MS = 1600;
const byId = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.search).get("kiosk");
const idleMs = asked === null ? Infinity : 60_000 * (Number(asked) || USUAL_MINUTES);

let seen = "";
let board = null;
let isIdle = false;
let idleTimer;
let playTimer;
let picture = null;
/** How many problems were shown since this display was last used. */
let shown = 0;

/** Whatever happens at the board counts as use: a piece that is lifted, a request, another phase. */
export function watch(name, { state, position }) {
  const now = JSON.stringify([name, state.game, state.ply, state.phase, state.guidance.prompt, position.seen]);
  isIdle = state.phase === "over" || (state.phase === "turn" && state.ply === 0);
  board = name;
  if (now !== seen) use();
  seen = now;
}

function use() {
  clearTimeout(idleTimer);
  clearTimeout(playTimer);
  byId("attract").hidden = true;
  shown = 0;
  if (idleMs !== Infinity) idleTimer = setTimeout(invite, idleMs);
}

for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, use);

async function invite() {
  if (!isIdle || !board) return use();
  const problem = await get(`${boardPath(board, "problem")}?number=${today() + shown}&lang=${language}`).catch(() => null);
  if (!problem) return use();
  picture ??= new Board(byId("attract-board"), { style: "wood" });
  byId("attract").hidden = false;
  picture.setGeometry(problem.geometry);
  setText(byId("attract-title"), problem.title);
  shown += 1;
  play(problem, 0);
}

function play(problem, ply) {
  const { geometry, number, solver, positions, moves } = problem;
  picture.setContents(contentsOf({ geometry, contents: positions[ply] }));
  const move = moves[ply - 1];
  const marks = move ? { [geometry.squares[move.from].join()]: "from", [geometry.squares[move.to].join()]: "to" } : {};
  picture.setMarks(marks);
  setText(byId("attract-problem"), say("attract.problem", { number, side: say(`side.${solver}`) }));
  setText(byId("attract-move"), move?.text ?? "");
  const isEnd = ply === moves.length;
  playTimer = setTimeout(() => (isEnd ? invite() : play(problem, ply + 1)), ply === 0 || isEnd ? LOOK_MS : MOVE_MS);
}

/** The number of this day: another problem each day, until all had their turn. */
export function today() {
  const now = new Date();
  return Math.floor((now.getTime() / 60_000 - now.getTimezoneOffset()) / 1440);
}

use();
