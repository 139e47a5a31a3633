import { VERSION } from "../../platform/version.ts";
import type { Formatted } from "./signal.ts";

/** The body of an export request of OTLP/HTTP with JSON, where 64-bit numbers are strings. */
export function otlpBody(body: object): Formatted {
  return otlpText(JSON.stringify(body));
}

export function otlpText(body: string): Formatted {
  return { content_type: "application/json", body };
}

/** The service, as the source of a project's telemetry. */
export function resourceOf(project_id: string | undefined) {
  return { attributes: attributes({ "service.name": "millrace", "millrace.project_id": project_id }) };
}

export const SCOPE = { name: "millrace", version: VERSION };

export function nanos(time: string | number): string {
  return `${typeof time === "number" ? time : Date.parse(time)}000000`;
}

/** Omits attributes without a value, as the protocol requires. */
export function attributes(values: Record<string, unknown>) {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ({ key, value: anyValue(value) }));
}

type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: AnyValue[] } }
  | { kvlistValue: { values: { key: string; value: AnyValue }[] } };

function anyValue(value: unknown): AnyValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (value && typeof value === "object") {
    return { kvlistValue: { values: Object.entries(value).map(([key, each]) => ({ key, value: anyValue(each) })) } };
  }
  return { stringValue: "null" };
}
