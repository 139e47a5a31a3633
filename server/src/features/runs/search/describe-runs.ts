import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { type AlikeRuns, payloadsOf, type RunPayload, readAlike } from "./read-alike.ts";
import { COLUMN } from "./run-conditions.ts";
import { type TermsOf, termsOfRuns, type Words } from "./search-terms.ts";

/** A run with more terms is read by every search: its terms would dominate the index. */
const MAX_TERMS = 500;
const RUNS_AT_ONCE = 128;

/** `terms`, possibly repeated; null if there are too many. */
export type Described = { run_id: string; terms: number[] | null };

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
  for (let at = 0; at < ids.length; at += RUNS_AT_ONCE)
    for (const alike of await readAlike(tx, project_id, ids.slice(at, at + RUNS_AT_ONCE))) {
      const words = termsOf.words(wordsOf(alike, ended_status));
      for await (const runs of payloadsOf(tx, project_id, alike))
        await inSlices(describe(termsOf, words, runs, described));
    }
  return described;
}

const COLUMNS = Object.entries(COLUMN);

function wordsOf(run: AlikeRuns, ended_status: string | null): Words {
  const more = [
    ["by", run.created_by_id],
    ["trigger", run.trigger_type],
    ["status", ended_status],
  ] as const;
  const words = [...COLUMNS.map(([key, column]) => [key, run[column]] as const), ...more];
  return { words, tags: ended_status === null ? {} : run.tags };
}

function* describe(
  termsOf: TermsOf,
  words: number[],
  runs: RunPayload[],
  described: Described[],
): Generator<void, void> {
  for (const { id, payload } of runs) {
    described.push({ run_id: id, terms: termsOf.withPayload(words, payload, MAX_TERMS) });
    yield;
  }
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
