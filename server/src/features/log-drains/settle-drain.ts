import type { Ctx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import type { ClaimedDrain, DrainCursor } from "./claim-drains.ts";
import { backoffSecs, CLAIM_SECS, IDLE_POLL_SECS } from "./drain-rules.ts";

type Taken = { cursor: DrainCursor; records: number; status_code: number; reported: number };

/**
 * The receiver has accepted the records: they are not sent again. Keeps the claim. False: another instance has claimed
 * the drain.
 */
export function recordTaken(ctx: Ctx, drain: ClaimedDrain, { cursor, records, status_code, reported }: Taken) {
  return change(
    ctx,
    drain,
    sql`${setCursor(cursor)}, delivered_count = d.delivered_count + ${records}, last_delivered_at = clock(),
      last_status_code = ${status_code}, last_error = null, consecutive_failures = 0,
      dropped_unreported = d.dropped_unreported - ${reported}, next_attempt_at = clock() + ${CLAIM_SECS} * interval '1 second'`,
  );
}

/** Nothing is left to send. */
export function recordEmpty(ctx: Ctx, drain: ClaimedDrain, cursor: DrainCursor) {
  return change(ctx, drain, sql`${setCursor(cursor)}, claim_token = null, ${dueIn(IDLE_POLL_SECS)}`);
}

/** None of the lines read match this drain, and there are more. Keeps the claim. */
export function advanceCursor(ctx: Ctx, drain: ClaimedDrain, cursor: DrainCursor) {
  return change(ctx, drain, sql`${setCursor(cursor)}, next_attempt_at = clock() + ${CLAIM_SECS} * interval '1 second'`);
}

type Failure = { status_code: number | null; error: string };

export function recordFailure(ctx: Ctx, drain: ClaimedDrain, { status_code, error }: Failure) {
  const failures = drain.consecutive_failures + 1;
  return change(
    ctx,
    drain,
    sql`claim_token = null, consecutive_failures = ${failures}, last_status_code = ${status_code},
      last_error = ${error}, ${dueIn(backoffSecs(failures))}`,
  );
}

/** Skips a record that the receiver rejected. */
export function recordRefused(ctx: Ctx, drain: ClaimedDrain, cursor: DrainCursor) {
  return change(
    ctx,
    drain,
    sql`${setCursor(cursor)}, refused_count = d.refused_count + 1, consecutive_failures = 0, dropped_unreported = 0,
      claim_token = null, ${dueIn(0)}`,
  );
}

type DroppedRecords = { cursor: DrainCursor; count: number; unreported: number };

export function recordDropped(ctx: Ctx, drain: ClaimedDrain, { cursor, count, unreported }: DroppedRecords) {
  return change(
    ctx,
    drain,
    sql`${setCursor(cursor)}, dropped_count = d.dropped_count + ${count}, dropped_unreported = d.dropped_unreported + ${unreported}`,
  );
}

/** The service is stopping or has other work first: the drain is due at once. */
export function releaseClaim(ctx: Ctx, drain: ClaimedDrain) {
  return change(ctx, drain, sql`claim_token = null, ${dueIn(0)}`);
}

async function change(ctx: Ctx, drain: ClaimedDrain, set: Sql): Promise<boolean> {
  const { rows } = await sql`
    update log_drains d set ${set}
    where d.project_id = ${drain.project_id} and d.id = ${drain.id} and d.claim_token = ${drain.claim_token}
    returning 1`.execute(ctx.db);
  return rows.length > 0;
}

function setCursor({ position, after_id }: DrainCursor): Sql {
  return sql`position = ${position}, after_id = ${after_id}`;
}

function dueIn(secs: number): Sql {
  return sql`next_attempt_at = clock() + ${secs} * interval '1 second'`;
}
