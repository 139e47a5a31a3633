import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { derivedId } from "../../../platform/derived-id.ts";
import { notifySubscribers } from "../../../platform/webhooks/notify-subscribers.ts";

type GroupKey = { project_id: string; job_id: string; environment_id: string; fingerprint: string };
type Reopened = GroupKey & {
  id: string;
  message: string;
  code: string | null;
  http_status: number | null;
  step_ref: string | null;
  assigned_to: string | null;
  first_seen_at: string;
  last_seen_at: string;
  reopened_count: number;
};

/**
 * Reopens resolved issues that failed again after they were resolved, and notifies subscribers, in the transaction that
 * counts the failures. A recount of older failures reopens none.
 */
export async function reopenIssues(tx: Ctx & InTransaction, groups: readonly GroupKey[]): Promise<void> {
  const keys = groups.map(({ project_id, job_id, environment_id, fingerprint }) => ({
    ...{ project_id, job_id, environment_id, fingerprint },
  }));
  const { rows } = await sql<Reopened>`
    update error_groups g set status = 'open', resolved_at = null, opened_at = g.last_seen_at,
      reopened_count = g.reopened_count + 1, updated_at = clock()
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(
      project_id uuid, job_id uuid, environment_id uuid, fingerprint uuid)
    where g.project_id = k.project_id and g.job_id = k.job_id and g.environment_id = k.environment_id
      and g.fingerprint = k.fingerprint and g.status = 'resolved' and g.last_seen_at > g.resolved_at
    returning g.id, g.project_id, g.job_id, g.environment_id, g.fingerprint, g.message, g.code, g.http_status, g.step_ref,
      g.assigned_to, g.first_seen_at, g.last_seen_at, g.reopened_count`.execute(tx.db);
  await notifySubscribers(
    tx,
    rows.map((data) => ({
      ...{ project_id: data.project_id, environment_id: data.environment_id, type: "error_issue.reopened", data },
      ...{ source_type: "error_issue", source_id: data.id },
      id: derivedId("error_issue", data.id, String(data.reopened_count)),
    })),
  );
}
