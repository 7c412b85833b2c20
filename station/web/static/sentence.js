/** The one big sentence: as large as its box allows. */

import { textElement } from "./belief.js";

/** A sentence in which moves such as 32-28 are not torn apart at the end of a line. */
export function showSentence(element, sentence) {
  if (element.textContent === sentence) return;
  const words = sentence.split(/(\s+)/).map((word) => {
    if (!/\d[-x:]/.test(word) || word.length > 12) return word;
    const whole = textElement("span", word);
    whole.className = "unbroken";
    return whole;
  });
  element.replaceChildren(...words);
  const sizes = ["short", "long", "longer"].slice(sentence.length > 130 ? 2 : sentence.length > 45 ? 1 : 0);
  for (const size of sizes) {
    element.dataset.length = size;
    if (element.scrollHeight <= element.clientHeight + 1) break;
  }
}
