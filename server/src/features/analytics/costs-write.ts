import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { addAmounts, type Book, type Entry } from "./costs-book.ts";

/** Rows of one kind that a project keeps apart on a day. What comes beyond them is summed up as `other`. */
const MOST_GROUPS = 1_000;

/** Whose names are given by whoever triggers: there may be as many as runs. */
const OPEN_ENDED: ReadonlySet<string> = new Set(["tag", "concurrency_key", "created_by", "model"]);

/** Adds a book to the roll-ups, in the order of the keys. */
export async function writeBook(tx: Ctx & InTransaction, book: Book): Promise<void> {
  const entries = await foldNewest(tx, book);
  if (entries.length === 0) return;
  await sql`
    /* kept */
    insert into cost_rollups as c (project_id, kind, grain, starts_at, environment_id, job_id, part, name, value,
      reported_microusd, compute_microusd, wall_ms, longest_ms, dispatch_reported_microusd, busy_ms, dispatches, reports,
      input_tokens, output_tokens)
    select g.* from json_to_recordset(${JSON.stringify(entries)}::json) as g(
      project_id uuid, kind text, grain text, starts_at timestamptz(3), environment_id uuid, job_id uuid, part text,
      name text, value text, reported_microusd bigint, compute_microusd bigint, wall_ms bigint, longest_ms bigint,
      dispatch_reported_microusd bigint, busy_ms bigint, dispatches bigint, reports bigint, input_tokens bigint,
      output_tokens bigint)
    order by g.project_id, g.kind, g.grain, g.starts_at, g.environment_id, g.job_id, g.part, g.name, g.value
    on conflict (project_id, kind, grain, starts_at, environment_id, job_id, part, name, value) do update set
      reported_microusd = ${added("reported_microusd")}, compute_microusd = ${added("compute_microusd")},
      wall_ms = ${added("wall_ms")}, longest_ms = greatest(c.longest_ms, excluded.longest_ms),
      dispatch_reported_microusd = ${added("dispatch_reported_microusd")}, busy_ms = ${added("busy_ms")},
      dispatches = ${added("dispatches")}, reports = ${added("reports")},
      input_tokens = ${added("input_tokens")}, output_tokens = ${added("output_tokens")}`.execute(tx.db);
}

/** The largest number that is kept exactly: beyond it a sum would be rounded. */
function added(column: string) {
  return sql`least(${sql.ref(`c.${column}`)} + ${sql.ref(`excluded.${column}`)}, ${sql.lit(Number.MAX_SAFE_INTEGER)})`;
}

/** New names are kept apart while there is room on their day. */
async function foldNewest(tx: Ctx & InTransaction, book: Book): Promise<Entry[]> {
  const entries = [...book.values()];
  const open = entries.filter(({ kind, part }) => part === "named" && OPEN_ENDED.has(kind));
  const unknown = await listUnknown(tx, open);
  if (unknown.length === 0) return entries;
  const room = await readRoom(tx, unknown);
  const folded = new Map<Entry, string>();
  for (const entry of unknown) {
    const day = dayOf(entry);
    const left = room.get(day) ?? 0;
    if (left > 0) room.set(day, left - 1);
    else folded.set(entry, day);
  }
  return [...entries.filter((entry) => !folded.has(entry)), ...summedUp([...folded.keys()])];
}

function dayOf({ project_id, kind, starts_at }: Entry): string {
  return JSON.stringify([project_id, kind, starts_at]);
}

async function listUnknown(tx: Ctx & InTransaction, entries: readonly Entry[]): Promise<Entry[]> {
  if (entries.length === 0) return [];
  const given = entries.map(({ project_id, kind, grain, starts_at, environment_id, job_id, name, value }, nth) => ({
    ...{ nth, project_id, kind, grain, starts_at, environment_id, job_id, name, value },
  }));
  const { rows } = await sql<{ nth: number }>`
    /* kept */
    select g.nth from json_to_recordset(${JSON.stringify(given)}::json) as g(
      nth int, project_id uuid, kind text, grain text, starts_at timestamptz(3), environment_id uuid, job_id uuid,
      name text, value text)
    where not exists (
      select 1 from cost_rollups c
      where c.project_id = g.project_id and c.kind = g.kind and c.grain = g.grain and c.starts_at = g.starts_at
        and c.environment_id = g.environment_id and c.job_id = g.job_id and c.part = 'named' and c.name = g.name
        and c.value = g.value offset 0)
    order by g.nth`.execute(tx.db);
  return rows.flatMap(({ nth }) => entries[nth] ?? []);
}

async function readRoom(tx: Ctx & InTransaction, unknown: readonly Entry[]): Promise<Map<string, number>> {
  const days = [...new Map(unknown.map((entry) => [dayOf(entry), entry])).entries()];
  const given = days.map(([, { project_id, kind, starts_at }], nth) => ({ nth, project_id, kind, starts_at }));
  const { rows } = await sql<{ nth: number; room: number }>`
    /* kept */
    select g.nth, ${MOST_GROUPS}::int - n.count as room
    from json_to_recordset(${JSON.stringify(given)}::json) as g(nth int, project_id uuid, kind text, starts_at timestamptz(3))
    cross join lateral (
      select count(*)::int as count from (
        select 1 from cost_rollups c
        where c.project_id = g.project_id and c.kind = g.kind and c.grain = '1d' and c.starts_at = g.starts_at
        limit ${MOST_GROUPS}::int
      ) few
    ) n`.execute(tx.db);
  return new Map(rows.map(({ nth, room }) => [days[nth]?.[0] ?? "", room]));
}

function summedUp(entries: readonly Entry[]): Entry[] {
  const sums = new Map<string, Entry>();
  for (const entry of entries) {
    const key = JSON.stringify([dayOf(entry), entry.environment_id, entry.job_id]);
    const sum = sums.get(key);
    if (sum) addAmounts(sum, entry);
    else sums.set(key, { ...entry, part: "other", name: "", value: "" });
  }
  return [...sums.values()];
}
