import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { NIL_ID } from "../reports/series.ts";
import { inChunks } from "./in-chunks.ts";
import { recount } from "./recount.ts";
import { sketchOf } from "./sketch.ts";
import { type Tallies, tally } from "./tallies.ts";

/** An attempt in flight ends within this time, or is lost. */
const OPEN_SECS = 120;

/** Rows counted without yielding to the event loop. */
const CHUNK = 2_000;

/** Attempts that are equal in every counted column. */
type Attempts = {
  project_id: string;
  environment_id: string | null;
  subscription_id: string | null;
  host: string;
  outcome: "delivered" | "refused" | "to_be_retried" | "lost";
  duration_ms: number | null;
  minute: string;
  count: number;
};

/** Attempts to deliver webhooks, by receiver and start time. An attempt that seemed lost may still be reported. */
export async function recountWebhooks(ctx: Ctx): Promise<boolean> {
  const name = "recount-webhooks";
  await recount(ctx, { name, series: "webhooks", open_secs: OPEN_SECS, canFall: true, count: countAttempts });
  return false;
}

/**
 * A receiver is a subscription, or the host of the URLs that waits registered, because there are as many URLs as waits.
 * A released attempt is not counted.
 */
async function countAttempts(tx: Ctx & InTransaction, from: string): Promise<Tallies> {
  const { rows } = await sql<Attempts>`
    select p.id as project_id, a.environment_id, a.subscription_id, a.host, a.outcome, a.duration_ms,
      date_trunc('minute', a.started_at) as minute, count(*)::int as count
    from projects p cross join lateral (
      select d.environment_id, d.subscription_id, d.host, coalesce(a.outcome, 'lost') as outcome, a.duration_ms, a.started_at
      from webhook_attempts a cross join lateral (
        select d.environment_id, d.subscription_id, d.host from webhook_deliveries d
        where d.project_id = a.project_id and d.id = a.delivery_id offset 0
      ) d
      where a.project_id = p.id and a.started_at >= ${from}
        and (a.outcome <> 'given_back' or a.outcome is null and a.started_at < clock() - ${OPEN_SECS} * interval '1 second')
      offset 0
    ) a
    group by 1, 2, 3, 4, 5, 6, 7`.execute(tx.db);
  const tallies: Tallies = new Map();
  await inChunks(rows, CHUNK, (attempts) => tallyAttempts(tallies, attempts));
  return tallies;
}

function tallyAttempts(tallies: Tallies, attempts: Attempts): void {
  const { project_id, subscription_id, host, outcome, duration_ms, minute, environment_id, count } = attempts;
  const rollup = {
    project_id,
    series: "webhooks",
    split: "endpoint",
    at_ms: Date.parse(minute),
    ...{ subject_id: subscription_id ?? NIL_ID, environment_id: environment_id ?? NIL_ID },
    part: subscription_id === null ? host : "",
  } as const;
  const counts = { attempts: count, [outcome]: count, duration_ms: (duration_ms ?? 0) * count };
  tally(tallies, rollup, { counts, sketch: sketchOf(duration_ms ?? undefined, count) });
}
