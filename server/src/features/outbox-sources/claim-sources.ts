import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";

/** A source was created or changed. */
export const OUTBOX_SOURCES_TOPIC = "outbox-sources";

/** A source that no other instance drains until the claim expires. */
export type ClaimedSource = {
  project_id: string;
  id: string;
  database_url: Buffer;
  /** Rows whose runs were committed, perhaps by another instance: they are deleted first. */
  drained_ids: string[];
  consecutive_failures: number;
  claim_token: string;
};

/** Renewed every third of it: an instance that exceeds it has stopped responding. */
export const CLAIM_SECS = 30;
export const RENEW_MS = 10_000;
const MAX_PAUSE_SECS = 60;

/** A source is due. */
export const HAS_DUE_SOURCES = sql`(
  select o.next_attempt_at from outbox_sources o where o.enabled order by o.next_attempt_at limit 1) <= clock()`;

/** Claims due sources of all projects. A claim that is not renewed in time is void: `next_attempt_at` is its end. */
export async function claimSources(ctx: Ctx, max: number): Promise<ClaimedSource[]> {
  const { rows } = await sql<ClaimedSource>`
    /* prepared */
    with due as materialized (
      select o.project_id, o.id, gen_random_uuid() as token from outbox_sources o
      join projects p on p.id = o.project_id and p.deleted_at is null
      where o.enabled and o.next_attempt_at <= clock()
      order by o.next_attempt_at limit ${max} for update of o skip locked
    )
    update outbox_sources o
    set claim_token = due.token, claimed_by = ${ctx.instance_id}, next_attempt_at = ${claimEnd()}
    from due
    where o.project_id = due.project_id and o.id = due.id
    returning o.project_id, o.id, o.database_url, o.drained_ids, o.consecutive_failures, o.claim_token`.execute(ctx.db);
  return rows;
}

/** Releases the claims of instances that are gone. */
export async function releaseSourcesOf(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  await sql`
    update outbox_sources set next_attempt_at = clock()
    where enabled and claim_token is not null and claimed_by = any(${[...instance_ids]}::uuid[])
      and next_attempt_at > clock()`.execute(ctx.db);
}

/** False: another instance has claimed the source, or it was changed. */
export function renewClaim(ctx: Ctx, source: ClaimedSource): Promise<boolean> {
  return change(ctx, source, sql`next_attempt_at = ${claimEnd()}`);
}

/** The database responded again. */
export function recordReached(ctx: Ctx, source: ClaimedSource): Promise<boolean> {
  return change(
    ctx,
    source,
    sql`consecutive_failures = 0, failing_since = null, last_error = null, next_attempt_at = ${claimEnd()}`,
  );
}

/** Hands the source back: it is due at once. */
export function releaseClaim(ctx: Ctx, source: ClaimedSource): Promise<boolean> {
  return change(ctx, source, sql`claim_token = null, next_attempt_at = clock()`);
}

/** The application's database could not be used: it is tried again after 1, 2, 4 … 60 seconds. */
export function recordFailure(ctx: Ctx, source: ClaimedSource, error: string): Promise<boolean> {
  const failures = source.consecutive_failures + 1;
  const pauseSecs = Math.min(2 ** Math.min(failures - 1, 10), MAX_PAUSE_SECS);
  return change(
    ctx,
    source,
    sql`claim_token = null, consecutive_failures = ${failures}, failing_since = coalesce(o.failing_since, clock()),
      last_error = ${error}, next_attempt_at = clock() + ${pauseSecs} * interval '1 second'`,
  );
}

/** In the transaction that creates the runs, whose rollback a lost claim must cause. */
export function recordDrained(
  tx: Ctx & InTransaction,
  source: ClaimedSource,
  { drained_ids, refused }: { drained_ids: string[]; refused: number },
): Promise<boolean> {
  return change(
    tx,
    source,
    sql`drained_ids = ${drained_ids}::uuid[], drained_count = o.drained_count + ${drained_ids.length},
      refused_count = o.refused_count + ${refused},
      last_drained_at = case when ${drained_ids.length}::int > 0 then clock() else o.last_drained_at end,
      next_attempt_at = ${claimEnd()}`,
  );
}

function claimEnd(): Sql {
  return sql`clock() + ${CLAIM_SECS} * interval '1 second'`;
}

async function change(ctx: Ctx, source: ClaimedSource, set: Sql): Promise<boolean> {
  const { rows } = await sql`
    update outbox_sources o set ${set}
    where o.project_id = ${source.project_id} and o.id = ${source.id} and o.claim_token = ${source.claim_token}
    returning 1`.execute(ctx.db);
  return rows.length > 0;
}
