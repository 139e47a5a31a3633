import { readRunSums } from "../../../flow/budget/run-sums.ts";
import { SUMS_CONSUMER } from "../../../platform/changelog/consume-changes.ts";
import { unread } from "../../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { countRepairs } from "../../../platform/repairs.ts";
import { noneIfUnread, refuseUnread, removedSince } from "../reports/refuse-unread.ts";
import {
  AMOUNTS,
  addDispatches,
  addReports,
  type Entry,
  type EntryKey,
  entriesOf,
  keyOf,
  newCosts,
} from "./cost-entries.ts";
import { COSTS_KEPT } from "./costs-period.ts";
import { sumReports } from "./costs-reports.ts";
import { addEntries } from "./costs-write.ts";

const DAY_MS = 86_400_000;

/**
 * A safety net for the cost rollups: recounts one day of one project from the logs, and repairs differences in its
 * minutes, hours and day. Each pass picks another day at random. Every difference is counted, and there should be none.
 */
export async function reconcileCosts(ctx: Ctx, checked?: CostDay): Promise<boolean> {
  const chosen = checked ?? (await drawDay(ctx));
  if (!chosen) return false;
  const repaired = await inTransaction(ctx, async (tx) => {
    const position = await holdCursor(tx);
    if (position === undefined) return 0;
    const found = await recountCostDay(tx, chosen);
    await refuseUnread(tx, unreadOf(chosen, position));
    return found ? setCostDay(tx, chosen, found) : 0;
  }).catch(noneIfUnread);
  if (repaired > 0) {
    await countRepairs(ctx, { cost_rollup: repaired });
    ctx.log.warn({ ...chosen, repaired }, "cost rollups differed from a recount and were repaired");
  }
  return false;
}

/** The time of a random transition in the last days picks the day, so busy projects are checked more often. */
async function drawDay(ctx: Ctx): Promise<CostDay | undefined> {
  const from_ms = ctx.watch.nowMs() - Math.random() * (COSTS_KEPT.minutes_days - 2) * DAY_MS;
  const [from, to] = [new Date(from_ms).toISOString(), new Date(from_ms + DAY_MS / 24).toISOString()];
  const { rows } = await sql<{ project_id: string; created_at: string }>`
    select t.project_id, t.created_at from run_history t
    where t.project_id is not null and t.created_at >= ${from}::timestamptz and t.created_at < ${to}::timestamptz
      and t.from_status = 'running'
    limit 1`.execute(ctx.db);
  const [move] = rows;
  return move && { project_id: move.project_id, day: move.created_at.slice(0, 10) };
}

/** The consumer pauses while its cursor is locked, so the rollups contain exactly what it has read. */
async function holdCursor(tx: Ctx & InTransaction): Promise<number | undefined> {
  const { rows } = await sql<{ position: number }>`
    select position from log_cursors where consumer = ${SUMS_CONSUMER} for update`.execute(tx.db);
  return rows[0]?.position;
}

function unreadOf({ project_id, day }: CostDay, position: number): Sql {
  const isOfDay = sql`u.project_id = ${project_id} and u.created_at >= ${startOf(day)} and u.created_at < ${endOf(day)}`;
  return sql`
    select 1 from ${unread("run", position)} where ${isOfDay}
    union all
    select 1 from ${unread("run_usage", position)} where ${isOfDay}
    union all ${removedSince(project_id, startOf(day))}`;
}

const FIGURES = [...AMOUNTS, "longest_ms"] as const;

/** The tags of a run may have changed since its cost was recorded: the recorded rows stay. */
const NOT_COMPARED = "tag";

/** Makes a day match the recount. Returns the number of rows that differed. */
async function setCostDay(tx: Ctx & InTransaction, day: CostDay, found: readonly Entry[]): Promise<number> {
  const stored = await readDay(tx, day);
  // Beyond a thousand names per day, their order of arrival decided which are summed separately.
  const folded = new Set([NOT_COMPARED, ...stored.filter(({ part }) => part === "other").map(({ kind }) => kind)]);
  const there = new Map(stored.filter(({ kind }) => !folded.has(kind)).map((entry) => [keyOf(entry), entry]));
  const missing: Entry[] = [];
  for (const entry of found.filter(({ kind }) => !folded.has(kind))) {
    const same = there.get(keyOf(entry));
    if (!same || FIGURES.some((name) => same[name] !== entry[name])) missing.push(entry);
    else there.delete(keyOf(entry));
  }
  const wrong = [...there.values()];
  if (wrong.length > 0) await remove(tx, wrong);
  if (missing.length > 0) await addEntries(tx, missing);
  return new Set([...wrong, ...missing].map(keyOf)).size;
}

async function readDay(tx: Ctx & InTransaction, { project_id, day }: CostDay): Promise<Entry[]> {
  const start = sql`(${day}::timestamp at time zone 'UTC')`;
  const { rows } = await sql<Entry>`
    select c.* from unnest(${KINDS}::text[]) as k(kind) cross join unnest(${["1m", "1h", "1d"]}::text[]) as g(grain)
    cross join lateral (
      select c.project_id, c.kind, c.grain, extract(epoch from c.starts_at)::bigint as at_s, c.environment_id, c.job_id, c.part,
        c.name, c.value, ${sql.join(FIGURES.map((name) => sql.ref(`c.${name}`)))}
      from cost_rollups c
      where c.project_id = ${project_id} and c.kind = k.kind and c.grain = g.grain and c.starts_at >= ${start}
        and c.starts_at < ${start} + interval '1 day' offset 0
    ) c`.execute(tx.db);
  return rows;
}

const KINDS = ["job", "concurrency_key", "created_by", "workflow", "schedule", "model"];

async function remove(tx: Ctx & InTransaction, entries: readonly EntryKey[]): Promise<void> {
  await sql`
    delete from cost_rollups c using json_to_recordset(${JSON.stringify(entries)}::json) as g(
      project_id uuid, kind text, grain text, at_s bigint, environment_id uuid, job_id uuid, part text, name text, value text)
    where c.project_id = g.project_id and c.kind = g.kind and c.grain = g.grain and c.starts_at = to_timestamp(g.at_s)
      and c.environment_id = g.environment_id and c.job_id = g.job_id and c.part = g.part and c.name = g.name
      and c.value = g.value`.execute(tx.db);
}

/** A UTC day, as its date. */
type CostDay = { project_id: string; day: string };

/** Transitions or reports recounted per pass; a day with more is skipped. */
const MAX_TRANSITIONS = 50_000;

/** A dispatch lasts a day at most, so every dispatch that kept this day busy has ended by then. */
const MAX_HOURS = 25;

/**
 * All rows that a day of a project should have, from the history of its runs. Undefined: unknown, because there are too
 * many, or a run was removed since.
 */
async function recountCostDay(tx: Ctx & InTransaction, { project_id, day }: CostDay): Promise<Entry[] | undefined> {
  const ended = sql`(
    select l.* from run_history l
    where l.project_id = ${project_id} and l.created_at >= ${startOf(day)} and l.created_at < ${endOf(day)}
      and l.from_status = 'running'
  ) l`;
  const used = sql`(
    select l.* from run_usage l
    where l.project_id = ${project_id} and l.created_at >= ${startOf(day)}
      and l.created_at < ${startOf(day)} + interval '1 day'
  ) l`;
  if (!(await isCountable(tx, ended)) || !(await isCountable(tx, used))) return undefined;
  const costs = newCosts();
  addDispatches(costs, await readRunSums(tx, ended), tx.watch.nowMs());
  addReports(costs, await sumReports(tx, used));
  const from_s = Date.parse(`${day}T00:00:00Z`) / 1_000;
  return entriesOf(costs).filter(({ at_s }) => at_s >= from_s && at_s < from_s + 86_400);
}

function startOf(day: string): Sql {
  return sql`(${day}::timestamp at time zone 'UTC')`;
}

/** When every dispatch that kept the day busy has ended. */
function endOf(day: string): Sql {
  return sql`(${startOf(day)} + interval '1 day' + ${MAX_HOURS} * interval '1 hour')`;
}

async function isCountable(tx: Ctx & InTransaction, log: Sql): Promise<boolean> {
  const { rows } = await sql<{ count: number; gone: number }>`
    select count(*)::int as count, count(*) filter (where not exists (
      select 1 from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0))::int as gone
    from (select l.project_id, l.run_id from ${log} limit ${MAX_TRANSITIONS + 1}) l`.execute(tx.db);
  return rows[0] !== undefined && rows[0].count <= MAX_TRANSITIONS && rows[0].gone === 0;
}
