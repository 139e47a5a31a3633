import { groupBy } from "../../../platform/group-by.ts";
import type { LogRecord } from "./read-records.ts";

/**
 * Labels have few values, as Loki requires: project, environment, job and level. Fields that differ per line, such as
 * the run, are in the line itself, which is JSON.
 */
export function formatLoki(records: readonly LogRecord[]) {
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
