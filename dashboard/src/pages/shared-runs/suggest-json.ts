import type { Suggestion, Suggestions } from "../../parts/code/suggestions.ts";
import { sampleOf } from "./check-schema.ts";

type Schema = Record<string, unknown>;
type Level = { isObject: boolean; isKey: boolean; key: string | undefined; keys: string[] };
type Caret = { levels: Level[]; from: number; typed: string };

/** Completions from a schema at the caret of a text that may not be valid JSON yet: field names or values. */
export function suggestJson(schema: unknown, text: string, caret: number): Suggestions | undefined {
  const found = caretIn(text, caret);
  const level = found.levels.at(-1);
  if (!level || typeof schema !== "object" || schema === null) return undefined;
  const inner = schemaAt(schema as Schema, found.levels);
  const rest = text.slice(caret);
  const closing = text[found.from] === '"' ? (/^[^"\n:,{}]*"/.exec(rest)?.[0].length ?? 0) : 0;
  const hasColon = /^\s*:/.test(rest.slice(closing));
  const offered = level.isKey ? fieldsOf(inner, level.keys, hasColon) : valuesOf(inner);
  const options = offered.filter(({ label }) => plain(label).startsWith(plain(found.typed)));
  return { from: found.from, to: caret + closing, options };
}

function plain(text: string): string {
  return text.replaceAll('"', "").toLowerCase();
}

/** Scans up to the caret: the open objects and arrays, and the token being typed. */
function caretIn(text: string, caret: number): Caret {
  const levels: Level[] = [];
  let from = caret;
  for (let at = 0; at < caret; at++) {
    const letter = text[at] ?? "";
    const level = levels.at(-1);
    if (letter === '"') {
      const end = endOfText(text, at);
      if (end >= caret) return { levels, from: at, typed: text.slice(at + 1, caret) };
      if (level?.isKey) {
        level.key = text.slice(at + 1, end);
        level.keys.push(level.key);
      }
      at = end;
    } else if (letter === "{" || letter === "[")
      levels.push({ isObject: letter === "{", isKey: letter === "{", key: undefined, keys: [] });
    else if (letter === "}" || letter === "]") levels.pop();
    else if (letter === ":" && level) level.isKey = false;
    else if (letter === "," && level) level.isKey = level.isObject;
    from = /[\w.+-]/.test(letter) ? Math.min(from, at) : caret;
  }
  return { levels, from, typed: text.slice(from, caret) };
}

function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"' || text[at] === "\n") return at;
  }
  return text.length;
}

function schemaAt(schema: Schema, levels: Level[]): Schema | undefined {
  let known: Schema | undefined = schema;
  for (const [nth, { isObject, isKey, key }] of levels.entries()) {
    if (isObject && isKey && nth === levels.length - 1) return known;
    const next: unknown = isObject ? (known?.properties as Schema | undefined)?.[key ?? ""] : known?.items;
    known = typeof next === "object" && next !== null ? (next as Schema) : undefined;
  }
  return known;
}

function fieldsOf(schema: Schema | undefined, taken: string[], hasColon: boolean): Suggestion[] {
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries((schema?.properties ?? {}) as Record<string, Schema>)
    .filter(([name]) => !taken.includes(name))
    .map(([name, inner]) => ({
      label: name,
      insert: hasColon ? JSON.stringify(name) : `${JSON.stringify(name)}: ${JSON.stringify(sampleOf(inner))}`,
      hint: [inner?.type, required.includes(name) ? "required" : ""].flat().filter(Boolean).join(", "),
    }));
}

function valuesOf(schema: Schema | undefined): Suggestion[] {
  const candidates = [schema?.enum, schema?.const, schema?.examples, schema?.default].flat();
  const values = schema?.type === "boolean" ? [true, false] : candidates.filter((each) => each !== undefined);
  return [...new Set(values.map((each) => JSON.stringify(each)))].map((text) => ({ label: text, insert: text }));
}
