import { sql } from "kysely";
import { consumeChanges } from "../../platform/changelog/consume-changes.ts";
import { type LogRange, runChanges } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import { type EndedRun, indexBlocks, RUNS_PER_BLOCK } from "./index-blocks.ts";

/** Changes per pass. */
const MOST = 2_000;

const ENDS = sql`('completed', 'failed', 'timed_out', 'canceled')`;

/**
 * Consumes the transitions of all runs and indexes the ended ones, so that they can be searched by their data. The
 * index lags; a search reads newer transitions itself. Under load it consumes one batch per second, because indexing
 * would take about a tenth of the capacity if it kept up; when the load ends, it catches up.
 */
export function indexRuns(ctx: Ctx): Promise<boolean> {
  return consumeChanges(ctx, {
    ...{ name: "index-runs", yieldsToRuns: true, most: MOST },
    take: takeMoves,
  });
}

async function takeMoves(tx: Ctx & InTransaction, range: LogRange): Promise<void> {
  await listLiving(tx, range);
  const ended = await readEnded(tx, range);
  if (ended.length === 0) return;
  const left: EndedRun[] = [];
  for (const group of groupsOf(ended)) {
    const whole = group.length - (group.length % RUNS_PER_BLOCK);
    for (let at = 0; at < whole; at += RUNS_PER_BLOCK) await indexBlocks(tx, group.slice(at, at + RUNS_PER_BLOCK));
    left.push(...group.slice(whole));
  }
  await listEnded(tx, left);
  for (const group of await findFullGroups(tx, ended)) await indexBlocks(tx, group);
}

/**
 * Lists runs that changed status and are still live, with their current status. A run that has ended since need not be
 * listed: its end lies after the new cursor, where a search finds it.
 */
async function listLiving(tx: Ctx & InTransaction, range: LogRange): Promise<void> {
  await sql`
    /* prepared */
    insert into unfiled_runs (project_id, run_id, living_status)
    select s.project_id, s.run_id, r.status
    from (
      select l.project_id, l.run_id from ${runChanges(range)}
      group by l.project_id, l.run_id having bool_and(l.to_status not in ${ENDS})
    ) s cross join lateral (
      select r.status from runs r where r.project_id = s.project_id and r.id = s.run_id offset 0
    ) r
    where r.status not in ${ENDS}
    on conflict (project_id, run_id) do update set living_status = excluded.living_status, terms = null
    where excluded.living_status is distinct from unfiled_runs.living_status or unfiled_runs.terms is not null`.execute(
    tx.db,
  );
}

async function readEnded(tx: Ctx & InTransaction, range: LogRange): Promise<EndedRun[]> {
  const { rows } = await sql<EndedRun>`
    /* prepared */
    select l.project_id, l.run_id, l.to_status as ended_status
    from ${runChanges(range)} where l.to_status in ${ENDS}`.execute(tx.db);
  return rows;
}

/** By project and status, oldest first. */
function groupsOf(ended: EndedRun[]): EndedRun[][] {
  const groups = groupBy(ended, ({ project_id, ended_status }) => `${project_id} ${ended_status}`);
  return [...groups.values()].map((group) => group.sort((a, b) => (a.run_id < b.run_id ? -1 : 1)));
}

/** Lists the ended runs that do not fill a block yet. */
async function listEnded(tx: Ctx & InTransaction, ended: EndedRun[]): Promise<void> {
  await sql`
    insert into unfiled_runs (project_id, run_id, ended_status, living_status)
    select s.project_id, s.run_id, s.ended_status, s.ended_status
    from json_to_recordset(${JSON.stringify(ended)}::json) as s(project_id uuid, run_id uuid, ended_status text)
    on conflict (project_id, run_id) do update
    set ended_status = excluded.ended_status, living_status = excluded.living_status, terms = null`.execute(tx.db);
}

/** Returns the grown groups that now fill a block, each with its oldest runs. */
async function findFullGroups(tx: Ctx & InTransaction, ended: EndedRun[]): Promise<EndedRun[][]> {
  const grown = groupsOf(ended).flatMap(([first]) => (first ? [first] : []));
  const { rows } = await sql<EndedRun>`
    select u.project_id, u.run_id, u.ended_status
    from json_to_recordset(${JSON.stringify(grown)}::json) as g(project_id uuid, ended_status text)
    cross join lateral (
      select u.project_id, u.run_id, u.ended_status from unfiled_runs u
      where u.project_id = g.project_id and u.ended_status = g.ended_status
      order by u.run_id limit ${RUNS_PER_BLOCK}
    ) u`.execute(tx.db);
  return groupsOf(rows).filter((group) => group.length === RUNS_PER_BLOCK);
}
