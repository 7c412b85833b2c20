/** How it is played at a board: how turns end, the pace, counted draws, touch-move; changed while a game is on. */

import { textElement } from "./belief.js";
import { say } from "./texts.js";

const byId = (id) => document.getElementById(id);
/** For each setting its values and what they are called. */
const CHOICES = {
  confirm: ["automatic", "when-ambiguous", "button"].map((mode) => [mode, `confirm_mode.${mode.replace("-", "_")}`]),
  pace: ["calm", "blitz"].map((pace) => [pace, `pace_preset.${pace}`]),
  draws: ["automatic", "claim"].map((draws) => [draws, `draws_mode.${draws}`]),
  touch_move: [["true", "diagnosis.yes"], ["false", "diagnosis.no"]],
};

/** Show the settings of a snapshot; one that has not changed is left alone, for it may be open. */
export function showManner({ play }, isUp) {
  for (const [name, choices] of Object.entries(CHOICES)) {
    const select = byId(`manner-${name}`);
    select.disabled = !isUp;
    const value = String(play[name]);
    if (select.dataset.shown === value) continue;
    select.dataset.shown = value;
    const own = name === "pace" && !value ? [["", "pace_preset.own"]] : [];
    select.replaceChildren(...[...choices, ...own].map((choice) => option(...choice, value)));
  }
}

/** Have `change` called with what somebody chose, as `set_play` takes it. */
export function onManner(change) {
  for (const name of Object.keys(CHOICES)) {
    const select = byId(`manner-${name}`);
    select.addEventListener("change", () => {
      delete select.dataset.shown; // the station's answer is shown, whatever it is
      change({ [name]: name === "touch_move" ? select.value === "true" : select.value });
    });
  }
}

function option(value, key, current) {
  const item = textElement("option", say(key));
  item.value = value;
  item.selected = value === current;
  return item;
}
