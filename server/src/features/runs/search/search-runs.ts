import type { RunCondition } from "@millrace/contract/query-language/types";
import type { RunRow } from "../../../flow/runs/run-columns.ts";
import { hasEnded } from "../../../flow/runs/states.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { conditionSql } from "./run-conditions.ts";
import { planSearch, type SearchPlan } from "./search-plan.ts";
import {
  type Candidates,
  findCandidates,
  findIndexCursor,
  findNth,
  MAX_MOVED,
  type Range,
  readRange,
  readRuns,
} from "./search-queries.ts";

/** `stopped_at`: everything up to and including this id was searched. Null: everything was. */
export type Found = { rows: RunRow[]; stopped_at: string | null };

type Search = { ctx: ProjectCtx; plan: SearchPlan; conditions: Sql };
type Step = (search: Search, range: Range, limit: number) => Promise<Found>;

/**
 * Finds the first runs of a range that meet the conditions. It scans the nearest runs first, because common values are
 * found there; live runs are listed by status. Rarer values are looked up in the index in growing steps; conditions
 * without an index are scanned only. The list of steps bounds the cost of one page.
 */
export async function searchRuns(
  ctx: ProjectCtx,
  conditions: RunCondition[],
  within: { order: "asc" | "desc"; after_id: string | null },
  limit: number,
): Promise<Found> {
  const plan = planSearch(ctx, conditions);
  const search: Search = { ctx, plan, conditions: conditionSql(ctx.project_id, conditions) };
  const found: Found = { rows: [], stopped_at: null };
  let range = rangeOf(plan, within);
  for (const step of stepsFor(plan)) {
    const { rows, stopped_at } = await step(search, range, limit - found.rows.length);
    found.rows.push(...rows);
    found.stopped_at = stopped_at;
    if (stopped_at === null || found.rows.length >= limit) break;
    range = range.order === "asc" ? { ...range, above: stopped_at } : { ...range, below: stopped_at };
  }
  return found;
}

/** Fills a page if every fifth run matches. For rarer values each of them costs about 10 µs. */
const NEAREST = 256;

function stepsFor(plan: SearchPlan): Step[] {
  if (plan.statuses?.length === 0) return [];
  if (plan.few) return [walk(5_000, conditionSql("", [plan.few]))];
  if (plan.terms.length === 0 && plan.statuses === null) return [walk(1_000), walk(20_000)];
  if (plan.terms.length > 0) return [walk(NEAREST), lookUp(64, 1_000), lookUp(256, 4_000)];
  const lookUps = [lookUp(8, 1_000), lookUp(32, 2_000), lookUp(160, 4_000)];
  return plan.statuses?.some(hasEnded) ? [walk(NEAREST), ...lookUps] : lookUps;
}

function rangeOf(
  { above, below }: SearchPlan,
  { order, after_id }: { order: "asc" | "desc"; after_id: string | null },
): Range {
  if (after_id === null) return { order, above, below };
  if (order === "asc") return { order, above: after_id > above ? after_id : above, below };
  return { order, above, below: after_id < below ? after_id : below };
}

/** Scans `count` runs of the range; `among`: only those that match a condition with its own index. */
function walk(count: number, among: Sql = sql``): Step {
  return async ({ ctx, conditions }, range, limit) => {
    const stopped_at = await findNth(ctx, range, count, among);
    if (stopped_at === null) return { rows: await readRange(ctx, range, conditions, limit), stopped_at };
    const near =
      range.order === "asc" ? { ...range, below: after(stopped_at) } : { ...range, above: before(stopped_at) };
    return { rows: await readRange(ctx, near, conditions, limit), stopped_at };
  };
}

/** Reads the runs of `blocks` blocks and `singles` runs that are in no block. */
function lookUp(blocks: number, singles: number): Step {
  return async (search, range, limit) => {
    const { ctx, plan } = search;
    const cursor = await findIndexCursor(ctx);
    if (!cursor) return walk(20_000)(search, range, limit);
    const all_of = plan.terms.flatMap((each) => (each.length === 1 ? each : []));
    const any_of = plan.terms.filter((each) => each.length > 1);
    const among = { statuses: plan.statuses, all_of, any_of, lasting: plan.lasting, blocks, singles };
    const candidates = await findCandidates(ctx, range, cursor, among);
    if (candidates.moved > MAX_MOVED) return walk(20_000)(search, range, limit);
    const { ids, stopped_at } = merge(range, candidates, singles);
    return { rows: await readInRounds(search, ids, limit), stopped_at };
  };
}

/** Returns all candidates up to the nearest position after which some were not read. */
function merge({ order }: Range, { fresh, unindexed, passed, indexed, next_block }: Candidates, singles: number) {
  const isAsc = order === "asc";
  const compare = (a: string, b: string) => (a === b ? 0 : a < b === isAsc ? -1 : 1);
  const stops = [
    ...(next_block === null ? [] : [isAsc ? before(next_block) : after(next_block)]),
    ...(unindexed.length > singles ? [unindexed[singles - 1] ?? ""] : []),
    ...(passed === null ? [] : [passed]),
  ];
  const stopped_at = stops.sort(compare)[0] ?? null;
  const ids = [...new Set([...fresh, ...unindexed, ...indexed])].sort(compare);
  return { ids: stopped_at === null ? ids : ids.filter((id) => compare(id, stopped_at) <= 0), stopped_at };
}

const ROUNDS = [256, 2_048];

async function readInRounds({ ctx, conditions }: Search, ids: string[], limit: number): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  for (let at = 0, index = 0; at < ids.length && rows.length < limit; index++) {
    const end = at + (ROUNDS[index] ?? ids.length);
    rows.push(...(await readRuns(ctx, ids.slice(at, end), conditions, limit - rows.length)));
    at = end;
  }
  return rows;
}

const before = (id: string) => neighborOf(id, -1n);
const after = (id: string) => neighborOf(id, 1n);

function neighborOf(id: string, by: bigint): string {
  const hex = (BigInt(`0x${id.replaceAll("-", "")}`) + by).toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
