import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { COLUMN } from "./condition-sql.ts";
import { marksOf } from "./run-marks.ts";
import { termsOf } from "./search-terms.ts";

export const RUNS_PER_BLOCK = 128;
/** A run with more is in a block that is always looked at: its terms would be most of the index. */
const MOST_TERMS = 500;

export type EndedRun = { project_id: string; run_id: string; ended_status: string };

type Row = { id: string; payload: string; tags: Record<string, string>; trigger_type: string } & {
  [column in (typeof COLUMN)[keyof typeof COLUMN]]: string | null;
};
/** Payloads may have a megabyte each. */
const ROWS_AT_ONCE = 32;

type Filed = { run_id: string; terms: number[] | null };

/** Files ended runs of one project and status, sorted by id. What was removed since is forgotten. */
export async function fileBlocks(tx: Ctx & InTransaction, runs: EndedRun[]): Promise<void> {
  const [first] = runs;
  if (!first) return;
  const { project_id, ended_status } = first;
  const ids = runs.map(({ run_id }) => run_id);
  const filed: Filed[] = [];
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE)
    for (const row of await readRows(tx, project_id, ids.slice(at, at + ROWS_AT_ONCE)))
      filed.push(describe(first, row));
  const blocks = [...cut(filed.filter(hasTerms)), ...cut(filed.filter((each) => !hasTerms(each)))];
  await sql`
    with filed as (
      delete from unfiled_runs where project_id = ${project_id} and run_id = any(${ids}::uuid[])
    )
    insert into run_blocks (project_id, id, status, newest_id, oldest_id, run_ids, terms, marks, filed_at)
    select ${project_id}, b.id, ${ended_status}, b.newest_id, b.oldest_id, b.run_ids, b.terms,
      decode(b.marks, 'hex'), clock()
    from json_to_recordset(${JSON.stringify(blocks)}::json) as b(
      id uuid, newest_id uuid, oldest_id uuid, run_ids uuid[], terms int[], marks text)`.execute(tx.db);
}

async function readRows(tx: Ctx & InTransaction, project_id: string, ids: string[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select r.* from unnest(${ids}::uuid[]) as wanted(id) cross join lateral (
      select r.id, r.payload::text as payload, r.tags, r.trigger_type, r.job_id, r.concurrency_key, r.created_by,
        r.batch_id, r.workflow_run_id, r.parent_run_id, r.replay_of, r.schedule_id, r.environment_id
      from runs r where r.project_id = ${project_id} and r.id = wanted.id offset 0
    ) r`.execute(tx.db);
  return rows;
}

function describe({ project_id, ended_status }: EndedRun, row: Row): Filed {
  const words = Object.entries(COLUMN).map(([key, column]) => [key, row[column]] as const);
  const payload: unknown = JSON.parse(row.payload);
  const more = [
    ["trigger", row.trigger_type],
    ["status", ended_status],
  ] as const;
  const terms = termsOf({ project_id, words: [...words, ...more], tags: row.tags, payload });
  return { run_id: row.id, terms: terms.size > MOST_TERMS ? null : [...terms] };
}

const hasTerms = ({ terms }: Filed) => terms !== null;

function* cut(filed: Filed[]) {
  for (let at = 0; at < filed.length; at += RUNS_PER_BLOCK) {
    const part = filed.slice(at, at + RUNS_PER_BLOCK).sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
    const run_ids = part.map(({ run_id }) => run_id);
    const terms = part.every(hasTerms) ? part.map((each) => each.terms ?? []) : null;
    yield {
      id: newId(),
      newest_id: run_ids.at(-1),
      oldest_id: run_ids[0],
      run_ids,
      terms: terms && [...new Set(terms.flat())],
      marks: terms && marksOf(terms),
    };
  }
}
