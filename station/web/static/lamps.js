/** Lamps: each role has a colour, a frame and a sign of its own, so that none is told by colour alone. */

import { draw } from "./svg.js";

export const ROLES = ["lift", "place", "path", "remove", "wrong", "hint"];

const FRAMES = {
  lift: [{}],
  place: [{}, { inset: 19, width: 5 }],
  path: [{ dash: "16 11", offset: 8 }],
  remove: [{ dash: "33 20 33 0", width: 12 }],
  wrong: [{ dash: "6 7", width: 16, inset: 10 }],
  hint: [{ dash: "0 14.9", width: 9, cap: "round" }],
};

const BADGES = {
  lift: () => draw("circle", { r: 31 }),
  place: () => draw("circle", { r: 31 }),
  path: () => draw("rect", { x: -34, y: -15, width: 68, height: 30, rx: 15 }),
  remove: () => draw("rect", { x: -28, y: -28, width: 56, height: 56, rx: 8 }),
  wrong: () => draw("path", { d: "M0,-37 L38,28 L-38,28 Z", "stroke-linejoin": "round" }),
  hint: () => draw("circle", { r: 27, "stroke-dasharray": "5 6" }),
};

const SIGNS = {
  lift: () => [draw("path", { class: "solid", d: "M0,-22 L19,2 L8,2 L8,19 L-8,19 L-8,2 L-19,2 Z" })],
  place: () => [
    draw("circle", { class: "line", r: 17, "stroke-width": 6 }),
    draw("circle", { class: "solid", r: 7 }),
  ],
  path: () => [-18, 0, 18].map((x) => draw("circle", { class: "solid", cx: x, r: 6.5 })),
  remove: () => [draw("path", { class: "line", d: "M-15,-15 L15,15 M15,-15 L-15,15", "stroke-width": 10 })],
  wrong: () => [
    draw("path", { class: "line", d: "M0,-14 L0,5", "stroke-width": 9 }),
    draw("circle", { class: "solid", cy: 19, r: 5 }),
  ],
  hint: () => [
    draw("path", { class: "line", d: "M-9,-8 A9.5,9.5 0 1 1 4,0 Q0,2 0,7", "stroke-width": 6 }),
    draw("circle", { class: "solid", cy: 17, r: 4.5 }),
  ],
};

/** The light under a cell of 100 by 100: glow and frame, its middle at the origin. */
export function lampGlow(role) {
  const group = draw("g", { class: `lamp glow ${role}` }, draw("rect", { class: "fill", x: -50, y: -50, width: 100, height: 100 }));
  for (const { dash, width = 9, inset = 7, cap = "butt", offset = 0 } of FRAMES[role]) {
    const size = 100 - 2 * inset;
    const place = { x: inset - 50, y: inset - 50, width: size, height: size, "stroke-linecap": cap };
    if (!dash || cap === "round") group.append(draw("rect", { ...place, class: "edge", "stroke-width": width + 5, "stroke-dasharray": dash ?? "none" }));
    else group.append(draw("rect", { ...place, class: "edge", "stroke-width": width + 2 }));
    group.append(
      draw("rect", { ...place, class: "frame", "stroke-width": width, "stroke-dasharray": dash ?? "none", "stroke-dashoffset": offset }),
    );
  }
  return group;
}

/** The sign over a cell, its middle at the origin. */
export function lampSign(role) {
  const badge = BADGES[role]();
  badge.setAttribute("class", "badge");
  return draw("g", { class: `lamp sign ${role}` }, badge, ...SIGNS[role]());
}

/** A small picture of a lamp, for the legend. */
export function lampPicture(role) {
  const svg = draw("svg", { viewBox: "-50 -50 100 100", class: "lamp-picture", "aria-hidden": "true" });
  svg.append(draw("rect", { class: "ground", x: -50, y: -50, width: 100, height: 100 }), lampGlow(role), lampSign(role));
  return svg;
}
