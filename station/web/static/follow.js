/** Codes to scan: the board on a phone, and its game to take home. */

import { boardPath } from "./requests.js";

const byId = (id) => document.getElementById(id);

/** Show the codes of a board; the game's only once there is one. */
export function showCodes({ board, moves }) {
  byId("follow-code").src = boardPath(board, "code/follow.svg");
  byId("game-code").src = boardPath(board, "code/game.svg");
  byId("game-figure").hidden = !moves.length;
  byId("follow-dialog").showModal();
}
