import { EnqueueOptions } from "@millrace/contract/events/triggers";
import { overBudget } from "../../flow/budget/reserve-budget.ts";
import type { NewRun, TriggerResult } from "../../flow/runs/create/new-run.ts";
import { prepareRunInSlices } from "../../flow/runs/create/prepare-run.ts";
import { triggerWithin } from "../../flow/runs/create/trigger-runs.ts";
import { findCachedJob, findTriggerableJob } from "../../flow/runs/create/triggerable-job.ts";
import type { Ctx, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { parseJson, readJson } from "../../platform/json/parse-json.ts";
import { schemaIssues } from "../../platform/json-schema/compile-json-schema.ts";
import { inSlices, yieldToEventLoop } from "../../platform/time-slices.ts";
import { idempotencyConflict, readCommonFields } from "../../platform/triggers/submit-trigger.ts";
import { type ClaimedSource, recordDrained } from "./claim-sources.ts";
import type { EnqueuedRow, Refusal } from "./enqueued-rows.ts";

/** Rows whose runs are committed, and rows that no retry would help. */
export type DrainedPage = { drained_ids: string[]; refused: Refusal[] };

/** The source was changed, or another instance has claimed it: nothing was written. */
export class LostClaim extends Error {}

const MAX_CHANGES = 20; // of jobs between reading them and writing the runs

/**
 * Creates the runs of a page of rows in one commit, in their order, together with the list of the rows to delete. A bad
 * row fails alone.
 */
export async function triggerRows(ctx: Ctx, source: ClaimedSource, rows: readonly EnqueuedRow[]): Promise<DrainedPage> {
  const acting = onBehalfOf(ctx, source);
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    const prepared: Prepared[] = [];
    for (const row of rows) {
      prepared.push(await prepareRow(acting, row, tries === 0));
      await yieldToEventLoop();
    }
    try {
      return await inTransaction(acting, (tx) => commitPage(tx, source, prepared));
    } catch (error) {
      if (!(error instanceof JobsChanged)) throw error;
    }
  }
  throw new ApiError("conflict", "The jobs of the rows keep changing.");
}

type Prepared = { id: string; run: NewRun } | { id: string; refused: ApiError };

async function commitPage(
  tx: ProjectCtx & InTransaction,
  source: ClaimedSource,
  prepared: readonly Prepared[],
): Promise<DrainedPage> {
  const runs = prepared.flatMap((each) => ("run" in each ? [each.run] : []));
  const results = (await triggerWithin(tx, runs, "block")).values();
  const page: DrainedPage = { drained_ids: [], refused: [] };
  for (const each of prepared) {
    const refused = "run" in each ? refusalOf(results.next().value) : each.refused;
    if (refused) page.refused.push({ id: each.id, code: refused.code, message: refused.message });
    else page.drained_ids.push(each.id);
  }
  const { drained_ids, refused } = page;
  if (!(await recordDrained(tx, source, { drained_ids, refused: refused.length }))) throw new LostClaim();
  tx.afterCommit(({ metrics }) => {
    metrics.outboxSourceRows.inc({ outcome: "drained" }, drained_ids.length);
    metrics.outboxSourceRows.inc({ outcome: "refused" }, refused.length);
  });
  return page;
}

/** Rolls the transaction back: the runs are prepared again from the current jobs. */
class JobsChanged extends Error {}

function refusalOf(result: TriggerResult | undefined): ApiError | undefined {
  if (result === undefined || result.kind === "stale") throw new JobsChanged();
  if (result.kind === "conflict") return idempotencyConflict();
  return result.kind === "over_budget" ? overBudget(result) : undefined;
}

async function prepareRow(ctx: ProjectCtx, row: EnqueuedRow, mayUseCache: boolean): Promise<Prepared> {
  try {
    return { id: row.id, run: await runOf(ctx, row, mayUseCache) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "service_unavailable") throw error;
    // The cached job may be out of date.
    return mayUseCache ? prepareRow(ctx, row, false) : { id: row.id, refused: error };
  }
}

/** Equivalent to a trigger request with the row's id as the idempotency key: draining a row twice creates one run. */
async function runOf(ctx: ProjectCtx, row: EnqueuedRow, mayUseCache: boolean): Promise<NewRun> {
  const payload = await parse(row.payload, "payload", ctx.config.max_body_bytes);
  const options = readOptions(await parse(row.options, "options", ctx.config.max_body_bytes));
  const item = { ...options, payload, idempotency_key: row.id };
  const common = await readCommonFields(ctx, item, "options");
  const job = await (mayUseCache ? findCachedJob : findTriggerableJob)(ctx, ctx.project_id, row.job);
  if (!job) throw notFound("job");
  return prepareRunInSlices(job, { ...item, ...common, at: "row" });
}

const SMALL_LENGTH = 65_536;

async function parse(text: string | null, root: string, max_bytes: number): Promise<unknown> {
  if (text === null) throw new ApiError("payload_too_large", `${root}: is larger than ${max_bytes} bytes.`);
  const parsed = text.length < SMALL_LENGTH ? parseJson(text, { root }) : await inSlices(readJson(text, { root }));
  if (parsed.ok) return parsed.value;
  const { location, message } = parsed.problem;
  throw new ApiError("validation_failed", `${location}: ${message}`);
}

function readOptions(options: unknown): EnqueueOptions {
  const issues = schemaIssues("EnqueueOptions", EnqueueOptions, options, "options");
  if (issues.length === 0) return options as EnqueueOptions;
  throw new ApiError("validation_failed", issues.map(({ location, message }) => `${location}: ${message}`).join("; "));
}

/** An administrator connected the source: its rows may start every job of the project. */
function onBehalfOf(ctx: Ctx, { project_id, id }: ClaimedSource): ProjectCtx {
  return {
    ...ctx,
    project_id,
    caller: { kind: "internal_secret", name: `outbox_source:${id}`, scopes: null },
    origin: { request_id: id, ip: "", user_agent: null, base_url: "" },
    session: null,
  };
}
