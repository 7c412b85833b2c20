/** Pieces, seen from above: turned discs; a king is two of them with a crown. */

import { draw } from "./svg.js";

export const MEN = { white: "white_man", black: "black_man" };
export const KINGS = { white: "white_king", black: "black_king" };
const CROWN = "M-17,11 L-20,-9 L-9,0 L0,-15 L9,0 L20,-9 L17,11 Z";

/** `white` or `black`; null where the colour is not known. */
export const colourOf = (content) => (/^(white|black)/.exec(content ?? "") ?? [null])[0];
export const isKing = (content) => content === KINGS.white || content === KINGS.black;

/** The same piece crowned, or with its crown taken off. */
export function crowned(content) {
  const colour = colourOf(content);
  return isKing(content) ? MEN[colour] : KINGS[colour];
}

/** The piece for a content, its middle at the origin; `ids` prefixes the gradients it is filled with. */
export function pieceOf(content, ids) {
  const colour = content === "any" ? "any" : colourOf(content);
  const kind = isKing(content) ? "king" : content.endsWith("_man") ? "man" : "piece";
  const group = draw("g", { class: `piece ${colour} ${kind}` });
  if (content === "unknown") {
    group.setAttribute("class", "piece unknown");
    group.append(draw("circle", { class: "doubt", r: 14 }));
    return group;
  }
  group.append(draw("ellipse", { class: "shadow", cx: 3, cy: 7, rx: 42, ry: 41 }));
  if (kind === "king") {
    group.append(disc(colour, ids, 7), disc(colour, ids, -8));
    group.append(draw("path", { class: "crown", d: CROWN, transform: "translate(0,-7)" }));
  } else {
    group.append(disc(colour, ids, 0));
  }
  return group;
}

/** What stands beneath the top piece of a tower, from the bottom upwards, as dots at the right of its square. */
export function stackOf(beneath) {
  const step = Math.min(13, 80 / beneath.length);
  const layers = beneath.map((content, place) =>
    draw("circle", { class: `layer ${colourOf(content)}${isKing(content) ? " king" : ""}`, cx: 42, cy: 42 - place * step, r: 6.5 }),
  );
  return draw("g", { class: "stack" }, ...layers);
}

function disc(colour, ids, y) {
  return draw(
    "g",
    { transform: `translate(0,${y})` },
    draw("circle", { class: "rim", cy: 3, r: 40.5 }),
    draw("circle", { class: "face", r: 40, fill: `url(#${ids}-${colour})` }),
    draw("circle", { class: "groove", r: 32 }),
    draw("circle", { class: "groove", r: 23 }),
  );
}

const FACES = { white: ["#fff6df", "#ecd5a4", "#c9a15f"], black: ["#6b5547", "#35271f", "#1a110c"], any: ["#d8d2c8", "#a8a199", "#7d766d"] };

/** The gradients that pieces are filled with. */
export function pieceGradients(ids) {
  return Object.entries(FACES).map(([colour, [light, middle, dark]]) =>
    draw(
      "radialGradient",
      { id: `${ids}-${colour}`, cx: 0.4, cy: 0.34, r: 0.75 },
      draw("stop", { offset: 0, "stop-color": light }),
      draw("stop", { offset: 0.6, "stop-color": middle }),
      draw("stop", { offset: 1, "stop-color": dark }),
    ),
  );
}
