import { derivedId } from "../../../platform/derived-id.ts";
import { summarizeJson } from "../reports/summarize-json.ts";

const MAX_LENGTH = 200;

/** Patterns that differ between failures of the same cause. The order matters: the longest forms first. */
const VARYING: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b[\w.+-]{1,100}@[\w-]{1,100}(?:\.[\w-]{1,100}){1,5}\b/g, "<mail>"],
  [/\b(https?:\/\/[^\s/?#"'<>]{1,200})[^\s"'<>]{0,2000}/gi, "$1"],
  [/"(?:[^"\\\n]|\\.){0,500}"|'[^'\n]{0,500}'|`[^`\n]{0,500}`/g, "<text>"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z?)?/g, "<time>"],
  [/\b0x[0-9a-f]{1,64}\b/gi, "<id>"],
  [/\b(?=[a-z_-]{0,40}\d)[\w-]{12,200}\b/gi, "<id>"],
  [/\d+(?:[.,:]\d+)*/g, "<n>"],
];

/** A message without the parts specific to one run: equal for failures of one cause, and free of personal data. */
export function normalise(message: string): string {
  const summary = summarizeJson(message.slice(0, 2_000));
  const text = VARYING.reduce((rest, [form, name]) => rest.replace(form, name), summary);
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_LENGTH);
}

export type Failure = {
  job_id: string;
  step_ref: string | null;
  http_status: number | null;
  code: string | null;
  message: string;
};

export function fingerprintOf({ job_id, step_ref, http_status, code, message }: Failure): string {
  return derivedId("failure", job_id, step_ref ?? "", String(http_status ?? ""), code ?? "", message);
}
