import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { AMOUNTS, addAmounts, type Costs, type Entry, entriesOf } from "./cost-entries.ts";

/** Names of one kind that are summed separately per project and day. Further names are summed as `other`. */
const MAX_GROUPS = 1_000;

/** Kinds whose names are chosen by the caller: there may be as many as runs. */
const OPEN_ENDED: ReadonlySet<string> = new Set(["tag", "concurrency_key", "created_by", "model"]);

/** Rows per statement. The event loop runs between statements. */
const PAGE = 2_000;

/** Adds the collected amounts to the rollups, in the order of the keys. */
export async function writeCosts(tx: Ctx & InTransaction, costs: Costs): Promise<void> {
  await addEntries(tx, await foldNewest(tx, entriesOf(costs)));
}

/** Adds rows as they are. */
export async function addEntries(tx: Ctx & InTransaction, entries: readonly Entry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += PAGE) await addPage(tx, entries.slice(at, at + PAGE));
}

async function addPage(tx: Ctx & InTransaction, entries: readonly Entry[]): Promise<void> {
  const of = columnsOf(entries);
  await sql`
    /* prepared */
    insert into cost_rollups as c (project_id, kind, grain, starts_at, environment_id, job_id, part, name, value,
      longest_ms, ${sql.join(AMOUNTS.map((name) => sql.ref(name)))})
    select g.project_id, g.kind, g.grain, to_timestamp(g.at_s), g.environment_id, g.job_id, g.part, g.name, g.value,
      g.longest_ms, ${sql.join(AMOUNTS.map((name) => sql.ref(`g.${name}`)))}
    from unnest(${of.text("project_id")}::uuid[], ${of.text("kind")}::text[], ${of.text("grain")}::text[],
      ${of.number("at_s")}::bigint[], ${of.text("environment_id")}::uuid[], ${of.text("job_id")}::uuid[],
      ${of.text("part")}::text[], ${of.text("name")}::text[], ${of.text("value")}::text[], ${of.number("longest_ms")}::bigint[],
      ${sql.join(AMOUNTS.map((name) => sql`${of.number(name)}::bigint[]`))})
      as g(project_id, kind, grain, at_s, environment_id, job_id, part, name, value, longest_ms,
        ${sql.join(AMOUNTS.map((name) => sql.ref(name)))})
    order by g.project_id, g.kind, g.grain, g.at_s, g.environment_id, g.job_id, g.part, g.name, g.value
    on conflict (project_id, kind, grain, starts_at, environment_id, job_id, part, name, value) do update set
      longest_ms = greatest(c.longest_ms, excluded.longest_ms),
      ${sql.join(AMOUNTS.map((name) => sql`${sql.ref(name)} = ${added(name)}`))}`.execute(tx.db);
}

/** Numbers are joined into text here: the driver would escape a list element by element. */
function columnsOf(entries: readonly Entry[]) {
  type Names<T> = { [K in keyof Entry]: Entry[K] extends T ? K : never }[keyof Entry];
  return {
    text: (name: Names<string>) => entries.map((entry) => entry[name]),
    number: (name: Names<number>) => `{${entries.map((entry) => entry[name]).join(",")}}`,
  };
}

/** Capped at the largest exact number: a larger sum would be rounded. */
function added(column: string) {
  return sql`least(${sql.ref(`c.${column}`)} + ${sql.ref(`excluded.${column}`)}, ${sql.lit(Number.MAX_SAFE_INTEGER)})`;
}

/** New names are summed separately until their day has reached the limit. */
async function foldNewest(tx: Ctx & InTransaction, entries: Entry[]): Promise<Entry[]> {
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

function dayOf({ project_id, kind, at_s }: Entry): string {
  return `${project_id} ${kind} ${at_s}`;
}

async function listUnknown(tx: Ctx & InTransaction, entries: readonly Entry[]): Promise<Entry[]> {
  if (entries.length === 0) return [];
  const given = entries.map(({ project_id, kind, grain, at_s, environment_id, job_id, name, value }, nth) => ({
    ...{ nth, project_id, kind, grain, at_s, environment_id, job_id, name, value },
  }));
  const { rows } = await sql<{ nth: number }>`
    /* prepared */
    select g.nth from json_to_recordset(${JSON.stringify(given)}::json) as g(
      nth int, project_id uuid, kind text, grain text, at_s bigint, environment_id uuid, job_id uuid,
      name text, value text)
    where not exists (
      select 1 from cost_rollups c
      where c.project_id = g.project_id and c.kind = g.kind and c.grain = g.grain and c.starts_at = to_timestamp(g.at_s)
        and c.environment_id = g.environment_id and c.job_id = g.job_id and c.part = 'named' and c.name = g.name
        and c.value = g.value offset 0)
    order by g.nth`.execute(tx.db);
  return rows.flatMap(({ nth }) => entries[nth] ?? []);
}

async function readRoom(tx: Ctx & InTransaction, unknown: readonly Entry[]): Promise<Map<string, number>> {
  const days = [...new Map(unknown.map((entry) => [dayOf(entry), entry])).entries()];
  const given = days.map(([, { project_id, kind, at_s }], nth) => ({ nth, project_id, kind, at_s }));
  const { rows } = await sql<{ nth: number; room: number }>`
    /* prepared */
    select g.nth, ${MAX_GROUPS}::int - n.count as room
    from json_to_recordset(${JSON.stringify(given)}::json) as g(nth int, project_id uuid, kind text, at_s bigint)
    cross join lateral (
      select count(*)::int as count from (
        select 1 from cost_rollups c
        where c.project_id = g.project_id and c.kind = g.kind and c.grain = '1d' and c.starts_at = to_timestamp(g.at_s)
        limit ${MAX_GROUPS}::int
      ) few
    ) n`.execute(tx.db);
  return new Map(rows.map(({ nth, room }) => [days[nth]?.[0] ?? "", room]));
}

function summedUp(entries: readonly Entry[]): Entry[] {
  const sums = new Map<string, Entry>();
  for (const entry of entries) {
    const key = `${dayOf(entry)} ${entry.environment_id} ${entry.job_id}`;
    const sum = sums.get(key);
    if (sum) addAmounts(sum, entry);
    else sums.set(key, { ...entry, part: "other", name: "", value: "" });
  }
  return [...sums.values()];
}
