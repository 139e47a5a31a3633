import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../context.ts";
import type { RowPlace } from "./stream-place.ts";

/** A row of a log as streams tell it: what changed and where, without payloads. */
export type Change = RowPlace & {
  xid: bigint;
  ms: number;
  kind: "run" | "workflow_run" | "run_log";
  project_id: string;
  /** Of the run or workflow run. */
  object_id: string;
  environment_id: string;
  tags: Record<string, string>;
  data: Record<string, unknown>;
};

/** Which rows are of interest: of the projects somebody watches, and log lines only of the runs that are. */
export type Watched = { project_ids: string[]; log_run_ids: string[] };

/** Everything up to `upTo` was read; when `has_more`, more lies behind it. */
export type ChangeSlice = { changes: Change[]; upTo: bigint; ms: number; has_more: boolean };

/**
 * What was committed to the logs behind a transaction, in the order of transactions: only those below the oldest that is
 * still writing, and each whole, so nothing that commits late is ever passed by. One statement and one snapshot for all
 * three logs. Each is first cut to `most` rows and then to those of interest, so that a turn has a bound.
 */
export async function readChanges(
  ctx: Ctx,
  after: { xid: bigint; ms: number },
  watched: Watched,
  most: number,
): Promise<ChangeSlice> {
  const since = new Date(after.ms - MOST_LATE_MS).toISOString();
  const range = sql`l.xid > ${String(after.xid)}::xid8 and l.xid <= (select xid from settled)
    and l.created_at >= ${since}::timestamptz order by l.xid fetch first ${most} rows with ties`;
  const { rows } = await sql<Row>`
    with settled as materialized (
      select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8 as xid
    ),
    ${slicesOf(range, watched)},
    ends as materialized (
      select s.xid as settled_xid, least(
        s.xid::text::bigint, ${lastOf("moves", most)}, ${lastOf("decisions", most)}, ${lastOf("lines", most)}
      )::text::xid8 as up_to from settled s
    ),
    changes as (${changesIn(watched)})
    select e.up_to, e.settled_xid, clock() as now, c.* from ends e left join changes c on c.xid <= e.up_to
    order by c.xid, c.log, c.id, c.ordinal`.execute(ctx.db);
  const [first] = rows;
  if (!first) throw new Error("a snapshot without a row");
  const upTo = BigInt(first.up_to);
  return {
    changes: rows.flatMap((row) => (row.xid === null ? [] : [presentChange(row as Row & Found)])),
    upTo,
    ms: Date.parse(first.now),
    has_more: upTo < BigInt(first.settled_xid),
  };
}

/** Of each log the next rows, whosever they are. */
function slicesOf(range: RawBuilder<unknown>, { log_run_ids }: Watched): RawBuilder<unknown> {
  return sql`
    moves as materialized (
      select l.xid, l.project_id, l.run_id, l.ordinal, l.from_status, l.to_status, l.cause, l.attempt, l.created_at
      from run_transitions l where ${range}
    ),
    decisions as materialized (
      select l.xid, l.project_id, l.workflow_run_id, l.ordinal, l.step_ref, l.decision_type, l.created_at
      from workflow_decisions l where ${range}
    ),
    lines as materialized (select l.* from run_logs l where ${log_run_ids.length > 0}::boolean and ${range})`;
}

/** Of those the rows that somebody watches, with what is to be known of their run. */
function changesIn({ project_ids, log_run_ids }: Watched): RawBuilder<unknown> {
  return sql`
    select m.xid, 0 as log, m.run_id as id, m.ordinal, m.project_id, m.run_id as object_id, m.created_at,
      r.environment_id, r.tags, jsonb_build_object(
        'job_id', r.job_id, 'workflow_run_id', r.workflow_run_id, 'step_ref', r.step_ref,
        'status', m.to_status, 'from_status', m.from_status, 'cause', m.cause, 'attempt', m.attempt
      ) as data
    from moves m, lateral (
      select * from runs r where r.project_id = m.project_id and r.id = m.run_id offset 0
    ) r
    where m.project_id = any(${project_ids}::uuid[])
    union all
    select d.xid, 1, d.workflow_run_id, d.ordinal, d.project_id, d.workflow_run_id, d.created_at,
      w.environment_id, w.tags, jsonb_build_object(
        'workflow_id', w.workflow_id, 'version', w.version, 'status', w.status, 'phase', w.phase,
        'step_ref', d.step_ref, 'decision_type', d.decision_type)
    from decisions d, lateral (
      select * from workflow_runs w where w.project_id = d.project_id and w.id = d.workflow_run_id offset 0
    ) w
    where d.project_id = any(${project_ids}::uuid[])
    union all
    select g.xid, 2, g.id, 0, g.project_id, g.run_id, g.created_at, null, null, jsonb_build_object(
        'id', g.id, 'attempt', g.attempt, 'level', g.level, 'message', g.message, 'fields', g.fields,
        'logged_at', to_char(g.logged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from lines g
    where g.project_id = any(${project_ids}::uuid[]) and g.run_id = any(${log_run_ids}::uuid[])`;
}

/** No transaction lasts a day, so none that is still to be seen took its time longer ago. Spares old partitions. */
const MOST_LATE_MS = 86_400_000;

type Found = {
  xid: string;
  log: number;
  id: string;
  ordinal: number;
  project_id: string;
  object_id: string;
  created_at: string;
  environment_id: string;
  tags: Record<string, string>;
  data: Record<string, unknown>;
};
type Row = { up_to: string; settled_xid: string; now: string } & (Found | { xid: null });

const KINDS = ["run", "workflow_run", "run_log"] as const;

/** Of a slice that was cut its last transaction; a whole one says nothing. */
function lastOf(name: "moves" | "decisions" | "lines", most: number) {
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
