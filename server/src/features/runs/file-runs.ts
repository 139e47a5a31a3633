import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import { followLog } from "../../platform/ledger/follow-log.ts";
import { type EndedRun, fileBlocks, RUNS_PER_BLOCK } from "./file-blocks.ts";
import { isEnded } from "./search-plan.ts";

type Moved = { project_id: string; run_id: string; to_status: string };
type Seen = { project_id: string; run_id: string; ended_status: string | null };

/** Blocks outlive their runs, since runs may be removed late. */
const SPARE_SECS = 7 * 86_400;
const PAGE = 500;

/**
 * Follows the transitions of all runs and files those that have ended, so that they are found by what they hold. It
 * lags: a search looks at what moved since by itself. While many runs move it takes one slice of the log a second and no
 * more, since filing costs time that they need (a tenth of all, when it kept up with them); once they rest it catches up.
 */
export async function fileRuns(ctx: Ctx): Promise<boolean> {
  const hasMore = await followLog<Moved>(ctx, {
    name: "file-runs",
    log: "run_transitions",
    from: "start",
    isPatient: true,
    take: takeMoves,
  });
  return (await removeOldBlocks(ctx)) || hasMore;
}

async function takeMoves(tx: Ctx & InTransaction, moves: Moved[]): Promise<void> {
  const seen = [...lastSeen(moves).values()];
  const filed = new Set<string>();
  for (const group of groupsOf(seen)) {
    const whole = group.slice(0, group.length - (group.length % RUNS_PER_BLOCK));
    if (whole.length === 0) continue;
    for (let at = 0; at < whole.length; at += RUNS_PER_BLOCK)
      await fileBlocks(tx, whole.slice(at, at + RUNS_PER_BLOCK));
    for (const { run_id } of whole) filed.add(run_id);
  }
  await listUnfiled(
    tx,
    seen.filter(({ run_id }) => !filed.has(run_id)),
  );
  for (const group of await findFullGroups(tx, seen)) await fileBlocks(tx, group);
}

/** Each run once, with its end if it has one. */
function lastSeen(moves: Moved[]): Map<string, Seen> {
  const seen = new Map<string, Seen>();
  for (const { project_id, run_id, to_status } of moves) {
    const ended_status = isEnded(to_status) ? to_status : (seen.get(run_id)?.ended_status ?? null);
    seen.set(run_id, { project_id, run_id, ended_status });
  }
  return seen;
}

/** Those that ended, by project and status, the oldest first. */
function groupsOf(seen: Seen[]): EndedRun[][] {
  const ended = seen.filter((each): each is EndedRun => each.ended_status !== null);
  const groups = groupBy(ended, ({ project_id, ended_status }) => `${project_id} ${ended_status}`);
  return [...groups.values()].map((group) => group.sort((a, b) => (a.run_id < b.run_id ? -1 : 1)));
}

/** The status is that of the run itself: of two moves of one run, the one that the log has later may have come first. */
async function listUnfiled(tx: Ctx & InTransaction, seen: Seen[]): Promise<void> {
  await sql`
    insert into unfiled_runs (project_id, run_id, ended_status, living_status)
    select s.project_id, s.run_id, s.ended_status, coalesce(r.status, 'unknown')
    from json_to_recordset(${JSON.stringify(seen)}::json) as s(project_id uuid, run_id uuid, ended_status text)
    left join lateral (
      select status from runs where project_id = s.project_id and id = s.run_id offset 0
    ) r on true
    on conflict (project_id, run_id) do update
    set ended_status = coalesce(excluded.ended_status, unfiled_runs.ended_status), living_status = excluded.living_status
    where (excluded.ended_status, excluded.living_status)
      is distinct from (unfiled_runs.ended_status, unfiled_runs.living_status)`.execute(tx.db);
}

/** Of the groups that have grown, those that fill a block now, with its runs: the oldest. */
async function findFullGroups(tx: Ctx & InTransaction, seen: Seen[]): Promise<EndedRun[][]> {
  const grown = groupsOf(seen).flatMap(([first]) => (first ? [first] : []));
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

async function removeOldBlocks({ db, config }: Ctx): Promise<boolean> {
  const { rows } = await sql`
    with old as materialized (
      select project_id, id from run_blocks
      where filed_at < clock() - ${config.run_retention_secs + SPARE_SECS} * interval '1 second'
      order by filed_at limit ${PAGE}
    )
    delete from run_blocks b using old where b.project_id = old.project_id and b.id = old.id returning 1`.execute(db);
  return rows.length === PAGE;
}
