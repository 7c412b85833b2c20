/** The page on which a camera is shown its board: live picture, draggable corners, one step after the other. */

import { boardPath, post } from "./requests.js";
import { draw as svg } from "./svg.js";
import { fillIn, say } from "./texts.js";

const LOOK_MS = 400;
/** How large the corners are that can be dragged, as a share of the picture's width. */
const CORNER = 0.022;
const board = decodeURIComponent(location.pathname.split("/")[2]);
const byId = (id) => document.getElementById(id);
const view = byId("view");

/** Corners as they were dragged, clockwise in the picture's pixels; null while the station looks for them itself. */
let dragged = null;
let isAsking = false;

fillIn(document);
document.title = say("camera.title");
byId("back").href = `/#${encodeURIComponent(board)}`;
byId("next").addEventListener("click", () => ask("next"));
byId("again").addEventListener("click", () => {
  dragged = null;
  ask("again");
});
byId("find").addEventListener("click", () => {
  dragged = null;
  ask("look");
});
setInterval(() => {
  if (!isAsking && !document.hidden) ask("look");
}, LOOK_MS);

async function ask(act) {
  isAsking = true;
  try {
    const answer = await post(boardPath(board, "camera"), { act, corners: dragged });
    byId("toast").hidden = true;
    show(answer);
  } catch (error) {
    byId("toast").textContent = error.message;
    byId("toast").hidden = false;
  } finally {
    isAsking = false;
  }
}

function show(answer) {
  const { step } = answer;
  byId("camera").dataset.step = step;
  byId("guidance").textContent = say(`camera.step_${step}`);
  byId("readout").textContent = answer.sentence;
  const next = byId("next");
  next.textContent = say(`camera.next_${step}`);
  next.hidden = !["moved", "empty", "start"].includes(step);
  next.disabled = !answer.fits;
  byId("find").hidden = !isAiming(step) || dragged === null;
  if (answer.picture) draw(answer);
}

function draw({ picture: [width, height], board: [columns, rows], corners, step }) {
  view.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const at = dragged ?? corners ?? (isAiming(step) ? usual(width, height) : null);
  const image = view.querySelector("image") ?? view.appendChild(svg("image", { x: 0, y: 0 }));
  image.setAttribute("width", width);
  image.setAttribute("height", height);
  image.setAttribute("href", `${boardPath(board, "view.jpg")}?${performance.now()}`);
  if (view.dataset.dragging) return;
  view.querySelectorAll(".grid, .corner").forEach((element) => element.remove());
  if (!at) return;
  view.append(svg("path", { class: "grid", d: gridPath(at, columns, rows) }));
  if (!isAiming(step)) return;
  at.forEach(([x, y], number) => {
    const corner = svg("circle", { class: "corner", cx: x, cy: y, r: CORNER * width, "data-corner": number });
    corner.addEventListener("pointerdown", (event) => drag(event, corner, number, at, columns, rows));
    view.append(corner);
  });
}

/** Whether corners can be dragged: where the board lies is not settled yet. */
function isAiming(step) {
  return step === "empty" || step === "moved";
}

/** Where corners lie that nobody has found: in the picture, to be dragged. */
function usual(width, height) {
  return [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]].map(([x, y]) => [x * width, y * height]);
}

function drag(event, corner, number, at, columns, rows) {
  event.preventDefault();
  corner.setPointerCapture(event.pointerId);
  view.dataset.dragging = "true";
  const points = at.map(([x, y]) => [x, y]);
  const move = (moved) => {
    const { x, y } = new DOMPoint(moved.clientX, moved.clientY).matrixTransform(view.getScreenCTM().inverse());
    points[number] = [x, y];
    corner.setAttribute("cx", x);
    corner.setAttribute("cy", y);
    view.querySelector(".grid").setAttribute("d", gridPath(points, columns, rows));
  };
  const end = () => {
    corner.removeEventListener("pointermove", move);
    delete view.dataset.dragging;
    dragged = points;
    ask("look");
  };
  corner.addEventListener("pointermove", move);
  corner.addEventListener("pointerup", end, { once: true });
  corner.addEventListener("pointercancel", end, { once: true });
}

/** The lines between squares, as the camera sees them. */
function gridPath(corners, columns, rows) {
  const at = seenAt(corners);
  const line = (from, to) => `M${at(...from).join(" ")}L${at(...to).join(" ")}`;
  const across = Array.from({ length: rows + 1 }, (_, row) => line([0, row / rows], [1, row / rows]));
  const down = Array.from({ length: columns + 1 }, (_, column) => line([column / columns, 0], [column / columns, 1]));
  return [...across, ...down].join("");
}

/** The projective map from the unit square to four corners (Heckbert 1989, 2.2.3). */
function seenAt([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
  const [sx, sy] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3];
  const [dx1, dx2, dy1, dy2] = [x1 - x2, x3 - x2, y1 - y2, y3 - y2];
  const scale = dx1 * dy2 - dx2 * dy1 || 1;
  const [g, h] = [(sx * dy2 - dx2 * sy) / scale, (dx1 * sy - sx * dy1) / scale];
  return (u, v) => {
    const depth = g * u + h * v + 1;
    return [
      ((x1 - x0 + g * x1) * u + (x3 - x0 + h * x3) * v + x0) / depth,
      ((y1 - y0 + g * y1) * u + (y3 - y0 + h * y3) * v + y0) / depth,
    ];
  };
}
