import { Problem } from "./api.js";

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]{0,127})\s*=(.*)$/;

/** Lines of a .env file as an object. Comments and blank lines are passed over; a broken line is refused by number. */
export function parseVariables(text) {
  const variables = {};
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name, value] = LINE.exec(line) ?? refuse(index + 1);
    variables[name] = unquote(value.trim());
  }
  return variables;
}

function unquote(value) {
  const [, , inner] = /^(["'])(.*)\1$/.exec(value) ?? [];
  return inner ?? value;
}

function refuse(number) {
  const message = `has no NAME=value on line ${number}`;
  throw new Problem({
    title: "A line cannot be read",
    detail: `Line ${number} of the variables is not NAME=value.`,
    remedy: "Names hold letters, digits and underscores, and do not begin with a digit.",
    errors: [{ location: "body.variables", message }],
  });
}
