import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { COLUMN } from "./condition-sql.ts";
import { termsOf } from "./search-terms.ts";

/** A run with more terms is read by every search: its terms would dominate the index. */
const MAX_TERMS = 500;
/** Payloads can be a megabyte each. */
const ROWS_AT_ONCE = 32;

/** `terms`: null if there are too many. */
export type Described = { run_id: string; terms: number[] | null };

type Row = {
  id: string;
  payload: string;
  tags: Record<string, string>;
  trigger_type: string;
  created_by_id: string | null;
} & {
  [column in (typeof COLUMN)[keyof typeof COLUMN]]: string | null;
};

/**
 * Returns the search terms of a project's runs; deleted runs are left out. `ended_status`: null for live runs, whose
 * status and tags are not indexed because they may change.
 */
export async function describeRuns(
  tx: Ctx & InTransaction,
  project_id: string,
  ids: string[],
  ended_status: string | null,
): Promise<Described[]> {
  const described: Described[] = [];
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE)
    for (const row of await readRows(tx, project_id, ids.slice(at, at + ROWS_AT_ONCE))) {
      described.push(await inSlices(describe(project_id, row, ended_status)));
    }
  return described;
}

async function readRows(tx: Ctx & InTransaction, project_id: string, ids: string[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    /* prepared */
    select r.* from unnest(${ids}::uuid[]) as wanted(id) cross join lateral (
      select r.id, r.payload::text as payload, r.tags, r.trigger_type, r.job_id, r.concurrency_key, r.created_by, r.created_by_id,
        r.batch_id, r.workflow_run_id, r.parent_run_id, r.replay_of, r.schedule_id, r.environment_id
      from runs r where r.project_id = ${project_id} and r.id = wanted.id offset 0
    ) r`.execute(tx.db);
  return rows;
}

function* describe(project_id: string, row: Row, ended_status: string | null): Generator<void, Described> {
  const words = Object.entries(COLUMN).map(([key, column]) => [key, row[column]] as const);
  const payload: unknown = JSON.parse(row.payload);
  yield;
  const more = [
    ["by", row.created_by_id],
    ["trigger", row.trigger_type],
    ["status", ended_status],
  ] as const;
  const tags = ended_status === null ? {} : row.tags;
  const terms = termsOf({ project_id, words: [...words, ...more], tags, payload }, MAX_TERMS);
  return { run_id: row.id, terms: terms.size > MAX_TERMS ? null : [...terms] };
}
