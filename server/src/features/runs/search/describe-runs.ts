import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { COLUMN } from "./run-conditions.ts";
import { type Findable, termsOfRuns } from "./search-terms.ts";

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
  const termsOf = termsOfRuns(project_id);
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE)
    for (const row of await readRows(tx, project_id, ids.slice(at, at + ROWS_AT_ONCE))) {
      described.push(await inSlices(describe(termsOf, row, ended_status)));
    }
  return described;
}

async function readRows(tx: Ctx & InTransaction, project_id: string, ids: string[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    /* prepared */
    select r.* from unnest(${`{${ids.join(",")}}`}::uuid[]) as wanted(id) cross join lateral (
      select r.id, r.payload::text as payload, r.tags, r.trigger_type, r.job_id, r.concurrency_key, r.created_by, r.created_by_id,
        r.batch_id, r.workflow_run_id, r.parent_run_id, r.replay_of, r.schedule_id, r.environment_id
      from runs r where r.project_id = ${project_id} and r.id = wanted.id offset 0
    ) r`.execute(tx.db);
  return rows;
}

type TermsOf = (run: Findable, max: number) => Set<number>;
const COLUMNS = Object.entries(COLUMN);

function* describe(termsOf: TermsOf, row: Row, ended_status: string | null): Generator<void, Described> {
  const words = COLUMNS.map(([key, column]) => [key, row[column]] as const);
  const payload: unknown = JSON.parse(row.payload);
  yield;
  const more = [
    ["by", row.created_by_id],
    ["trigger", row.trigger_type],
    ["status", ended_status],
  ] as const;
  const tags = ended_status === null ? {} : row.tags;
  const terms = termsOf({ words: [...words, ...more], tags, payload }, MAX_TERMS);
  return { run_id: row.id, terms: terms.size > MAX_TERMS ? null : [...terms] };
}

/** Newer runs may continue soon; there are few of them, and a search starts with them anyway. */
const MIN_WAIT_MS = 600_000;
/** Ids start with their creation time in milliseconds. */
const WAITS_LONG = sql`u.run_id < rpad(lpad(to_hex((extract(epoch from clock()) * 1000)::bigint - ${sql.lit(MIN_WAIT_MS)}), 12, '0'), 32, '0')::uuid`;
const PAGE = 256;

/** A run has been waiting or paused for a while, and its terms are not recorded. */
export const HAS_UNDESCRIBED_RUNS = sql`exists (
  select u.project_id from unindexed_runs u
  where u.terms is null and u.ended_status is null and u.living_status in ('waiting', 'paused') and ${WAITS_LONG})`;

type Waiting = { project_id: string; run_id: string };
type DescribedRun = Waiting & { terms: number[] };

/**
 * Records the terms of runs that have been waiting or paused for a while. Their data does not change meanwhile except
 * for tags, which are therefore left out. The index task clears the terms once a run's status changes.
 */
export async function describeWaiting(ctx: Ctx): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const waiting = await takeUndescribed(tx);
    const described: DescribedRun[] = [];
    for (const [project_id, group] of groupBy(waiting, (each) => each.project_id)) {
      described.push(...(await describeAll(tx, project_id, group)));
    }
    if (described.length > 0) await recordTerms(tx, described);
    return waiting.length === PAGE;
  });
}

async function takeUndescribed(tx: Ctx & InTransaction): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select u.project_id, u.run_id from unindexed_runs u
    where u.terms is null and u.ended_status is null and u.living_status in ('waiting', 'paused')
      and ${WAITS_LONG}
    order by u.run_id limit ${PAGE} for update skip locked`.execute(tx.db);
  return rows;
}

async function describeAll(tx: Ctx & InTransaction, project_id: string, waiting: Waiting[]): Promise<DescribedRun[]> {
  const ids = waiting.map(({ run_id }) => run_id);
  const described = await describeRuns(tx, project_id, ids, null);
  const terms = new Map(described.map((each) => [each.run_id, each.terms]));
  return ids.map((run_id) => ({ project_id, run_id, terms: terms.get(run_id) ?? [] }));
}

async function recordTerms(tx: Ctx & InTransaction, described: DescribedRun[]): Promise<void> {
  await sql`
    update unindexed_runs u set terms = t.terms
    from json_to_recordset(${JSON.stringify(described)}::json) as t(project_id uuid, run_id uuid, terms int[])
    where u.project_id = t.project_id and u.run_id = t.run_id`.execute(tx.db);
}
