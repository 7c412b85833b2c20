/** The simulated arm: its tool over the board, from above and from the side. It shows; it decides nothing. */

import { pieceOf } from "./pieces.js";
import { draw } from "./svg.js";

const CELL = 100;
const SIDE_HEIGHT = 240;
const REACH = 3;

/** The tool as seen from above, its middle at the origin; the higher it is, the wider its shadow. */
export function toolFromAbove({ height, holds }, gradients) {
  const shade = 20 + 14 * Math.max(0, height);
  const parts = [draw("circle", { class: "arm-shadow", r: shade })];
  const held = holds.at(-1);
  if (held) parts.push(pieceOf(held, gradients));
  parts.push(draw("path", { class: "arm-cross", d: "M-34,0 L34,0 M0,-34 L0,34" }), draw("circle", { class: "arm-tool", r: 16 }));
  return draw("g", { class: "arm-above" }, ...parts);
}

/** Board, tool and what it holds from White's side; `rows` are seen one behind the other. */
export function sideView(svg, { column, height, holds }, columns) {
  const width = (columns + 2 * REACH) * CELL;
  const ground = SIDE_HEIGHT - 30;
  const x = (column + REACH + 0.5) * CELL;
  const y = ground - Math.min(2, Math.max(0, height)) * CELL;
  svg.setAttribute("viewBox", `0 0 ${width} ${SIDE_HEIGHT}`);
  const wood = draw("rect", { class: "arm-board", x: REACH * CELL, y: ground, width: columns * CELL, height: 18 });
  const table = draw("path", { class: "arm-table", d: `M0,${ground + 18} L${width},${ground + 18}` });
  const mast = draw("path", { class: "arm-mast", d: `M${x},0 L${x},${y}` });
  const pieces = holds.map((name, place) =>
    draw("rect", { class: `arm-piece ${name.startsWith("white") ? "white" : "black"}`, x: x - 37, y: y - 6 - 20 * place, width: 74, height: 20, rx: 4 }),
  );
  svg.replaceChildren(table, wood, ...pieces, mast, draw("circle", { class: "arm-tool", cx: x, cy: y, r: 9 }));
}
