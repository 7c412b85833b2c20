/** A board as SVG: any geometry, pieces, lamps, marks, trays. It shows; it decides nothing. */

import { toolFromAbove } from "./arm.js";
import { lampGlow, lampSign } from "./lamps.js";
import { MEN, pieceGradients, pieceOf, stackOf } from "./pieces.js";
import { draw, mark } from "./svg.js";

const CELL = 100;
const FRAME = 48;
const GAP = 22;
const TRAY_SIDE = 168;
const TRAY_FLAT = 112;
const READABLE_REM = 0.69;
const TINY_REM = 1.7;
const GRAINS = 5;
/** A sign on a piece is so much smaller that the piece can be told under it. */
const SIGN_ON_PIECE = 0.8;

export const keyOf = ([column, row]) => `${column},${row}`;
export const cellOf = (key) => key.split(",").map(Number);

/** How many pieces of a colour lie beside the board, for a set of men with two to spare; a king is two men. */
export function setSize({ columns, squares }) {
  const count = Object.keys(squares).length;
  return (count === columns * columns ? 2 * columns : Math.round((count - columns) / 2)) + 2;
}

export class Board {
  /** `style`: "wood" or "plain"; `trayText(colour, count)`: a tray in words. */
  constructor(svg, { style, trayText = () => "" }) {
    this.svg = svg;
    this.style = style;
    this.trayText = trayText;
    this.hasTrays = false;
    this.geometry = null;
    this.flipped = false;
    this.isWide = true;
    this.names = new Map();
    this.contents = new Map();
    this.towers = new Map();
    this.lamps = new Map();
    this.counts = { white: 0, black: 0 };
    this.marks = {};
    this.focus = null;
    svg.classList.add("board", style);
    new ResizeObserver(() => this.resize()).observe(svg.parentElement);
  }

  /** Columns, rows and squares; draws anew only when they differ from before. */
  setGeometry(geometry) {
    const text = JSON.stringify(geometry);
    if (text === this.geometryText) return;
    this.geometryText = text;
    this.geometry = geometry;
    this.names = new Map(Object.entries(geometry.squares).map(([name, cell]) => [keyOf(cell), name]));
    this.redraw();
  }

  setTrays(has) {
    if (has === this.hasTrays) return;
    this.hasTrays = has;
    if (this.geometry) this.redraw();
  }

  flip() {
    this.flipped = !this.flipped;
    this.redraw();
  }

  /** What stands where: cell key -> content. */
  setContents(contents) {
    const before = this.contents;
    this.contents = contents;
    for (const key of new Set([...before.keys(), ...contents.keys()])) {
      if (before.get(key) !== contents.get(key)) this.drawPiece(key);
    }
    if (this.towers.size) this.drawTowers();
  }

  /** What stands beneath the top pieces of towers: cell key -> contents from the bottom upwards. */
  setTowers(towers) {
    this.towers = towers;
    if (this.stacks) this.drawTowers();
  }

  /** Lit cells: cell key -> role. */
  setLamps(lamps) {
    const before = this.lamps;
    this.lamps = lamps;
    for (const key of new Set([...before.keys(), ...lamps.keys()])) {
      if (before.get(key) !== lamps.get(key)) this.drawLamp(key);
    }
  }

  /** Show where an arm's tool is; null for no arm. */
  setArm(arm) {
    if (!arm) return this.machine.replaceChildren();
    const tool = toolFromAbove(arm, this.svg.id);
    tool.setAttribute("transform", this.translate(`${arm.column},${arm.row}`));
    this.machine.replaceChildren(tool);
  }

  /** Marked cells: cell key -> "from", "to", "path", "captured", "weak" or "dead". */
  setMarks(marks) {
    this.marks = marks;
    for (const [key, cell] of this.cells) mark(cell, "data-mark", marks[key]);
  }

  /** How many men lie in each tray. */
  setCounts(counts) {
    if (!this.hasTrays || (counts.white === this.counts.white && counts.black === this.counts.black)) return;
    this.counts = counts;
    for (const colour of ["white", "black"]) this.fillTray(colour);
  }

  /** Show which cell the keys are on; null for none. */
  setFocus(key) {
    this.focus = key;
    this.ring.setAttribute("visibility", key ? "visible" : "hidden");
    if (key) this.ring.setAttribute("transform", this.translate(key));
    mark(this.svg, "aria-activedescendant", key ? this.cells.get(key).id : "");
  }

  /** Show a piece in the air at a point of the drawing, and the cell or tray under it. */
  setAir(content, point, target) {
    if (content !== this.airContent) {
      this.airContent = content;
      this.air.replaceChildren(...(content ? [pieceOf(content, this.svg.id)] : []));
    }
    if (content) this.air.setAttribute("transform", `translate(${point.x},${point.y}) scale(1.14)`);
    const key = target?.cell ? keyOf(target.cell) : null;
    this.target.setAttribute("visibility", key && content ? "visible" : "hidden");
    if (key) this.target.setAttribute("transform", this.translate(key));
    for (const [colour, tray] of Object.entries(this.trays)) tray.classList.toggle("over", target?.tray === colour && !!content);
  }

  /** What lies under a point of the window: `{cell}`, `{tray}` or null. */
  locate(clientX, clientY) {
    const { x, y } = this.pointOf(clientX, clientY);
    const { columns, rows } = this.geometry;
    const [column, row] = this.turned([Math.floor(x / CELL), Math.floor(y / CELL)]);
    if (column >= 0 && column < columns && row >= 0 && row < rows) return { cell: [column, row] };
    for (const colour of ["white", "black"]) {
      const box = this.trayBox(colour);
      if (this.hasTrays && x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height) return { tray: colour };
    }
    return null;
  }

  pointOf(clientX, clientY) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  centreOf(key) {
    const [column, row] = this.turned(cellOf(key));
    return { x: column * CELL + CELL / 2, y: row * CELL + CELL / 2 };
  }

  // --- drawing -------------------------------------------------------------------------------------------------

  turned([column, row]) {
    const { columns, rows } = this.geometry;
    return this.flipped ? [columns - 1 - column, rows - 1 - row] : [column, row];
  }

  translate(key) {
    const { x, y } = this.centreOf(key);
    return `translate(${x},${y})`;
  }

  redraw() {
    const { columns, rows } = this.geometry;
    const layer = (name) => draw("g", { class: name });
    this.cells = new Map();
    this.pieceOfCell = new Map();
    this.lampOfCell = new Map();
    this.trays = {};
    this.airContent = null;
    this.ground = layer("ground");
    this.glows = layer("glows");
    this.pieces = layer("pieces");
    this.stacks = layer("stacks");
    this.signs = layer("signs");
    this.labels = layer("labels");
    this.beside = layer("beside");
    this.air = layer("air");
    this.machine = layer("machine");
    this.ring = draw("rect", { class: "focus", x: -47, y: -47, width: 94, height: 94, rx: 6, visibility: "hidden" });
    this.target = draw("rect", { class: "target", x: -47, y: -47, width: 94, height: 94, rx: 6, visibility: "hidden" });
    const defs = draw("defs", {}, ...pieceGradients(this.svg.id), ...this.woods());
    this.svg.replaceChildren(
      defs, this.ground, this.glows, this.beside, this.pieces, this.stacks, this.signs, this.labels, this.target, this.ring, this.air, this.machine,
    );
    this.drawFrame(columns, rows);
    for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) this.drawCell([column, row]);
    this.resize();
    for (const key of this.contents.keys()) this.drawPiece(key);
    this.drawTowers();
    for (const key of this.lamps.keys()) this.drawLamp(key);
    this.setMarks(this.marks);
    this.setFocus(this.cells.has(this.focus) ? this.focus : null);
  }

  drawFrame(columns, rows) {
    const width = columns * CELL + 2 * FRAME;
    const height = rows * CELL + 2 * FRAME;
    const ids = this.svg.id;
    this.ground.append(
      draw("rect", { class: "rail", x: -FRAME, y: -FRAME, width, height, rx: this.style === "wood" ? 20 : 10, fill: `url(#${ids}-rail)` }),
      draw("rect", { class: "inlay", x: -9, y: -9, width: width - 2 * FRAME + 18, height: height - 2 * FRAME + 18, rx: 3 }),
    );
  }

  drawCell(cell) {
    const key = keyOf(cell);
    const name = this.names.get(key);
    const isDark = this.isDark(cell, name);
    const group = draw("g", {
      class: `cell ${isDark ? "dark" : "light"}`,
      id: `${this.svg.id}-${cell[0]}-${cell[1]}`,
      "data-cell": key,
      transform: this.translate(key),
      // A board that is one picture is read as one; in one that hands move in, each cell is told.
      ...(this.svg.getAttribute("role") === "img" ? {} : { role: "img" }),
    });
    mark(group, "data-square", name);
    const grain = (cell[0] * 7 + cell[1] * 13 + (cell[0] * cell[1]) % 3) % GRAINS;
    group.append(
      draw("rect", { class: "field", x: -50, y: -50, width: 100, height: 100, fill: `url(#${this.svg.id}-${isDark ? "dark" : "light"}-${grain})` }),
    );
    if (this.style === "wood") group.append(draw("path", { class: "grain", d: grainOf(grain * 31 + (isDark ? 7 : 0)) }));
    if (this.style === "wood") group.append(draw("rect", { class: "sensor", x: -44, y: -44, width: 88, height: 88, rx: 6 }));
    else group.append(draw("rect", { class: "wash", x: -50, y: -50, width: 100, height: 100 }));
    this.cells.set(key, group);
    this.ground.append(group);
  }

  /** Played squares are dark; on a board where all are played, the usual chequers. */
  isDark([column, row], name) {
    const { columns, rows, squares } = this.geometry;
    return Object.keys(squares).length === columns * rows ? (column + row + rows) % 2 === 1 : name !== undefined;
  }

  woods() {
    if (this.style !== "wood") return [];
    const ids = this.svg.id;
    const shade = (id, from, to, angle) =>
      draw(
        "linearGradient",
        { id: `${ids}-${id}`, gradientTransform: `rotate(${angle} 0.5 0.5)` },
        draw("stop", { offset: 0, "stop-color": from }),
        draw("stop", { offset: 1, "stop-color": to }),
      );
    const light = [["#ecd2a2", "#e2c28c"], ["#e7ca96", "#efd8ac"], ["#e3c48f", "#ead09f"], ["#efd7ab", "#e4c590"], ["#e5c793", "#e0be86"]];
    const dark = [["#8c5a36", "#7d4e2d"], ["#845331", "#91603b"], ["#7f4f2e", "#8a5935"], ["#93613c", "#82522f"], ["#875633", "#7a4b2a"]];
    return [
      shade("rail", "#5b3820", "#43280f", 35),
      ...light.map(([from, to], place) => shade(`light-${place}`, from, to, place * 37)),
      ...dark.map(([from, to], place) => shade(`dark-${place}`, from, to, place * 41)),
    ];
  }

  drawPiece(key) {
    this.pieceOfCell.get(key)?.remove();
    this.pieceOfCell.delete(key);
    const content = this.contents.get(key);
    const cell = this.cells.get(key);
    if (cell) mark(cell, "data-content", content);
    if (this.lampOfCell.has(key)) this.placeSign(key);
    if (!cell || !content) return;
    const piece = pieceOf(content, this.svg.id);
    piece.setAttribute("transform", this.translate(key));
    this.pieceOfCell.set(key, piece);
    this.pieces.append(piece);
  }

  drawTowers() {
    const shown = [...this.towers].filter(([key]) => this.contents.has(key) && this.cells.has(key));
    this.stacks.replaceChildren(
      ...shown.map(([key, beneath]) => {
        const stack = stackOf(beneath);
        stack.setAttribute("transform", this.translate(key));
        return stack;
      }),
    );
  }

  drawLamp(key) {
    for (const part of this.lampOfCell.get(key) ?? []) part.remove();
    this.lampOfCell.delete(key);
    const role = this.lamps.get(key);
    const cell = this.cells.get(key);
    if (cell) mark(cell, "data-lamp", role);
    if (!cell || !role) return;
    const parts = [lampGlow(role), lampSign(role)];
    parts[0].setAttribute("transform", this.translate(key));
    this.glows.append(parts[0]);
    this.signs.append(parts[1]);
    this.lampOfCell.set(key, parts);
    this.placeSign(key);
  }

  placeSign(key) {
    const size = this.contents.has(key) ? SIGN_ON_PIECE : 1;
    this.lampOfCell.get(key)[1].setAttribute("transform", `${this.translate(key)} scale(${size})`);
  }

  // --- size, labels, trays -------------------------------------------------------------------------------------

  /** Trays lie at the side where there is room, else above and below; labels stay readable. */
  resize() {
    if (!this.geometry) return;
    const room = this.svg.parentElement.getBoundingClientRect();
    this.isWide = room.width > room.height * 1.02;
    const { columns, rows } = this.geometry;
    const board = { x: -FRAME, y: -FRAME, width: columns * CELL + 2 * FRAME, height: rows * CELL + 2 * FRAME };
    const side = this.hasTrays && this.isWide ? TRAY_SIDE + GAP : 0;
    const flat = this.hasTrays && !this.isWide ? TRAY_FLAT + GAP : 0;
    const box = [board.x - side, board.y - flat, board.width + side, board.height + 2 * flat];
    this.svg.setAttribute("viewBox", box.join(" "));
    this.svg.classList.toggle("upright", !this.isWide);
    const scale = Math.min(this.svg.clientWidth / box[2], this.svg.clientHeight / box[3]) || 0.5;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.svg.classList.toggle("tiny", CELL * scale < TINY_REM * rem);
    this.drawLabels(Math.min(38, Math.max(19, (READABLE_REM * rem) / scale)));
    this.drawTrays();
  }

  drawLabels(size) {
    const { columns, rows } = this.geometry;
    const isAlgebraic = [...this.names.values()].every((name) => /^[a-z]\d+$/.test(name));
    const labels = isAlgebraic ? this.algebraicLabels(columns, rows) : this.numberLabels(size);
    for (const label of labels) label.setAttribute("font-size", isAlgebraic ? Math.max(24, size) : size);
    this.labels.replaceChildren(...labels);
  }

  algebraicLabels(columns, rows) {
    const labels = [];
    for (let column = 0; column < columns; column++) {
      const { x } = this.centreOf(`${column},0`);
      for (const y of [-27, rows * CELL + 29]) labels.push(letter(x, y, String.fromCharCode(97 + column), "rail-label"));
    }
    for (let row = 0; row < rows; row++) {
      const { y } = this.centreOf(`0,${row}`);
      for (const x of [-28, columns * CELL + 28]) labels.push(letter(x, y, String(rows - row), "rail-label"));
    }
    return labels;
  }

  numberLabels(size) {
    return [...this.names].map(([key, name]) => {
      const { x, y } = this.centreOf(key);
      const label = letter(x - 46, y - 48 + size * 0.55, name, "number");
      label.setAttribute("text-anchor", "start");
      return label;
    });
  }

  trayBox(colour) {
    const { columns, rows } = this.geometry;
    const isNear = (colour === "white") !== this.flipped;
    const width = columns * CELL + 2 * FRAME;
    const height = rows * CELL + 2 * FRAME;
    if (!this.isWide) return { x: -FRAME, y: isNear ? height - FRAME + GAP : -FRAME - GAP - TRAY_FLAT, width, height: TRAY_FLAT };
    const half = (height - GAP) / 2;
    return { x: -FRAME - GAP - TRAY_SIDE, y: -FRAME + (isNear ? half + GAP : 0), width: TRAY_SIDE, height: half };
  }

  drawTrays() {
    this.trays = {};
    this.beside.replaceChildren();
    if (!this.hasTrays) return;
    for (const colour of ["black", "white"]) {
      const box = this.trayBox(colour);
      const tray = draw(
        "g",
        { class: "tray", "data-tray": colour, role: "img" },
        draw("rect", { ...box, class: "trough", rx: 18, fill: `url(#${this.svg.id}-rail)` }),
        draw("rect", { class: "hollow", x: box.x + 9, y: box.y + 9, width: box.width - 18, height: box.height - 18, rx: 11 }),
        draw("g", { class: "lying" }),
      );
      this.trays[colour] = tray;
      this.beside.append(tray);
      this.fillTray(colour);
    }
  }

  fillTray(colour) {
    const tray = this.trays[colour];
    if (!tray) return;
    const count = this.counts[colour];
    const box = this.trayBox(colour);
    const pieces = this.isWide ? this.inColumns(box, count) : this.inRow(box, count);
    tray.setAttribute("data-count", count);
    tray.setAttribute("aria-label", this.trayText(colour, count));
    tray.querySelector(".lying").replaceChildren(
      ...pieces.map(([x, y]) => {
        const piece = pieceOf(MEN[colour], this.svg.id);
        piece.setAttribute("transform", `translate(${x},${y}) scale(0.8)`);
        return piece;
      }),
    );
  }

  inColumns(box, count) {
    const step = Math.min(74, (box.height - 96) / Math.max(1, Math.ceil(count / 2) - 1));
    return Array.from({ length: count }, (_, place) => [
      box.x + (place % 2 ? box.width - 48 : 48),
      box.y + 48 + Math.floor(place / 2) * step,
    ]);
  }

  inRow(box, count) {
    const step = Math.min(76, (box.width - 104) / Math.max(1, count - 1));
    return Array.from({ length: count }, (_, place) => [box.x + 52 + place * step, box.y + box.height / 2 - 2]);
  }
}

function letter(x, y, text, name) {
  return draw("text", { x, y, class: name, "text-anchor": "middle", "dominant-baseline": "central", "aria-hidden": "true" }, text);
}

/** A few wavy lines along the wood; the same for the same seed. */
function grainOf(seed) {
  let state = seed * 2654435761 + 12345;
  const chance = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  const lines = Array.from({ length: 6 }, (_, place) => {
    const y = -44 + place * 17 + chance() * 9;
    const bend = () => (y + chance() * 10 - 5).toFixed(1);
    return `M-50,${y.toFixed(1)} C-20,${bend()} 15,${bend()} 50,${bend()}`;
  });
  return lines.join(" ");
}
