import { ENDS } from "../../../flow/budget/run-sums.ts";
import { hasEnded } from "../../../flow/runs/states.ts";
import { isWithin, type LogRange } from "../../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { newId } from "../../../platform/ids.ts";
import { bloomFiltersOf } from "./bloom-filters.ts";
import { type Described, describeRuns } from "./describe-runs.ts";

/**
 * Indexes the runs that ended in a range of the changelog, so that they can be searched by their data. The index lags; a
 * search reads newer changes itself.
 */
export async function indexRuns(tx: Ctx & InTransaction, range: LogRange): Promise<void> {
  const { groups, living } = await readChanged(tx, range);
  if (living.length > 0) await listLiving(tx, living);
  if (groups.length === 0) return;
  const left: EndedRun[] = [];
  for (const { run_ids, ...group } of groups) {
    const whole = run_ids.length - (run_ids.length % RUNS_PER_BLOCK);
    for (let at = 0; at < whole; at += RUNS_PER_BLOCK)
      await indexBlock(tx, { ...group, run_ids: run_ids.slice(at, at + RUNS_PER_BLOCK) });
    left.push(...run_ids.slice(whole).map((run_id) => ({ ...group, run_id })));
  }
  await listEnded(tx, left);
  for (const group of await findFullGroups(tx, groups)) await indexBlock(tx, group);
}

type EndedGroup = { project_id: string; ended_status: string; run_ids: string[] };
type Living = { project_id: string; run_id: string };

/**
 * The runs that ended in the range, by project and status, oldest first, and those that changed but did not end. Rows
 * are read whole, because unnesting them costs the database ten times as much.
 */
async function readChanged(
  tx: Ctx & InTransaction,
  range: LogRange,
): Promise<{ groups: EndedGroup[]; living: Living[] }> {
  const rows = await readRows(tx, range);
  const ended = new Set<string>();
  const byProject = new Map<string, Map<string, string[]>>();
  for (const { project_id, ids, to_statuses } of rows) {
    const byStatus = byProject.get(project_id) ?? new Map<string, string[]>();
    byProject.set(project_id, byStatus);
    to_statuses?.forEach((ended_status, index) => {
      if (!hasEnded(ended_status)) return;
      const run_id = ids[index] ?? "";
      ended.add(run_id);
      const run_ids = byStatus.get(ended_status);
      if (run_ids) run_ids.push(run_id);
      else byStatus.set(ended_status, [run_id]);
    });
  }
  const living = new Map<string, string>();
  for (const { project_id, ids } of rows) {
    for (const run_id of ids) if (!ended.has(run_id)) living.set(run_id, project_id);
  }
  const groups = [...byProject].flatMap(([project_id, byStatus]) =>
    [...byStatus].map(([ended_status, run_ids]) => ({ project_id, ended_status, run_ids: run_ids.sort() })),
  );
  return { groups, living: [...living].map(([run_id, project_id]) => ({ project_id, run_id })) };
}

type Row = { project_id: string; ids: string[]; to_statuses: string[] | null };

/** Of creations, only the ids: none of them is an end. */
async function readRows(tx: Ctx & InTransaction, range: LogRange): Promise<Row[]> {
  const { rows } = await sql<Row>`
    /* prepared */
    select c.project_id, c.ids, case when not c.is_uniform or c.wall_ms is not null then c.to_statuses end as to_statuses
    from changelog c where ${isWithin(range)} and c.kind = 'run'`.execute(tx.db);
  return rows;
}

/**
 * Lists runs that are still live, with their current status. A run that has ended since need not be listed: its end lies
 * after the new cursor, where a search finds it.
 */
async function listLiving(tx: Ctx & InTransaction, living: Living[]): Promise<void> {
  const list = (read: (each: Living) => string) => `{${living.map(read).join(",")}}`;
  const [project_ids, run_ids] = [list(({ project_id }) => project_id), list(({ run_id }) => run_id)];
  await sql`
    /* prepared */
    insert into unindexed_runs (project_id, run_id, living_status)
    select s.project_id, s.run_id, r.status
    from unnest(${project_ids}::uuid[], ${run_ids}::uuid[]) as s(project_id, run_id) cross join lateral (
      select r.status from runs r where r.project_id = s.project_id and r.id = s.run_id offset 0
    ) r
    where r.status not in ${ENDS}
    on conflict (project_id, run_id) do update set living_status = excluded.living_status, terms = null
    where excluded.living_status is distinct from unindexed_runs.living_status or unindexed_runs.terms is not null`.execute(
    tx.db,
  );
}

/** Lists the ended runs that do not fill a block yet. */
async function listEnded(tx: Ctx & InTransaction, ended: EndedRun[]): Promise<void> {
  await sql`
    insert into unindexed_runs (project_id, run_id, ended_status, living_status)
    select s.project_id, s.run_id, s.ended_status, s.ended_status
    from json_to_recordset(${JSON.stringify(ended)}::json) as s(project_id uuid, run_id uuid, ended_status text)
    on conflict (project_id, run_id) do update
    set ended_status = excluded.ended_status, living_status = excluded.living_status, terms = null`.execute(tx.db);
}

/** Returns the grown groups that now fill a block, each with its oldest runs. */
async function findFullGroups(tx: Ctx & InTransaction, groups: EndedGroup[]): Promise<EndedGroup[]> {
  const grown = groups.map(({ project_id, ended_status }) => ({ project_id, ended_status }));
  const { rows } = await sql<EndedGroup>`
    select g.project_id, g.ended_status, u.run_ids
    from json_to_recordset(${JSON.stringify(grown)}::json) as g(project_id uuid, ended_status text)
    cross join lateral (
      select array_agg(u.run_id order by u.run_id) as run_ids from (
        select u.run_id from unindexed_runs u
        where u.project_id = g.project_id and u.ended_status = g.ended_status
        order by u.run_id limit ${RUNS_PER_BLOCK}
      ) u
    ) u
    where cardinality(u.run_ids) = ${RUNS_PER_BLOCK}`.execute(tx.db);
  return rows;
}

const RUNS_PER_BLOCK = 128;

type EndedRun = { project_id: string; run_id: string; ended_status: string };

/** Indexes at most a block of ended runs of one project and status. Runs deleted since are left out. */
async function indexBlock(tx: Ctx & InTransaction, group: EndedGroup): Promise<void> {
  const { project_id, ended_status, run_ids } = group;
  const indexed = await describeRuns(tx, project_id, run_ids, ended_status);
  if (indexed.length < run_ids.length) await unlist(tx, group);
  indexed.sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  const blocks = [indexed.filter(hasTerms), indexed.filter((each) => !hasTerms(each))];
  for (const runs of blocks) if (runs.length > 0) await moveIntoBlock(tx, group, runs);
}

const hasTerms = ({ terms }: Described) => terms !== null;
const listOf = (items: Iterable<string | number>) => `{${[...items].join(",")}}`;

async function unlist(tx: Ctx & InTransaction, { project_id, run_ids }: EndedGroup): Promise<void> {
  await sql`
    /* prepared */
    delete from unindexed_runs where project_id = ${project_id} and run_id = any(${listOf(run_ids)}::uuid[])`.execute(
    tx.db,
  );
}

async function moveIntoBlock(
  tx: Ctx & InTransaction,
  { project_id, ended_status }: EndedGroup,
  runs: readonly Described[],
): Promise<void> {
  const run_ids = runs.map(({ run_id }) => run_id);
  const terms = runs.flatMap((each) => (each.terms === null ? [] : [each.terms]));
  const isIndexed = terms.length > 0;
  await sql`
    /* prepared */
    with given as materialized (select ${listOf(run_ids)}::uuid[] as run_ids),
    unlisted as (
      delete from unindexed_runs where project_id = ${project_id} and run_id = any(array(select unnest(run_ids) from given))
    )
    insert into run_blocks (project_id, id, status, newest_id, oldest_id, run_ids, terms, bloom_filters, indexed_at)
    select ${project_id}::uuid, ${newId()}::uuid, ${ended_status}, ${run_ids.at(-1)}::uuid, ${run_ids[0]}::uuid, run_ids,
      ${isIndexed ? listOf(unionOf(terms)) : null}::int[], ${isIndexed ? bloomFiltersOf(terms) : null}::bytea, clock()
    from given`.execute(tx.db);
}

/** In loops, without one list of all of them. */
function unionOf(lists: readonly (readonly number[])[]): Set<number> {
  const all = new Set<number>();
  for (const list of lists) for (const term of list) all.add(term);
  return all;
}
