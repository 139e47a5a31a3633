import { sql } from "kysely";
import type { Ctx } from "../context.ts";
import { changesIn, SLICES, type StateKind, slicesOf, type Watched } from "./change-slices.ts";
import type { RowPlace } from "./stream-place.ts";

/** A log row as streams send it: what changed and where, without payloads. */
export type Change = RowPlace & {
  xid: bigint;
  ms: number;
  kind: "run" | "workflow_run" | "run_log" | StateKind;
  project_id: string;
  /** Of the run, workflow run, delivery or batch operation. */
  object_id: string;
  environment_id: string | null;
  tags: Record<string, string>;
  data: Record<string, unknown>;
};

/** Everything up to `upTo` was read; with `has_more` there is more after it. */
export type ChangeSlice = { changes: Change[]; upTo: bigint; ms: number; has_more: boolean };

/**
 * Returns the rows committed to the logs after a transaction, in the order of transactions: only those below the oldest
 * still writing, and each whole, so late commits are never missed. One statement and one snapshot for all logs. Each
 * log is first limited to `most` rows and then filtered, so that a pass is bounded.
 */
export async function readChanges(
  ctx: Ctx,
  after: { xid: bigint; ms: number },
  watched: Watched,
  most: number,
): Promise<ChangeSlice> {
  const since = new Date(after.ms - MOST_LATE_MS).toISOString();
  const logged = sql`l.created_at >= ${since}::timestamptz and`;
  const range = sql`l.xid > ${String(after.xid)}::xid8 and l.xid <= (select xid from settled)
    order by l.xid fetch first ${most} rows with ties`;
  const { rows } = await sql<Row>`
    with settled as materialized (
      select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8 as xid
    ),
    ${slicesOf({ range, logged }, watched)},
    ends as materialized (
      select s.xid as settled_xid, least(
        s.xid::text::bigint, ${sql.join(SLICES.map((name) => lastOf(name, most)))}
      )::text::xid8 as up_to from settled s
    ),
    changes as (${changesIn(watched)})
    select e.up_to, e.settled_xid, clock() as now, c.* from ends e left join changes c on c.xid <= e.up_to
    order by c.xid, c.log, c.id, c.ordinal`.execute(ctx.db);
  const [first] = rows;
  if (!first) throw new Error("the query returned no row");
  const upTo = BigInt(first.up_to);
  return {
    changes: rows.flatMap((row) => (row.xid === null ? [] : [presentChange(row as Row & Found)])),
    upTo,
    ms: Date.parse(first.now),
    has_more: upTo < BigInt(first.settled_xid),
  };
}

/** No transaction lasts a day, so no unread row is older. Skips old partitions. */
const MOST_LATE_MS = 86_400_000;

type Found = {
  xid: string;
  log: number;
  id: string;
  ordinal: number;
  project_id: string;
  object_id: string;
  created_at: string;
  environment_id: string | null;
  tags: Record<string, string>;
  data: Record<string, unknown>;
};
type Row = { up_to: string; settled_xid: string; now: string } & (Found | { xid: null });

const KINDS = ["run", "workflow_run", "run_log", "webhook_delivery", "batch_operation"] as const;

/** The last transaction of a truncated slice; null for a complete one. */
function lastOf(name: (typeof SLICES)[number], most: number) {
  const slice = sql.ref(name);
  return sql`case when (select count(*) from ${slice}) >= ${most}
    then (select xid::text::bigint from ${slice} order by xid desc limit 1) end`;
}

function presentChange(row: Found): Change {
  const { xid, log, id, ordinal, project_id, object_id, created_at, environment_id, tags, data } = row;
  const kind = KINDS[log] ?? "run";
  return {
    ...{ xid: BigInt(xid), ms: Date.parse(created_at), log, id, ordinal, kind, project_id, object_id },
    ...{ environment_id, tags, data: { ...data, ordinal, at: created_at } },
  };
}
