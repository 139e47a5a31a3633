import type { RunCondition } from "@millrace/contract/query-language/types";
import type { BulkCancelAll, BulkReplayDeadLetters } from "@millrace/contract/runs/bulk-runs";
import { LIVE_STATUSES } from "../../../flow/runs/states.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { ApiError, invalid } from "../../../platform/errors/errors.ts";
import { conditionSql, readConditions, resolveConditions } from "../search/run-conditions.ts";
import { planSearch } from "../search/search-plan.ts";

/** The sources that are scanned for runs, in id order. */
export type RunSource = "queue" | "runs" | "dead_letters";

/** The runs selected by a bulk call, as a condition on `runs r`. Their ids lie between `above` and `below`. */
export type RunSelection = {
  sources: readonly RunSource[];
  where: Sql;
  above: string;
  below: string;
};

/** The form stored in the batch: its meaning depends neither on the reader nor on the time of reading. */
export type BulkPlan = { conditions: RunCondition[] };

type DeadLetterFilter = NonNullable<BulkReplayDeadLetters["filter"]>;

export async function planCancel(ctx: ProjectCtx, filter: BulkCancelAll["filter"]): Promise<BulkPlan> {
  const conditions = await resolveConditions(ctx, readFilter(filter), "body.filter.q");
  if (conditions.length === 0) throw invalid("body.filter", "is empty: it would select every run", filter);
  if (liveOf(ctx, conditions).length === 0) {
    throw invalid("body.filter", "selects only ended runs, which cannot be canceled", filter);
  }
  return { conditions };
}

export async function planDlqReplay(ctx: ProjectCtx, filter: DeadLetterFilter): Promise<BulkPlan> {
  const { error_contains: text, ...others } = filter;
  const conditions = readFilter({ ...others, dead_letter: true });
  if (text !== undefined) conditions.push({ key: "error", negated: false, text });
  return { conditions: await resolveConditions(ctx, conditions, "body.filter.q") };
}

/**
 * Selects matching runs that have not ended. Queued and running ones are found in the queue, which is short; the others
 * only by scanning all runs. A run may change status between the two scans, so the second one checks all statuses.
 */
export function selectLive(ctx: ProjectCtx, { conditions }: BulkPlan): RunSelection {
  const statuses = liveOf(ctx, conditions);
  const isQueued = statuses.every((status) => status === "pending" || status === "running");
  return {
    ...fitting(ctx, [...conditions, { key: "status", negated: false, values: statuses }]),
    sources: isQueued ? ["queue"] : ["queue", "runs"],
  };
}

export function selectDeadLetters(ctx: ProjectCtx, { conditions }: BulkPlan): RunSelection {
  return { ...fitting(ctx, conditions), sources: ["dead_letters"] };
}

function fitting(ctx: ProjectCtx, conditions: readonly RunCondition[]): Omit<RunSelection, "sources"> {
  const { above, below } = planSearch(ctx, conditions);
  const where = sql`and ${visible(ctx, "runs", "r")} ${conditionSql(ctx.project_id, conditions)}`;
  return { where, above, below };
}

/** The cancelable statuses that the conditions allow. */
function liveOf(ctx: ProjectCtx, conditions: readonly RunCondition[]) {
  const { statuses } = planSearch(ctx, conditions);
  return LIVE_STATUSES.filter((live) => statuses === null || statuses.includes(live));
}

/** Reads the filters of a list; their issues are located in this request. */
function readFilter(filter: BulkCancelAll["filter"]): RunCondition[] {
  try {
    return readConditions(filter);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const here = (text: string) => text.replace(/^query\./, "body.filter.");
    const errors = error.errors.map((each) => ({ ...each, location: here(each.location) }));
    throw new ApiError(error.code, here(error.message), { errors });
  }
}
