/** Small helpers to draw SVG. */

const SVG = "http://www.w3.org/2000/svg";

/** A new SVG element with attributes and children. */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Set an attribute, or remove it where there is no value. */
export function mark(element, name, value) {
  if (value === undefined || value === null || value === "") element.removeAttribute(name);
  else element.setAttribute(name, value);
}
