import { escapeHtml } from "../escape-html.mjs";
import { nameOf } from "./read-operations.mjs";

const MAX_DEPTH = 3;

/** A schema with its name as the anchor of links to it. */
export function renderSchema(name, reference) {
  const schema = reference.document.components.schemas[name];
  const fields = renderFields(schema, reference) || `<p>${typeOf(schema, reference)}</p>`;
  const about = schema.description ? `<p>${inlineCode(schema.description)}</p>` : "";
  return `<section class="schema" id="${name}"><h2>${name}<a class="anchor" href="#${name}" aria-label="Link to this schema">#</a></h2>${about}${fields}</section>`;
}

/** A table of the fields of an object schema; nested objects as `parent.field`. Empty for a schema without fields. */
export function renderFields(schema, reference) {
  const rows = fieldsOf(schema, "", 0).map(
    ({ name, isRequired, field }) =>
      `<tr><td><code>${escapeHtml(name)}</code>${isRequired ? ' <span class="required">required</span>' : ""}</td>` +
      `<td>${typeOf(field, reference)}</td><td>${inlineCode(field.description ?? "")}${limitsOf(field)}</td></tr>`,
  );
  if (rows.length === 0) return "";
  return `<div class="table"><table class="fields"><tbody>${rows.join("")}</tbody></table></div>\n`;
}

function fieldsOf(schema, prefix, depth) {
  const parts = [schema, ...(schema.allOf ?? [])];
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  const properties = parts.flatMap((part) => Object.entries(part.properties ?? {}));
  return properties.flatMap(([key, field]) => {
    const name = prefix + key;
    const own = { name, isRequired: required.has(key), field };
    if (depth >= MAX_DEPTH) return [own];
    if (field.properties) return [own, ...fieldsOf(field, `${name}.`, depth + 1)];
    if (field.items?.properties) return [own, ...fieldsOf(field.items, `${name}[].`, depth + 1)];
    return [own];
  });
}

/** The type in words, with links to named schemas. */
export function typeOf(schema, reference) {
  const name = nameOf(schema);
  if (name) return `<a href="${reference.base}${reference.places.get(name)}#${name}">${name}</a>`;
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(" · ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, reference)))].join(" or ");
  const types = [schema.type ?? "any"].flat();
  return types
    .map((type) => (type === "array" ? `array of ${typeOf(schema.items ?? {}, reference)}` : type))
    .join(" or ");
}

const LIMITS = {
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  maxLength: (value) => `up to ${value} characters`,
  maxItems: (value) => `up to ${value} items`,
  format: (value) => value,
};

function limitsOf(schema) {
  const limits = Object.entries(LIMITS).flatMap(([key, words]) =>
    schema[key] === undefined ? [] : [escapeHtml(words(schema[key]))],
  );
  return limits.length > 0 ? ` <span class="limits">${limits.join(", ")}</span>` : "";
}

/** Descriptions have Markdown's code spans, and nothing else. */
export function inlineCode(text) {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
