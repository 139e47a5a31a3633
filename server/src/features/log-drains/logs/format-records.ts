import { otlpBody } from "../otlp.ts";
import type { Formatted } from "../signal.ts";
import { formatLoki } from "./format-loki.ts";
import { formatOtlp } from "./format-otlp.ts";
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
      return otlpBody(formatOtlp(records));
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
