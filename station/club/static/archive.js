/** The archive: games are searched for, looked at move by move, and saved as PDN. */

import { playerText, showPosition, textElement } from "/static/belief.js";
import { Board } from "/static/board.js";
import { fillIn, language, offerLanguages, say, sentences } from "/static/texts.js";

const PART = 50;
const OUTCOMES = ["white", "black", "draw", "none"];
const VARIANT = "variant.";
const byId = (id) => document.getElementById(id);
const form = byId("search");

let shown = [];
let question = new URLSearchParams();
/** The game that is looked at, and after how many moves. */
let game = null;
let ply = 0;

fillIn(document);
offerLanguages(byId("language"));
document.title = say("club.archive");
const board = new Board(byId("game-board"), { style: "plain" });
const titles = Object.entries(sentences).filter(([key]) => key.startsWith(VARIANT));
titles.sort(([, one], [, other]) => one.localeCompare(other, language));
form.variant.append(new Option(say("club.any"), ""), ...titles.map(([key, title]) => new Option(title, key.slice(VARIANT.length))));
form.result.append(new Option(say("club.any"), ""), ...OUTCOMES.map((outcome) => new Option(say(`club.outcome_${outcome}`), outcome)));
restore();
search();

// --- what is searched for stands in the address, so that it can be sent to others ---------------------------------

function restore() {
  const asked = new URLSearchParams(location.search);
  for (const field of form.elements) if (field.name) field.value = asked.get(field.name) ?? "";
}

function asked() {
  return new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim()));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const address = new URL(location.href);
  address.search = asked();
  history.pushState(null, "", address);
  search();
});
window.addEventListener("popstate", () => {
  restore();
  search();
});

async function search() {
  question = asked();
  shown = [];
  byId("games").tBodies[0].replaceChildren();
  byId("save").href = `/games.pdn?${question}`;
  await more();
}

async function more() {
  const last = shown.at(-1);
  const part = new URLSearchParams([...question, ["limit", PART], ...(last ? [["before", last.number]] : [])]);
  const answer = await get(`/games.json?${part}`);
  const status = byId("found");
  status.toggleAttribute("data-fault", !answer.games);
  status.textContent = answer.games ? say("club.found", { count: answer.count }) : answer.error;
  if (!answer.games) return;
  shown.push(...answer.games);
  byId("games").tBodies[0].append(...answer.games.map(row));
  byId("games").hidden = !shown.length;
  byId("save").toggleAttribute("hidden", !shown.length);
  byId("more").hidden = shown.length >= answer.count;
}

async function get(path) {
  try {
    return await (await fetch(path)).json();
  } catch {
    return { error: say("club.unreachable") };
  }
}

const nameOf = (player) => (player ? playerText(player) : "");
const titleOf = (variant) => sentences[VARIANT + variant] ?? variant;
const dayOf = ({ began }) => (began ? new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(began)) : "");

function row(found) {
  const line = document.createElement("tr");
  line.dataset.number = found.number;
  const open = textElement("a", dayOf(found) || say("club.open"));
  open.href = `#${found.number}`;
  const first = document.createElement("td");
  first.append(open);
  const cells = [nameOf(found.white), nameOf(found.black), resultOf(found), titleOf(found.variant)].map((text) => textElement("td", text));
  const seldom = [String(found.plies), `${found.board} · ${found.station}`].map((text) => textElement("td", text));
  for (const cell of seldom) cell.className = "seldom";
  line.append(first, ...cells, ...seldom);
  return line;
}

const resultOf = ({ result }) => (result === "*" ? say("club.outcome_none") : result);

// --- one game ----------------------------------------------------------------------------------------------------

async function open() {
  const number = location.hash.slice(1);
  game = /^\d+$/.test(number) ? await get(`/games/${number}.json`) : null;
  byId("game").hidden = !game;
  if (!game) return;
  if (game.error) {
    byId("game").hidden = true;
    byId("found").textContent = game.error;
    return;
  }
  byId("game-title").textContent = `${nameOf(game.white)} – ${nameOf(game.black)}`;
  const facts = [dayOf(game), titleOf(game.variant), resultOf(game), game.reason, game.opening, `${game.board} · ${game.station}`];
  byId("game-facts").textContent = facts.filter(Boolean).join(" · ");
  byId("game-fault").hidden = !game.fault;
  byId("game-fault").textContent = game.fault ? say(game.geometry ? "club.fault" : "club.no_rules", { problem: game.fault }) : "";
  byId("pdn").href = `/games/${number}.pdn`;
  byId("game-moves").replaceChildren(...game.moves.map(moveItem));
  go(game.moves.length);
  byId("game").scrollIntoView({ block: "nearest" });
}

function moveItem(text, place) {
  const item = document.createElement("li");
  const button = textElement("button", `${place % 2 ? "" : `${place / 2 + 1}. `}${text}`);
  button.type = "button";
  button.addEventListener("click", () => go(place + 1));
  item.append(button);
  return item;
}

function go(wanted) {
  if (!game?.geometry) return;
  ply = Math.max(0, Math.min(game.moves.length, wanted));
  showPosition(board, { geometry: game.geometry, ...game.positions[ply] });
  [...byId("game-moves").querySelectorAll("button")].forEach((button, place) => {
    if (place === ply - 1) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  });
  byId("first").disabled = byId("previous").disabled = ply === 0;
  byId("last").disabled = byId("next").disabled = ply === game.moves.length;
}

const onClick = (id, act) => byId(id).addEventListener("click", act);
onClick("more", more);
onClick("first", () => go(0));
onClick("previous", () => go(ply - 1));
onClick("next", () => go(ply + 1));
onClick("last", () => go(game.moves.length));
onClick("close", () => (location.hash = ""));
onClick("same", () => {
  form.reset();
  form.variant.value = game.variant;
  form.fen.value = game.positions[ply].fen;
  form.requestSubmit();
});
window.addEventListener("hashchange", open);
window.addEventListener("keydown", (event) => {
  if (!game || event.target.matches("input, select")) return;
  if (event.key === "ArrowLeft") go(ply - 1);
  if (event.key === "ArrowRight") go(ply + 1);
});
open();
