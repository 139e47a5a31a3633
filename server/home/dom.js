/** An element with attributes, `on…` listeners and children. Whatever comes from data is text, never markup. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

const SHAPES = {
  check: "M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5Zm3 4.5-3.75 4L5 8",
  failed: "M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4ZM6 6l4 4m0-4-4 4",
  clock: "M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5Zm0 3v3.5l2.25 1.5",
  slash: "M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5ZM3.75 3.75l8.5 8.5",
  hollow: "M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5Z",
  diamond: "M8 1.75 14.25 8 8 14.25 1.75 8Z",
  copy: "M5.75 5.75h7.5v7.5h-7.5ZM10.25 5.5V2.75h-7.5v7.5H5.5",
  plus: "M8 3v10M3 8h10",
  back: "M9.75 3.5 5.25 8l4.5 4.5",
  person: "M8 2.25a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5ZM2.75 13.75c.4-2.6 2.5-4 5.25-4s4.85 1.4 5.25 4",
  eye: "M1.75 8C3.2 5.3 5.3 4 8 4s4.8 1.3 6.25 4C12.8 10.7 10.7 12 8 12S3.2 10.7 1.75 8ZM8 6.25a1.75 1.75 0 1 0 0 3.5 1.75 1.75 0 0 0 0-3.5Z",
};

export function icon(name) {
  const attributes = { viewBox: "0 0 16 16", class: `icon icon-${name}`, "aria-hidden": "true" };
  return fill(svg("svg"), attributes, [fill(svg("path"), { d: SHAPES[name] }, [])]);
}

export function button(label, attributes = {}) {
  return el("button", { type: "button", class: "button", ...attributes }, label);
}

export function code(text) {
  return el("code", {}, text);
}

/** Relative for the eye, absolute on hover and for machines. */
export function when(iso) {
  const date = new Date(iso);
  const shown = date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "long" });
  return el("time", { datetime: iso, title: shown }, relative(date.getTime() - Date.now()));
}

/** The whole id is copied and told on hover; the eye needs its two ends. */
export function shortId(id) {
  return el("code", { title: id }, id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);
}

/** Says it where a screen reader listens: in the open dialog, else in the page's own region. */
export function say(text, near) {
  const region = near?.closest("dialog")?.querySelector("[role=status]") ?? document.getElementById("messages");
  region.textContent = text;
  clearTimeout(sayings.get(region));
  sayings.set(
    region,
    setTimeout(() => region.replaceChildren(), 4000),
  );
}

const sayings = new WeakMap();

const UNITS = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

function relative(ms) {
  const found = UNITS.find(([, size]) => Math.abs(ms) >= size);
  if (!found) return ms > 0 ? "in less than a minute" : "just now";
  const [unit, size] = found;
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(Math.round(ms / size), unit);
}

function svg(tag) {
  return document.createElementNS("http://www.w3.org/2000/svg", tag);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}
