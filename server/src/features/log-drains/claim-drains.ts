import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { CLAIM_SECS } from "./drain-rules.ts";

/** Everything before `position` was read, and at `position` the lines up to `after_id`. */
export type DrainCursor = { position: number; after_id: string };

/** The data needed to send to a drain. */
export type DrainTarget = {
  project_id: string;
  id: string;
  url: string;
  signal: "logs" | "traces" | "metrics";
  format: "json" | "ndjson" | "otlp" | "loki";
  auth_type: "none" | "bearer" | "basic" | "header";
  auth_name: string | null;
  credentials: Buffer | null;
};

/** A drain that no other instance sends to until the claim expires. */
export type ClaimedDrain = DrainTarget &
  DrainCursor & {
    environment_id: string | null;
    min_level: string;
    job_ids: string[] | null;
    consecutive_failures: number;
    dropped_unreported: number;
    claim_token: string;
  };

const TARGET_COLUMNS = sql`d.project_id, d.id, d.url, d.signal, d.format, d.auth_type, d.auth_name, d.credentials`;

/** Releases the claims of instances that are gone. */
export async function releaseDrainsOf(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  await sql`
    update log_drains set next_attempt_at = clock()
    where enabled and claim_token is not null and claimed_by = any(${[...instance_ids]}::uuid[])
      and next_attempt_at > clock()`.execute(ctx.db);
}

/** A drain is due. */
export const HAS_DUE_DRAINS = sql`(
  select d.next_attempt_at from log_drains d where d.enabled order by d.next_attempt_at limit 1) <= clock()`;

/** Claims due drains of all projects. A claim that is not renewed in time is void: `next_attempt_at` is its end. */
export async function claimDrains(ctx: Ctx, max: number): Promise<ClaimedDrain[]> {
  const { rows } = await sql<ClaimedDrain>`
    /* prepared */
    with due as materialized (
      select d.project_id, d.id, gen_random_uuid() as token from log_drains d
      join projects p on p.id = d.project_id and p.deleted_at is null
      where d.enabled and d.next_attempt_at <= clock()
      order by d.next_attempt_at limit ${max} for update of d skip locked
    )
    update log_drains d
    set claim_token = due.token, claimed_by = ${ctx.instance_id},
      next_attempt_at = clock() + ${CLAIM_SECS} * interval '1 second'
    from due
    where d.project_id = due.project_id and d.id = due.id
    returning ${TARGET_COLUMNS}, d.position, d.after_id, d.environment_id, d.min_level, d.job_ids, d.consecutive_failures, d.dropped_unreported::int as dropped_unreported,
      d.claim_token`.execute(ctx.db);
  return rows;
}
