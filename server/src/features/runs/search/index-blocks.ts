import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { type Described, describeRuns } from "./describe-runs.ts";
import { marksOf } from "./run-marks.ts";

export const RUNS_PER_BLOCK = 128;

export type EndedRun = { project_id: string; run_id: string; ended_status: string };

/** Indexes ended runs of one project and status, sorted by id. Runs deleted since are left out. */
export async function indexBlocks(tx: Ctx & InTransaction, runs: EndedRun[]): Promise<void> {
  const [first] = runs;
  if (!first) return;
  const { project_id, ended_status } = first;
  const ids = runs.map(({ run_id }) => run_id);
  const indexed = await describeRuns(tx, project_id, ids, ended_status);
  const blocks = [...cut(indexed.filter(hasTerms)), ...cut(indexed.filter((each) => !hasTerms(each)))];
  await sql`
    /* prepared */
    with indexed as (
      delete from unindexed_runs where project_id = ${project_id} and run_id = any(${ids}::uuid[])
    )
    insert into run_blocks (project_id, id, status, newest_id, oldest_id, run_ids, terms, marks, indexed_at)
    select ${project_id}, b.id, ${ended_status}, b.newest_id, b.oldest_id, b.run_ids, b.terms,
      decode(b.marks, 'hex'), clock()
    from json_to_recordset(${JSON.stringify(blocks)}::json) as b(
      id uuid, newest_id uuid, oldest_id uuid, run_ids uuid[], terms int[], marks text)`.execute(tx.db);
}

const hasTerms = ({ terms }: Described) => terms !== null;

function* cut(indexed: Described[]) {
  for (let at = 0; at < indexed.length; at += RUNS_PER_BLOCK) {
    const part = indexed.slice(at, at + RUNS_PER_BLOCK).sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
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
