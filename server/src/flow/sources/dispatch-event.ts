import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { triggerWithin } from "../runs/create/trigger-runs.ts";
import { StaleWorkflows, startWorkflowRunsWithin } from "../workflows/start/start-workflow-runs.ts";
import { admitEvent, type IncomingEvent } from "./admit-event.ts";
import { matchSubscriptions } from "./match-subscriptions.ts";
import { outcomesOf } from "./outcomes.ts";
import { prepareStarts, type Start } from "./prepare-starts.ts";
import { findSourceEvent, type LoadedSource, listSubscriptions, type SourceEventRow } from "./source-rows.ts";
import { freeEventNames, TakenBefore, takeEventNames } from "./take-event-names.ts";
import { writeSourceEvent } from "./write-source-event.ts";

export type DispatchedEvent = { event: SourceEventRow; is_duplicate: boolean };

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
        const written = await begin(tx, source, admitted, starts);
        await alongside?.(tx, written.id);
        return written;
      });
      return { event, is_duplicate: false };
    } catch (error) {
      const before = error instanceof TakenBefore && (await findBefore(ctx, source, incoming, error));
      if (before) return { event: before, is_duplicate: true };
      if (!isWorthAnother(error)) throw error;
    }
  }
  throw new ApiError("conflict", "A job or workflow of the subscriptions keeps changing. Try again.");
}

type Admitted = Awaited<ReturnType<typeof admitEvent>>;

async function begin(
  tx: Ctx & InTransaction,
  source: LoadedSource,
  { event, names }: Admitted,
  starts: Start[],
): Promise<SourceEventRow> {
  await takeEventNames(tx, source, event.id, names);
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

function isWorthAnother(error: unknown): boolean {
  return error instanceof JobsChanged || error instanceof StaleWorkflows || error instanceof TakenBefore;
}

/** Undefined: it was removed since, and there is no record of it any more. */
async function findBefore(
  ctx: Ctx,
  { project_id, id }: LoadedSource,
  { names }: IncomingEvent,
  { source_event_id }: TakenBefore,
): Promise<SourceEventRow | undefined> {
  const before = await findSourceEvent(ctx, project_id, source_event_id);
  if (!before) await freeEventNames(ctx, project_id, id, names);
  return before;
}
