import { VERSION } from "../../platform/version.ts";
import type { LogRecord } from "./read-records.ts";

/** Severity numbers of the OpenTelemetry log data model: the first of each range. */
const SEVERITY = { debug: 5, info: 9, warn: 13, error: 17 };

/** One export request of OTLP/HTTP with JSON, where 64-bit numbers are strings. */
export function formatOtlp(records: readonly LogRecord[]) {
  const [first] = records;
  return {
    resourceLogs: [
      {
        resource: {
          attributes: attributes({ "service.name": "millrace", "millrace.project_id": first?.project_id }),
        },
        scopeLogs: [{ scope: { name: "millrace", version: VERSION }, logRecords: records.map(logRecord) }],
      },
    ],
  };
}

function logRecord(record: LogRecord) {
  const nanos = `${Date.parse(record.time)}000000`;
  return {
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    severityNumber: SEVERITY[record.level],
    severityText: record.level.toUpperCase(),
    body: { stringValue: record.message },
    attributes: attributes({
      "log.record.uid": record.id,
      "millrace.environment_id": record.environment_id,
      "millrace.job_id": record.job_id,
      "millrace.job_slug": record.job_slug,
      "millrace.run_id": record.run_id,
      "millrace.attempt": record.attempt,
      "millrace.workflow_run_id": record.workflow_run_id,
      "millrace.step_ref": record.step_ref,
      ...record.fields,
    }),
  };
}

/** Omits attributes without a value, as the protocol requires. */
function attributes(values: Record<string, unknown>) {
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
