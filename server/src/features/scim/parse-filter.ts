import { ApiError } from "../../platform/errors/errors.ts";
import { findBadText } from "../../platform/json/find-bad-text.ts";
import { CORE_SCHEMA, canonicalName } from "./attribute-names.ts";

/** `emails[type eq "work"].value eq "ada@example.com"` has a type. */
export type Condition = { attribute: string; value: string; type: string | undefined };

const MAX_COUNT = 200;
const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const TERM = new RegExp(
  `\\s*(?:${CORE_SCHEMA})?(\\w+)(?:\\[\\s*(\\w+)\\s+eq\\s+(${STRING})\\s*\\])?(?:\\.(\\w+))?(?:\\s+eq\\s+(${STRING}|true|false))?\\s*(?:\\band\\s|$)`,
  "iy",
);

/**
 * Parses conditions such as `userName eq "ada@example.com"`, joined by `and`, as providers send them. Empty: no filter.
 */
export function parseFilter(text = ""): Condition[] {
  const conditions: Condition[] = [];
  const term = new RegExp(TERM);
  while (text.trim() !== "" && term.lastIndex < text.length) {
    const condition = conditionOf(term.exec(text) ?? []);
    if (!condition)
      throw new ApiError("bad_request", 'Unsupported filter. Use conditions such as userName eq "ada", joined by and.');
    conditions.push(condition);
  }
  return conditions;
}

function conditionOf([, name = "", inner = "", innerValue, rest = "", value]: string[]): Condition | undefined {
  const attribute = canonicalName(name);
  const sub = inner.toLowerCase();
  if (innerValue === undefined) {
    if (value === undefined) return undefined;
    return {
      attribute: rest ? `${attribute}.${rest.toLowerCase()}` : attribute,
      value: textIn(value),
      type: undefined,
    };
  }
  if (sub === "value" && rest === "" && value === undefined)
    return { attribute: `${attribute}.value`, value: textIn(innerValue), type: undefined };
  if (sub !== "type" || rest === "" || value === undefined) return undefined;
  return { attribute: `${attribute}.${rest.toLowerCase()}`, value: textIn(value), type: textIn(innerValue) };
}

function textIn(value: string): string {
  const text = parsed(value);
  const issue = findBadText(text);
  if (issue !== undefined) throw new ApiError("bad_request", `A value of the filter ${issue}.`);
  return text;
}

function parsed(value: string): string {
  try {
    return String(JSON.parse(value.startsWith('"') ? value : value.toLowerCase()));
  } catch {
    throw new ApiError("bad_request", "A value of the filter is not a JSON string.");
  }
}

/** `startIndex` counts from 1. */
export function pageOf({ startIndex, count }: { startIndex?: string; count?: string }) {
  const whole = (text: string | undefined, otherwise: number) =>
    text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : otherwise;
  return {
    start: Math.max(1, whole(startIndex, 1)),
    limit: Math.min(MAX_COUNT, Math.max(0, whole(count, MAX_COUNT))),
  };
}
