import { SUMS_CONSUMER } from "../../../platform/changelog/consume-changes.ts";
import { unread } from "../../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { countRepairs } from "../../../platform/repairs.ts";
import { noneIfUnread, refuseUnread, removedSince } from "../reports/refuse-unread.ts";
import { GRAINS, MINUTES_KEPT_DAYS, type Series, SPLITS } from "../reports/series.ts";
import { addRows } from "./add-rollups.ts";
import { type CheckedMinute, reconcileRunMinute, reconcileWorkflowMinute } from "./reconcile-run-minute.ts";
import { addEncoded } from "./sketch.ts";
import { addBucket, bucketOf, isNothing, type RollupKey, rollupOf, rowsOf, type Tallies } from "./tallies.ts";

const MINUTE_MS = 60_000;

type Checked = { project_id: string; minute: string };

/**
 * A log to recount, its consumer, and the series whose hours and days are checked along with a minute of it, with their
 * writers.
 */
type Check = {
  log: Sql;
  writer: string;
  recount: (tx: Ctx & InTransaction, checked: CheckedMinute) => Promise<number>;
  /** The changes of the minute that the consumer has not counted yet, or that can no longer be recounted. */
  unreadIn: (checked: CheckedMinute, position: number) => Sql;
  sums: readonly [Series, string][];
};

const CHECKS: readonly Check[] = [
  {
    // Without claims: no index finds them by time, and a minute with a claim alone has nothing to count.
    log: sql`(select * from run_history where project_id is not null and to_status <> 'running')`,
    ...{ writer: SUMS_CONSUMER, recount: reconcileRunMinute },
    unreadIn: ({ project_id, from, to }, position) => sql`
      select 1 from ${unread("run", position)}
      where u.project_id = ${project_id} and u.created_at >= ${from}::timestamptz and u.created_at < ${to}::timestamptz
      union all ${removedSince(project_id, sql`${from}::timestamptz`)}`,
    sums: [
      ["runs", SUMS_CONSUMER],
      ["errors", SUMS_CONSUMER],
      ["events", "recount-events"],
      ["webhooks", "recount-webhooks"],
    ],
  },
  {
    ...{ log: sql`workflow_decisions`, writer: SUMS_CONSUMER, recount: reconcileWorkflowMinute },
    // The first decision counts at the time its run was created.
    unreadIn: ({ project_id, from, to }, position) => sql`
      select 1 from ${unread("workflow_run", position)} cross join lateral unnest(u.ids, u.ordinals) as m(id, ordinal)
      where u.project_id = ${project_id} and (
        u.created_at >= ${from}::timestamptz and u.created_at < ${to}::timestamptz or m.ordinal = 1 and exists (
          select 1 from workflow_runs w where w.project_id = ${project_id} and w.id = m.id
            and w.created_at >= ${from}::timestamptz and w.created_at < ${to}::timestamptz offset 0))`,
    sums: [["workflows", SUMS_CONSUMER]],
  },
];

/**
 * A safety net for the rollups: recounts one minute of one project from each log, and repairs differences up to the
 * day it belongs to. Then it checks for every series that the hour is the sum of its minutes, and the day the sum of
 * its hours. Each pass picks another minute at random. Every difference is counted, and there should be none.
 */
export async function reconcileRollups(ctx: Ctx, checked?: Checked): Promise<boolean> {
  for (const check of CHECKS) {
    const chosen = checked ?? (await drawMinute(ctx, check.log));
    if (chosen) await reconcileMinute(ctx, check, chosen);
  }
  return false;
}

async function reconcileMinute(ctx: Ctx, { writer, recount, unreadIn, sums }: Check, checked: Checked): Promise<void> {
  const { project_id, minute: from } = checked;
  const to = minutesLater(from, 1);
  let repaired = await hold(ctx, writer, async (tx, position) => {
    const found = await recount(tx, { project_id, from, to });
    await refuseUnread(tx, unreadIn({ project_id, from, to }, position));
    return found;
  });
  for (const [series, of] of sums) repaired += await hold(ctx, of, (tx) => reconcileSums(tx, { ...checked, series }));
  if (repaired === 0) return;
  await countRepairs(ctx, { rollup: repaired });
  ctx.log.warn({ ...checked, repaired }, "rollups differed from a recount and were repaired");
}

/** A random row of the last days picks the minute, so busy projects are checked more often. */
async function drawMinute(ctx: Ctx, log: Sql): Promise<Checked | undefined> {
  const ago_ms = Math.random() * (MINUTES_KEPT_DAYS - 2) * 86_400_000;
  const from = new Date(Math.floor((ctx.watch.nowMs() - ago_ms) / MINUTE_MS) * MINUTE_MS).toISOString();
  const { rows } = await sql<Checked>`
    select t.project_id, date_trunc('minute', t.created_at) as minute from ${log} t
    where t.project_id is not null and t.created_at >= ${from} and t.created_at < ${minutesLater(from, 10)}
    limit 1`.execute(ctx.db);
  return rows[0];
}

/** The writer pauses while its cursor is locked, so the rollups contain exactly what it has read. */
function hold(
  ctx: Ctx,
  writer: string,
  repair: (tx: Ctx & InTransaction, position: number) => Promise<number>,
): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const { rows } = await sql<{ position: number }>`
      select position from log_cursors where consumer = ${writer} for update`.execute(tx.db);
    return rows[0] ? repair(tx, rows[0].position) : 0;
  }).catch(noneIfUnread);
}

function minutesLater(time: string, minutes: number): string {
  return new Date(Date.parse(time) + minutes * MINUTE_MS).toISOString();
}

type CheckedSums = { project_id: string; series: Series; minute: string };
type Stored = RollupKey & { grain: number; counts: number[]; sketch: Buffer | null };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * With the cursor of the series' writer locked, checks that the hour of a minute is the sum of its minutes, and its day
 * the sum of its hours. Returns the number of rows that differed.
 */
async function reconcileSums(tx: Ctx & InTransaction, { minute, ...of }: CheckedSums): Promise<number> {
  const at_ms = Date.parse(minute);
  const hour = { from_ms: Math.floor(at_ms / HOUR_MS) * HOUR_MS, length_ms: HOUR_MS };
  const day = { from_ms: Math.floor(at_ms / DAY_MS) * DAY_MS, length_ms: DAY_MS };
  const hours = await setSums(tx, of, { ...hour, fine: GRAINS.minute, coarse: GRAINS.hour });
  return hours + (await setSums(tx, of, { ...day, fine: GRAINS.hour, coarse: GRAINS.day }));
}

type Of = Omit<CheckedSums, "minute">;
type Span = { from_ms: number; length_ms: number; fine: number; coarse: number };

async function setSums(tx: Ctx & InTransaction, of: Of, span: Span): Promise<number> {
  const { fine, coarse, from_ms } = span;
  const differences: Tallies = new Map();
  for (const row of await readSpan(tx, of, span)) {
    const sketch = row.sketch ? addEncoded(new Map(), row.sketch) : undefined;
    const sum = bucketOf(rollupOf(differences, row), coarse, from_ms / 1_000);
    addBucket(sum, { counts: row.counts, sketch }, row.grain === fine ? 1 : -1);
  }
  const wrong = [...rowsOf(differences.values())].filter((row) => !isNothing(row));
  await addRows(tx, wrong);
  return wrong.length;
}

async function readSpan(
  tx: Ctx & InTransaction,
  { project_id, series }: Of,
  { fine, coarse, from_ms, length_ms }: Span,
): Promise<Stored[]> {
  const [from, to] = [new Date(from_ms).toISOString(), new Date(from_ms + length_ms).toISOString()];
  const { rows } = await sql<Stored>`
    select r.* from unnest(${[...SPLITS[series]]}::text[]) as s(split)
    cross join unnest(${[fine, coarse]}::int[]) as g(grain)
    cross join lateral (
      select r.project_id, r.series, r.split, r.grain, r.subject_id, r.environment_id, r.part,
        array_to_json(r.counts) as counts, r.sketch
      from rollups r
      where r.project_id = ${project_id} and r.series = ${series} and r.split = s.split and r.grain = g.grain
        and r.bucket_at >= ${from} and r.bucket_at < ${to} offset 0
    ) r`.execute(tx.db);
  return rows;
}
