import type { Job } from "@millrace/contract/jobs";

/** What of a job is told and cannot be set. */
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

/** Only what is different: a change of one field must not undo what somebody else changed meanwhile. */
export function changesOf(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
