import { attributes, nanos, resourceOf, SCOPE } from "../otlp.ts";
import type { LogRecord } from "./read-records.ts";

/** Severity numbers of the OpenTelemetry log data model: the first of each range. */
const SEVERITY = { debug: 5, info: 9, warn: 13, error: 17 };

export function formatOtlp(records: readonly LogRecord[]) {
  const scopeLogs = [{ scope: SCOPE, logRecords: records.map(logRecord) }];
  return { resourceLogs: [{ resource: resourceOf(records[0]?.project_id), scopeLogs }] };
}

function logRecord(record: LogRecord) {
  return {
    timeUnixNano: nanos(record.time),
    observedTimeUnixNano: nanos(record.time),
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
