import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { AMOUNTS, type Entry, type EntryKey, keyOf } from "./cost-entries.ts";
import { addEntries } from "./costs-write.ts";
import type { CostDay } from "./recount-cost-day.ts";

const FIGURES = [...AMOUNTS, "longest_ms"] as const;

/** The tags of a run may have changed since it was booked: the booked rows stay. */
const NOT_JUDGED = "tag";

/** Makes a day match the recount. Returns the number of rows that differed. */
export async function setCostDay(tx: Ctx & InTransaction, day: CostDay, found: readonly Entry[]): Promise<number> {
  const stored = await readDay(tx, day);
  // Beyond a thousand names per day, their order of arrival decided which are summed separately.
  const folded = new Set([NOT_JUDGED, ...stored.filter(({ part }) => part === "other").map(({ kind }) => kind)]);
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
