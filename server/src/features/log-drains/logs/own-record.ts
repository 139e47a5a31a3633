import type { Ctx } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import type { LogRecord } from "./read-records.ts";

type Content = Pick<LogRecord, "project_id" | "environment_id" | "level" | "message" | "fields"> & { time?: string };

/** A record of the service itself, without a job or run. */
export function ownRecord(
  { watch }: Ctx,
  { time = new Date(watch.nowMs()).toISOString(), ...content }: Content,
): LogRecord {
  const none = { job_id: null, job_slug: null, run_id: null, attempt: null, workflow_run_id: null, step_ref: null };
  return { id: newId(), time, ...content, ...none };
}
