/** Who looks at the page may act, or may only watch until the station's PIN is given. */

import { post } from "./requests.js";
import { say } from "./texts.js";

const byId = (id) => document.getElementById(id);

/** Show whether whoever looks may act; the button signs in, or out again. */
export function showRights({ may_act: mayAct = true, can_sign_in: canSignIn = false } = {}) {
  document.body.toggleAttribute("data-watching", !mayAct);
  byId("watching").hidden = mayAct;
  byId("watching").textContent = say(canSignIn ? "sign_in.watching" : "sign_in.at_the_table");
  byId("sign-in").hidden = !canSignIn;
  byId("sign-in").toggleAttribute("data-second", mayAct);
}

/** Ask for the PIN and sign in, or sign out; resolves to whether something has changed. Rejects with what to say. */
export async function changeRights({ may_act: mayAct }) {
  if (mayAct) return post("/sign-out").then(() => true);
  const pin = await askPin();
  if (!pin) return false;
  try {
    await post("/sign-in", { pin });
  } catch (error) {
    if (error.status === 401) throw new Error(say("sign_in.wrong"));
    if (error.status === 429) throw new Error(say("sign_in.wait"));
    throw error;
  }
  return true;
}

function askPin() {
  const dialog = byId("pin-dialog");
  byId("pin").value = "";
  dialog.returnValue = "";
  dialog.showModal();
  const given = () => (dialog.returnValue === "in" ? byId("pin").value.trim() : "");
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(given()), { once: true }));
}
