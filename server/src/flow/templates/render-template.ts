import { Buffer } from "node:buffer";
import { indexLocation, keyLocation } from "../../platform/json/json-location.ts";
import { jsonRoom } from "../../platform/json/json-room.ts";
import { readPath, splitTemplate, type TemplatePart } from "./template-parts.ts";

type TemplateScope = Readonly<Record<string, unknown>>;
export type TemplateProblem = { location: string; message: string; code: TemplateProblemCode };
export type TemplateProblemCode =
  | "template_malformed"
  | "template_unknown_root"
  | "template_path_missing"
  | "template_null_in_text"
  | "template_too_deep"
  | "template_text_too_long"
  | "payload_too_large";
export type Rendered<T> = { ok: true; value: T } | { ok: false; problem: TemplateProblem };

/**
 * Renders every template inside a JSON value. A template that is the whole string keeps the JSON type, null included;
 * inside a longer string it becomes text, where null fails. Object keys are not rendered. The result shares values with
 * the scope: treat both as read-only.
 */
export function renderTemplate(value: unknown, scope: TemplateScope, location = "template"): Rendered<unknown> {
  if (isLiteral(value)) return { ok: true, value };
  return attempt(() => render(value, location, 0, newRendering(scope)));
}

/**
 * Renders a value that must be text, such as a key or message: `{{payload.id}}` of 42 gives "42", of null fails. An
 * object is written as JSON if that is short: a run has up to ten limit keys, and the claim renders them again.
 */
export function renderText(source: string, scope: TemplateScope, location = "template"): Rendered<string> {
  return attempt(() => joinText(partsOf(source, location), location, newRendering(scope, MAX_JSON_IN_TEXT_LENGTH)));
}

const MAX_JSON_IN_TEXT_LENGTH = 16_384;

export const MAX_TEXT_BYTES = 1_048_576;
/** The limit of a dispatch body, enforced while rendering: a list of templates can repeat a large value. */
export const MAX_RENDERED_BYTES = 4 * 1_048_576;
export const MAX_TEMPLATE_DEPTH = 64;

/** `texts` caches the JSON of objects inside strings: a thousand templates may name the same object. */
type Rendering = { scope: TemplateScope; room: number; longest_json: number; texts: Map<object, string> };

function newRendering(scope: TemplateScope, longest_json = MAX_TEXT_BYTES): Rendering {
  return { scope, room: MAX_RENDERED_BYTES, longest_json, texts: new Map() };
}

// Thrown and caught only in this file: a problem ends the rendering from any depth.
class Stop extends Error {
  readonly problem: TemplateProblem;
  constructor(code: TemplateProblemCode, location: string, message: string) {
    super(message);
    this.problem = { location, message, code };
  }
}

function attempt<T>(work: () => T): Rendered<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof Stop) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** Cached for the immutable payloads of steps, which may have 49,000 names. */
const literals = new WeakSet<object>();

function isLiteral(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (literals.has(value)) return true;
  const found = !mayChange(value, 0);
  if (found) literals.add(value);
  return found;
}

/** Whether it has a template, or is nested so deeply that it is refused. */
function mayChange(value: unknown, depth: number): boolean {
  if (typeof value === "string") return value.includes("{{");
  if (typeof value !== "object" || value === null) return false;
  if (depth >= MAX_TEMPLATE_DEPTH) return true;
  if (Array.isArray(value)) return value.some((item) => mayChange(item, depth + 1));
  return Object.keys(value).some((key) => mayChange((value as Record<string, unknown>)[key], depth + 1));
}

function render(value: unknown, location: string, depth: number, rendering: Rendering): unknown {
  if (typeof value === "string") return renderString(value, location, rendering);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_TEMPLATE_DEPTH) throw new Stop("template_too_deep", location, TOO_DEEP);
  if (Array.isArray(value))
    return value.map((item, i) => render(item, indexLocation(location, i), depth + 1, rendering));

  // fromEntries defines own properties, so a key such as __proto__ stays data.
  return Object.fromEntries(
    Object.keys(value).map((key) => {
      const field = (value as Record<string, unknown>)[key];
      const isLeaf = typeof field !== "object" && typeof field !== "string";
      return [key, isLeaf ? field : render(field, keyLocation(location, key), depth + 1, rendering)];
    }),
  );
}

export const TOO_DEEP = `is nested more than ${MAX_TEMPLATE_DEPTH} levels deep`;

function renderString(source: string, location: string, rendering: Rendering): unknown {
  if (!source.includes("{{")) return source;
  const parts = partsOf(source, location);
  const [first] = parts;
  if (parts.length > 1 || first?.kind !== "path") return joinText(parts, location, rendering);

  const value = resolve(first.path, location, rendering);
  spend(rendering, sizeOf(value), location);
  return value;
}

function partsOf(source: string, location: string): TemplatePart[] {
  const { parts, issues } = splitTemplate(source);
  const [issue] = issues;
  if (issue !== undefined) throw new Stop("template_malformed", location, issue);
  return parts;
}

function resolve(path: string, location: string, { scope }: Rendering): unknown {
  const found = readPath(scope, path);
  if (!found.ok) throw new Stop("template_path_missing", location, found.message);
  return found.value;
}

function joinText(parts: readonly TemplatePart[], location: string, rendering: Rendering): string {
  let text = "";
  for (const part of parts) {
    text += part.kind === "text" ? part.text : toText(part.path, location, rendering);
    if (text.length > MAX_TEXT_BYTES) break;
  }
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw tooLong(location, MAX_TEXT_BYTES);
  spend(rendering, Buffer.byteLength(text), location);
  return text;
}

function toText(path: string, location: string, rendering: Rendering): string {
  const value = resolve(path, location, rendering);
  if (value === null) throw new Stop("template_null_in_text", location, `${path} is null, which is not text`);
  if (typeof value !== "object") return String(value);
  const { longest_json, texts } = rendering;
  const known = texts.get(value as object);
  if (known !== undefined) return known;
  const isKnownToFit = (sizes.get(value as object) ?? Number.POSITIVE_INFINITY) <= longest_json;
  if (!isKnownToFit && jsonRoom(value, longest_json) < 0) throw tooLong(location, longest_json);
  const text = JSON.stringify(value);
  texts.set(value as object, text);
  return text;
}

function tooLong(location: string, longest: number): Stop {
  return new Stop("template_text_too_long", location, `renders to more than ${longest} bytes of text`);
}

/** Cached for the immutable inputs of steps: thirty steps may each pass on the same megabyte. */
const sizes = new WeakMap<object, number>();

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return Buffer.byteLength(JSON.stringify(value));
  const size = sizes.get(value) ?? Buffer.byteLength(JSON.stringify(value));
  sizes.set(value, size);
  return size;
}

function spend(rendering: Rendering, bytes: number, location: string): void {
  rendering.room -= bytes;
  if (rendering.room >= 0) return;
  throw new Stop("payload_too_large", location, `the rendered result is larger than ${MAX_RENDERED_BYTES} bytes`);
}
