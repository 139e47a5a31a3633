import type { Job } from "@millrace/contract/jobs/jobs";

/** Read-only fields of a job. */
const GIVEN = new Set([
  "$schema",
  "id",
  "project_id",
  "version",
  "version_id",
  "paused_at",
  "created_by",
  "created_at",
  "updated_at",
]);

export function settableOf(job: Job): Record<string, unknown> {
  return Object.fromEntries(Object.entries(job).filter(([name]) => !GIVEN.has(name)));
}

/** Sends only changed fields, so that concurrent changes of others are not overwritten. */
export function changesOf(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
