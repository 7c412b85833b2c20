/** Who is ahead, as the engine sees it: a bar whose light part is White's, and the same in words. */

import { setText } from "./belief.js";
import { language, say } from "./texts.js";

/** A bar filled to nine tenths stands for this lead, in men; the bar is a picture, not a probability. */
const NINE_TENTHS_MEN = 1.6;
/** From here on the engine sees the end of the game. */
const WON_MEN = 900;
/** Less than this is nobody's lead. */
const EVEN_MEN = 0.15;
const number = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Show a lead of White in men, negative where Black is ahead; null hides it. */
export function showEvaluation(men) {
  const line = document.getElementById("evaluation");
  line.hidden = men === null;
  if (men === null) return;
  const share = Math.abs(men) >= WON_MEN ? Number(men > 0) : 1 / (1 + 9 ** (-men / NINE_TENTHS_MEN));
  line.style.setProperty("--white", `${Math.round(1000 * share) / 10}%`);
  setText(document.getElementById("evaluation-text"), evaluationText(men));
}

function evaluationText(men) {
  const side = say(men > 0 ? "side.white" : "side.black");
  if (Math.abs(men) >= WON_MEN) return say("evaluation.winning", { side });
  if (Math.abs(men) < EVEN_MEN) return say("evaluation.even");
  return say("evaluation.ahead", { side, men: number.format(Math.abs(men)) });
}
