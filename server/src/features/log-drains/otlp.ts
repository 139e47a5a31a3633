import { VERSION } from "../../platform/version.ts";
import type { Formatted } from "./signal.ts";

/** The names that a signal has in an export request: `resourceSpans`, `scopeSpans`, `spans`. */
export type Names = { resources: string; scopes: string; items: string };

const SCOPE = JSON.stringify({ name: "millrace", version: VERSION });

/**
 * The body of an export request of OTLP/HTTP with JSON, from its items as JSON. As text: objects for every attribute of
 * every item would cost five times as much.
 */
export function otlpBody(project_id: string | undefined, names: Names, items: readonly string[]): Formatted {
  const [head, tail] = otlpFrame(project_id, names);
  return { content_type: "application/json", body: `${head}${items.join(",")}${tail}` };
}

/** What precedes and follows the items. The service is the source of a project's telemetry. */
export function otlpFrame(project_id: string | undefined, names: Names): [head: string, tail: string] {
  const resource = `{${attributes({ "service.name": "millrace", "millrace.project_id": project_id })}}`;
  const head = `{"${names.resources}":[{"resource":${resource},"${names.scopes}":[{"scope":${SCOPE},"${names.items}":[`;
  return [head, "]}]}]}"];
}

/** 64-bit numbers are strings. */
export function nanos(time: string | number): string {
  return `"${typeof time === "number" ? time : Date.parse(time)}000000"`;
}

/** As a member of an object. Omits those without a value, as the protocol requires. */
export function attributes(values: Record<string, unknown>): string {
  let text = "";
  for (const key in values) {
    const value = values[key];
    if (value !== null && value !== undefined)
      text += `${text && ","}{"key":${quoted(key)},"value":${anyValue(value)}}`;
  }
  return `"attributes":[${text}]`;
}

function anyValue(value: unknown): string {
  if (typeof value === "string") return `{"stringValue":${quoted(value)}}`;
  if (typeof value === "boolean") return `{"boolValue":${value}}`;
  if (typeof value === "number")
    return Number.isInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${value}}`;
  if (Array.isArray(value)) return `{"arrayValue":{"values":[${value.map(anyValue).join(",")}]}}`;
  if (value && typeof value === "object") return `{"kvlistValue":{"values":[${members(value)}]}}`;
  return '{"stringValue":"null"}';
}

/** Unlike attributes, members without a value are sent. */
function members(values: object): string {
  return Object.entries(values)
    .map(([key, value]) => `{"key":${quoted(key)},"value":${anyValue(value)}}`)
    .join(",");
}

const PLAIN = /^[\w .,:;/@()+=-]*$/;

/** As JSON. Ids, slugs and states are most of the texts, and have nothing to escape. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
