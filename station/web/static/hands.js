/** Hands on the simulated wooden board: pieces are lifted, carried, put down, crowned, by pointer or keys. */

import { cellOf, keyOf, setSize } from "./board.js";
import { colourOf, crowned, isKing, MEN } from "./pieces.js";
import { demoPath, post } from "./requests.js";
import { say } from "./texts.js";

const DRAG_PX = 5;
const TWICE_MS = 400;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Hands {
  /** `changed()` is called when there is something new to show, `failed(error)` when the station refused. */
  constructor(board, { changed, failed }) {
    this.board = board;
    this.changed = changed;
    this.failed = failed;
    this.name = null;
    this.isFree = false;
    this.world = new Map();
    this.touches = 0;
    this.doing = [];
    this.held = null;
    this.pressed = null;
    this.tap = { key: null, at: 0 };
    this.focus = null;
    /** Whether the chosen square was chosen by dragging a piece: no ring, which would look like one more lamp. */
    this.isDragged = false;
    this.saying = "";
    const svg = board.svg;
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", (event) => this.release(event));
    svg.addEventListener("pointercancel", () => this.giveUp());
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("focus", () => this.goTo(this.focus ?? this.middle()));
    svg.addEventListener("contextmenu", (event) => this.isFree && event.preventDefault());
  }

  /** Whose hands these are: a simulated board's, or nobody's (a real board has real ones). */
  serve(name, isFree) {
    if (name !== this.name) {
      this.name = name;
      this.doing = [];
      this.held = this.pressed = this.focus = null;
      this.world = new Map();
      this.board.setAir(null);
    }
    this.isFree = isFree;
  }

  /** What the station says stands on the board. Acts it has not seen yet stay shown on top. */
  see(world) {
    this.world = new Map(world.cells.map(([column, row, content]) => [`${column},${row}`, content]));
    this.touches = world.touches;
    this.doing = this.doing.filter((act) => act.touches === undefined || act.touches > world.touches);
  }

  /** The station has been started anew: nothing it said before counts. */
  forget() {
    this.doing = [];
    this.touches = 0;
  }

  contents() {
    const contents = new Map(this.world);
    for (const { key, content } of this.doing) {
      if (content) contents.set(key, content);
      else contents.delete(key);
    }
    return contents;
  }

  /** Men in each tray: the set, less what is on the board and in the hand; a king is two men. */
  counts() {
    const counts = { white: 0, black: 0 };
    if (!this.board.geometry) return counts;
    counts.white = counts.black = setSize(this.board.geometry);
    const standing = [...this.contents().values(), ...(this.held ? [this.held.content] : [])];
    for (const content of standing) counts[colourOf(content)] -= isKing(content) ? 2 : 1;
    return { white: Math.max(0, counts.white), black: Math.max(0, counts.black) };
  }

  // --- acts ----------------------------------------------------------------------------------------------------

  async act(key, content) {
    const act = { key, content };
    this.doing.push(act);
    this.changed();
    const body = content ? { cell: cellOf(key), content } : { cell: cellOf(key) };
    try {
      act.touches = (await post(demoPath(this.name, content ? "put" : "take"), body)).touches;
      if (act.touches <= this.touches) this.doing = this.doing.filter((other) => other !== act);
    } catch (error) {
      this.doing = this.doing.filter((other) => other !== act);
      this.failed(error);
    }
    this.changed();
  }

  /** Take a piece into the hand, from a cell or from a tray. */
  lift({ key = null, colour = null }, via) {
    const content = key ? this.contents().get(key) : this.counts()[colour] > 0 ? MEN[colour] : undefined;
    if (!content || this.held) return false;
    this.held = { content, key, via };
    if (key) this.act(key, null);
    this.saying = "";
    this.changed();
    return true;
  }

  /** Put what is in the hand on a cell; a man from the tray put on a man crowns it. False when the cell is taken. */
  putOn(key) {
    const { content, key: from } = this.held;
    const standing = this.contents().get(key);
    const crowns = standing && standing === content && !isKing(content) && from === null;
    if (standing && !crowns) return false;
    this.held = null;
    this.act(key, crowns ? crowned(content) : content);
    return true;
  }

  /** What is in the hand goes to its tray. */
  layAside() {
    this.held = null;
    this.changed();
  }

  /** What is in the hand goes back to where it came from. */
  putBack() {
    const { key } = this.held;
    if (key === null || !this.putOn(key)) this.layAside();
  }

  crown(key) {
    const content = key && this.contents().get(key);
    if (content && !this.held) this.act(key, crowned(content));
  }

  /** Make the board like a position: wrong pieces off first, then the missing ones on. */
  setUp(wanted) {
    const standing = this.contents();
    for (const [key, content] of standing) if (wanted.get(key) !== content) this.act(key, null);
    for (const [key, content] of wanted) if (standing.get(key) !== content) this.act(key, content);
  }

  // --- pointer -------------------------------------------------------------------------------------------------

  press(event) {
    if (!this.isFree || this.pressed || event.button !== 0) return;
    const spot = this.board.locate(event.clientX, event.clientY);
    if (!spot) return;
    if (this.held) return this.finish(spot);
    if (spot.cell) this.focus = keyOf(spot.cell);
    this.pressed = { id: event.pointerId, spot, x: event.clientX, y: event.clientY };
    this.board.svg.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (event.pointerId !== this.pressed?.id) return;
    const { spot, x, y } = this.pressed;
    if (!this.held && Math.hypot(event.clientX - x, event.clientY - y) >= DRAG_PX) {
      this.isDragged = this.lift(spot.cell ? { key: keyOf(spot.cell) } : { colour: spot.tray }, "pointer");
    }
    if (this.held) this.follow(event);
  }

  release(event) {
    if (event.pointerId !== this.pressed?.id) return;
    const { spot } = this.pressed;
    this.pressed = null;
    if (this.held?.via === "pointer") this.finish(this.board.locate(event.clientX, event.clientY));
    else if (spot.cell) this.tapped(keyOf(spot.cell), event.timeStamp);
  }

  /** The second tap on a piece crowns it. */
  tapped(key, at) {
    const isSecond = this.tap.key === key && at - this.tap.at < TWICE_MS;
    this.tap = isSecond ? { key: null, at: 0 } : { key, at };
    this.goTo(key);
    if (isSecond) this.crown(key);
  }

  follow(event) {
    const spot = this.board.locate(event.clientX, event.clientY);
    this.board.setAir(this.held.content, this.board.pointOf(event.clientX, event.clientY), spot);
  }

  finish(spot) {
    if (!spot) this.putBack();
    else if (spot.tray) this.layAside();
    else if (!this.putOn(keyOf(spot.cell))) {
      this.saying = say("hand.occupied", { square: this.board.names.get(keyOf(spot.cell)) ?? "" });
      this.putBack();
    } else this.focus = keyOf(spot.cell);
    this.board.setAir(null);
    this.changed();
  }

  giveUp() {
    this.pressed = null;
    if (this.held?.via === "pointer") this.finish(null);
  }

  // --- keys ----------------------------------------------------------------------------------------------------

  middle() {
    const { columns, rows } = this.board.geometry;
    return `${Math.floor(columns / 2)},${Math.floor(rows / 2)}`;
  }

  goTo(key) {
    this.focus = key;
    this.isDragged = false;
    this.saying = "";
    this.changed();
  }

  key(event) {
    if (!this.board.geometry || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step) this.step(step);
    else if (!this.isFree || !this.keyPressed(event.key)) return;
    event.preventDefault();
  }

  step([right, down]) {
    const { columns, rows } = this.board.geometry;
    const turn = this.board.flipped ? -1 : 1;
    const [column, row] = cellOf(this.focus ?? this.middle());
    const clamp = (value, count) => Math.min(count - 1, Math.max(0, value));
    this.goTo(keyOf([clamp(column + right * turn, columns), clamp(row + down * turn, rows)]));
  }

  keyPressed(name) {
    switch (name) {
      case "Enter":
      case " ":
        this.toggle();
        return true;
      case "Delete":
      case "Backspace":
        this.toTray();
        return true;
      case "Escape":
        if (!this.held) return false;
        this.putBack();
        this.changed();
        return true;
      default:
        return this.letterPressed(name.toLowerCase());
    }
  }

  letterPressed(letter) {
    if (letter === "k") this.crown(this.focus);
    else if (letter === "w" || letter === "b") this.lift({ colour: letter === "w" ? "white" : "black" }, "keys");
    else return false;
    return true;
  }

  /** Lift what stands on the chosen square, or put down what is in the hand. */
  toggle() {
    const key = this.focus ?? this.middle();
    this.focus = key;
    this.isDragged = false;
    if (!this.held) this.lift({ key }, "keys");
    else if (!this.putOn(key)) this.saying = say("hand.occupied", { square: this.board.names.get(key) ?? "" });
    this.changed();
  }

  toTray() {
    if (!this.held && this.focus) this.lift({ key: this.focus }, "keys");
    if (this.held) this.layAside();
  }

  /** Show the chosen square, and over it what the keys have lifted. */
  show() {
    const isDragging = this.pressed !== null && this.held?.via === "pointer";
    this.board.setFocus(isDragging || this.isDragged ? null : this.focus);
    if (isDragging) return;
    if (!this.held) return this.board.setAir(null);
    const { x, y } = this.board.centreOf(this.focus ?? this.middle());
    this.board.setAir(this.held.content, { x, y: y - 18 }, { cell: cellOf(this.focus ?? this.middle()) });
  }
}
