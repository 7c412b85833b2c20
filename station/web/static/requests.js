/** Everything the page asks of the station, one after the other, so that what hands do arrives in order. */

import { say } from "./texts.js";

const PATIENCE_MS = 8000;
let last = Promise.resolve();
let unanswered = 0;

/** POST a JSON object once all before it are answered; resolves to the answer, rejects with an Error to be shown. */
export function post(path, body = {}) {
  count(1);
  const answer = last.then(() => send(path, body)).finally(() => count(-1));
  last = answer.catch(() => undefined);
  return answer;
}

/** POST at once, before all that waits: to stop something. */
export function postNow(path) {
  count(1);
  return send(path, {}).finally(() => count(-1));
}

/** The page says whether something it asked for is still unanswered. */
function count(change) {
  unanswered += change;
  document.body.toggleAttribute("data-asking", unanswered > 0);
}

async function send(path, body) {
  let answer, response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Dambord": "1" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    answer = await response.json();
  } catch {
    throw new Error(say("error.link"));
  }
  if (!answer.ok) throw Object.assign(new Error(say("error.refused", { error: answer.error })), { status: response.status });
  return answer;
}

/** GET JSON; rejects when the station does not answer. */
export async function get(path) {
  const response = await fetch(path, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok) throw new Error(say("error.link"));
  return response.json();
}

export const boardPath = (board, name) => `/boards/${encodeURIComponent(board)}/${name}`;
export const demoPath = (board, act) => `/demo/${encodeURIComponent(board)}/${act}`;
