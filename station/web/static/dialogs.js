/** Dialogs: a new game, and questions before something that cannot be undone. */

import { today } from "./attract.js";
import { isPerson, playerText, textElement } from "./belief.js";
import { boardPath, get } from "./requests.js";
import { language, say } from "./texts.js";

/** What the levels of the engine are called, from the weakest up. */
const LEVELS = ["beginner", "learner", "casual", "careful", "steady", "club", "skilled", "expert", "master", "unbound"];
/** Time controls offered, as the station writes them: minutes, and seconds added for each move. */
const CLOCKS = ["", "3+2", "5", "5+3", "10", "15+10", "25+10", "60", "10b3x30"];
const byId = (id) => document.getElementById(id);

/** Ask for variant and players; resolves to the arguments of `new_game`, or null. */
export async function askNewGame(snapshot) {
  const { state, board, title } = snapshot;
  const variants = await get(`${boardPath(board, "variants")}?lang=${language}`).catch(() => [{ name: state.variant, title }]);
  fill(byId("choose-variant"), variants.map(({ name, title }) => [name, title]), state.variant);
  for (const side of ["white", "black"]) askPlayer(side, state.players[side]);
  const clock = state.clock?.control ?? "";
  const clocks = CLOCKS.includes(clock) ? CLOCKS : [...CLOCKS, clock];
  fill(byId("choose-clock"), clocks.map((control) => [control, clockText(control)]), clock);
  const isPlaying = state.ply > 0 && state.result === "*";
  byId("new-game-note").textContent = say(isPlaying ? "new_game.note_break" : "new_game.note");
  const problemsOf = () => variants.find(({ name }) => name === byId("choose-variant").value)?.problems ?? 0;
  const offerProblem = () => (byId("new-game-problem").hidden = !problemsOf());
  byId("choose-variant").onchange = offerProblem;
  offerProblem();
  const choice = await shown(byId("new-game-dialog"));
  if (choice === "problem") return { variant: byId("choose-variant").value, problem: (today() % problemsOf()) + 1 };
  if (choice !== "start") return null;
  return {
    variant: byId("choose-variant").value,
    white: playerChosen("white"),
    black: playerChosen("black"),
    ...(byId("choose-clock").value === clock ? {} : { clock: byId("choose-clock").value }),
  };
}

/** Ask a question with a button for each answer; resolves to the answer's value, or null. */
export async function askChoice(question, answers) {
  byId("confirm-title").textContent = question;
  const buttons = [...answers, { value: "", text: say("button.cancel") }].map(({ value, text }) => {
    const button = textElement("button", text);
    button.value = value;
    button.classList.toggle("main", value !== "");
    return button;
  });
  byId("confirm-buttons").replaceChildren(...buttons);
  return (await shown(byId("confirm-dialog"))) || null;
}

/** A time control in words. */
export function clockText(control) {
  const [minutes, sign, seconds] = control.split(/([+db])/);
  if (!control) return say("clock.none");
  if (sign === "b") {
    const [time, periods] = seconds.split("x").reverse();
    return say("clock.periods", { minutes, periods: periods ?? "1", seconds: time });
  }
  if (!sign) return say("clock.minutes", { minutes });
  return say(sign === "+" ? "clock.added" : "clock.given_back", { minutes, seconds });
}

/** A side's player is chosen from a list; a person may say a name. */
function askPlayer(side, current) {
  const [menu, name] = [byId(`choose-${side}`), byId(`name-${side}`)];
  const chosen = isPerson(current) ? "person" : current;
  fill(menu, playerOptions(chosen), chosen);
  name.value = isPerson(current) ? current.slice("person:".length) : "";
  menu.onchange = () => (name.hidden = menu.value !== "person");
  menu.onchange();
}

function playerChosen(side) {
  const player = byId(`choose-${side}`).value;
  const name = byId(`name-${side}`).value.trim();
  return player === "person" && name ? `person:${name}` : player;
}

function playerOptions(current) {
  const engines = LEVELS.map((name, place) => {
    const player = `engine:${place + 1}`;
    return [player, say("player.named", { player: playerText(player), name: say(`level.${name}`) })];
  });
  const players = [["person", playerText("person")], ...engines];
  return players.some(([player]) => player === current) ? players : [...players, [current, playerText(current)]];
}

function fill(select, options, current) {
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = textElement("option", text);
      option.value = value;
      option.selected = value === current;
      return option;
    }),
  );
}

function shown(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}
