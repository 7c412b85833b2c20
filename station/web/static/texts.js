/** What the page says, in the language of this display: `?lang=`, else the one chosen here last, else the station's. */

const AGAIN_MS = 1000;
const KEPT = "language";

const { language, languages, sentences, forms } = await load(wanted());
const plural = new Intl.PluralRules(language);
export { language, languages, sentences };

/** A sentence with its places filled in, in the form that its number wants; the key itself where a text is missing. */
export function say(key, values = {}) {
  const text = formOf(key, values) ?? sentences[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/** Fill in every element of the document that names a text (`data-text`), a label (`data-label`) or a hint (`data-hint`). */
export function fillIn(root) {
  root.documentElement.lang = language;
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", say(element.dataset.label));
  }
  for (const element of root.querySelectorAll("[data-hint]")) element.placeholder = say(element.dataset.hint);
}

/** Fill a menu of languages, each by its own name; choosing one loads the page in it, and is remembered here. */
export function offerLanguages(select) {
  select.replaceChildren(...languages.map((code) => new Option(nameOf(code), code, false, code === language)));
  select.addEventListener("change", () => {
    keep(select.value);
    const address = new URL(location.href);
    address.searchParams.set("lang", select.value);
    if (address.href === location.href) location.reload();
    else location.replace(address);
  });
}

function formOf(key, values) {
  if (!(key in forms)) return undefined;
  const [number, told] = forms[key];
  return told[plural.select(Number(values[number]))];
}

function nameOf(code) {
  const name = new Intl.DisplayNames([code], { type: "language" }).of(code);
  return name[0].toLocaleUpperCase(code) + name.slice(1);
}

function wanted() {
  const named = new URLSearchParams(location.search).get("lang");
  if (named) keep(named);
  return named ?? kept();
}

/** A browser may refuse to keep anything: then the language is that of the address. */
function keep(code) {
  try {
    localStorage.setItem(KEPT, code);
  } catch {
    return;
  }
}

function kept() {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

async function load(code) {
  for (;;) {
    const answer = await fetch(`/texts?lang=${encodeURIComponent(code)}`).catch(() => null);
    if (answer?.ok) return answer.json();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
