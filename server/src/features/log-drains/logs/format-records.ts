import { groupBy } from "../../../platform/group-by.ts";
import { attributes, nanos, otlpBody, quoted } from "../otlp.ts";
import type { Formatted } from "../signal.ts";
import type { LogRecord } from "./read-records.ts";

/** The body of a request, in the format of the drain. */
export function formatRecords(format: "json" | "ndjson" | "otlp" | "loki", records: readonly LogRecord[]): Formatted {
  switch (format) {
    case "json":
      return { content_type: "application/json", body: JSON.stringify(records.map(plain)) };
    case "ndjson":
      return {
        content_type: "application/x-ndjson",
        body: records.map((record) => `${JSON.stringify(plain(record))}\n`).join(""),
      };
    case "otlp":
      return otlpBody(records[0]?.project_id, NAMES, records.map(logRecord));
    case "loki":
      return { content_type: "application/json", body: JSON.stringify(formatLoki(records)) };
  }
}

/** Lists the fields explicitly: the internal columns of a record are not sent. */
function plain(record: LogRecord): LogRecord {
  const { id, time, level, message, fields, project_id, environment_id, job_id, job_slug, run_id, attempt } = record;
  const { workflow_run_id, step_ref } = record;
  const sent = { id, time, level, message, fields, project_id, environment_id, job_id, job_slug, run_id, attempt };
  return { ...sent, workflow_run_id, step_ref };
}

/**
 * Labels have few values, as Loki requires: project, environment, job and level. Fields that differ per line, such as
 * the run, are in the line itself, which is JSON.
 */
function formatLoki(records: readonly LogRecord[]) {
  const streams = groupBy(records, (record) => JSON.stringify(labelsOf(record)));
  return {
    streams: [...streams].map(([labels, lines]) => ({
      stream: JSON.parse(labels) as Record<string, string>,
      values: lines.map((record) => [`${Date.parse(record.time)}000000`, lineOf(record)]),
    })),
  };
}

function labelsOf({ project_id, environment_id, job_slug, level }: LogRecord): Record<string, string> {
  const labels = { service_name: "millrace", project_id, environment_id, job: job_slug, level };
  return Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== null));
}

function lineOf({ id, message, fields, job_id, run_id, attempt, workflow_run_id, step_ref }: LogRecord): string {
  return JSON.stringify({ message, ...fields, id, job_id, run_id, attempt, workflow_run_id, step_ref });
}

/** Severity numbers of the OpenTelemetry log data model: the first of each range. */
const SEVERITY = { debug: 5, info: 9, warn: 13, error: 17 };

const NAMES = { resources: "resourceLogs", scopes: "scopeLogs", items: "logRecords" };

function logRecord(record: LogRecord): string {
  const time = nanos(record.time);
  const level = `"severityNumber":${SEVERITY[record.level]},"severityText":"${record.level.toUpperCase()}"`;
  const own = attributes({
    "log.record.uid": record.id,
    "millrace.environment_id": record.environment_id,
    "millrace.job_id": record.job_id,
    "millrace.job_slug": record.job_slug,
    "millrace.run_id": record.run_id,
    "millrace.attempt": record.attempt,
    "millrace.workflow_run_id": record.workflow_run_id,
    "millrace.step_ref": record.step_ref,
    ...record.fields,
  });
  const body = `{"stringValue":${quoted(record.message)}}`;
  return `{"timeUnixNano":${time},"observedTimeUnixNano":${time},${level},"body":${body},${own}}`;
}
