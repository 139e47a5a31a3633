import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { overBudget } from "../budget/reserve-budget.ts";
import type { TriggerResult } from "../runs/create/new-run.ts";
import { triggerWithin } from "../runs/create/trigger-runs.ts";
import type { WorkflowTriggerResult } from "../workflows/start/new-workflow-run.ts";
import { StaleWorkflows, startWorkflowRunsWithin } from "../workflows/start/start-workflow-runs.ts";
import { admitEvent, type IncomingEvent } from "./admit-event.ts";
import { AlreadyReceived, claimEventIdentities, releaseEventIdentities } from "./claim-event-identities.ts";
import { matchSubscriptions } from "./match-subscriptions.ts";
import { prepareStarts, type Start } from "./prepare-starts.ts";
import {
  findSourceEvent,
  type LoadedSource,
  listSubscriptions,
  type SourceEventRow,
  type StoredOutcome,
  writeSourceEvent,
} from "./source-rows.ts";

type DispatchedEvent = { event: SourceEventRow; is_duplicate: boolean };

const MAX_CHANGES = 20; // of jobs and workflows between reading them and writing the runs

/**
 * Delivers an event to the subscriptions of its source. The event, its id and all its runs are written in one commit:
 * after a crash there are all of them or none, and then its sender retries. A refusal by one subscription is recorded
 * in its result, and does not affect the others.
 */
export async function dispatchEvent<C extends Ctx>(
  ctx: C,
  source: LoadedSource,
  incoming: IncomingEvent,
  /** Committed together with the event. */
  alongside?: (tx: C & InTransaction, source_event_id: string) => Promise<void>,
): Promise<DispatchedEvent> {
  const admitted = await admitEvent(ctx, source, incoming);
  const subscriptions = await listSubscriptions(ctx, source, incoming.environment_id);
  const matches = await matchSubscriptions(subscriptions, admitted.scope);
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    const starts = await prepareStarts(ctx, source.project_id, matches, admitted.cause);
    try {
      const event = await inTransaction(ctx, async (tx) => {
        const written = await writeEvent(tx, source, admitted, starts);
        await alongside?.(tx, written.id);
        return written;
      });
      return { event, is_duplicate: false };
    } catch (error) {
      const before = error instanceof AlreadyReceived && (await findBefore(ctx, source, incoming, error));
      if (before) return { event: before, is_duplicate: true };
      if (!shouldRetry(error)) throw error;
    }
  }
  throw new ApiError("conflict", "A job or workflow of the subscriptions keeps changing. Try again.");
}

type Admitted = Awaited<ReturnType<typeof admitEvent>>;

async function writeEvent(
  tx: Ctx & InTransaction,
  source: LoadedSource,
  { event, identities }: Admitted,
  starts: Start[],
): Promise<SourceEventRow> {
  await claimEventIdentities(tx, source, event.id, identities);
  const workflowRuns = starts.flatMap((start) => (start.kind === "workflow_run" ? [start.run] : []));
  const started = await startWorkflowRunsWithin(tx, workflowRuns);
  const triggered = await triggerWithin(
    tx,
    starts.flatMap((start) => (start.kind === "run" ? [start.run] : [])),
  );
  if (triggered.some(({ kind }) => kind === "stale")) throw new JobsChanged();
  return writeSourceEvent(tx, { ...event, ...outcomesOf(starts, triggered, started) });
}

/** Rolls the transaction back: the runs are prepared again from the current jobs. */
class JobsChanged extends Error {}

function shouldRetry(error: unknown): boolean {
  return error instanceof JobsChanged || error instanceof StaleWorkflows || error instanceof AlreadyReceived;
}

/** Undefined: it was removed since, and there is no record of it anymore. */
async function findBefore(
  ctx: Ctx,
  { project_id, id }: LoadedSource,
  { identities }: IncomingEvent,
  { source_event_id }: AlreadyReceived,
): Promise<SourceEventRow | undefined> {
  const before = await findSourceEvent(ctx, project_id, source_event_id);
  if (!before) await releaseEventIdentities(ctx, project_id, id, identities);
  return before;
}

type Outcomes = Pick<SourceEventRow, "results" | "matched" | "started" | "failed">;
type Failure = { code: string; message: string };

/** The result of an event for each subscription, in their order. */
function outcomesOf(
  starts: readonly Start[],
  triggered: readonly TriggerResult[],
  started: readonly WorkflowTriggerResult[],
): Outcomes {
  const [runs, workflowRuns] = [triggered.values(), started.values()];
  const results = starts.map((start): StoredOutcome => {
    if (start.kind === "run") return ofRun(start, runs.next().value);
    if (start.kind === "workflow_run") return ofWorkflowRun(start, workflowRuns.next().value);
    if (start.kind === "refused") return failed(start, start.error);
    return ofMatch(start);
  });
  return {
    results,
    matched: starts.filter(({ match }) => match.kind === "matched" || (match.kind === "failed" && match.matched))
      .length,
    started: results.filter(({ outcome }) => outcome === "started").length,
    failed: results.filter(({ outcome }) => outcome === "failed").length,
  };
}

function ofRun(start: Extract<Start, { kind: "run" }>, result: TriggerResult | undefined): StoredOutcome {
  const { environment_id } = start.run;
  if (result?.kind === "created")
    return { ...emptyOutcome(start), environment_id, outcome: "started", run_id: result.run.id };
  if (result?.kind === "existing")
    return { ...emptyOutcome(start), environment_id, outcome: "existing", run_id: result.run_id };
  if (result?.kind !== "over_budget") throw new Error("a run without a key is created, stale or over the budget");
  const { code, message } = overBudget(result);
  return failed(start, { code, message });
}

function ofWorkflowRun(
  start: Extract<Start, { kind: "workflow_run" }>,
  result: WorkflowTriggerResult | undefined,
): StoredOutcome {
  if (result?.kind !== "created") throw new Error("a workflow run without a key is created or stale");
  const { workflow_run_id } = result;
  return { ...emptyOutcome(start), environment_id: start.run.environment_id, outcome: "started", workflow_run_id };
}

function ofMatch(start: Start): StoredOutcome {
  const { match } = start;
  if (match.kind === "failed") return failed(start, match.error);
  return { ...emptyOutcome(start), outcome: match.kind === "disabled" ? "disabled" : "not_matched" };
}

function failed(start: Start, error: Failure): StoredOutcome {
  return { ...emptyOutcome(start), outcome: "failed", error };
}

function emptyOutcome({ match: { subscription } }: Start): Omit<StoredOutcome, "outcome"> {
  const { id: subscription_id, job_id, workflow_id, environment_id } = subscription;
  return { subscription_id, job_id, workflow_id, environment_id, run_id: null, workflow_run_id: null, error: null };
}
