import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { lockEventKeys } from "../waits/lock-event-keys.ts";
import { advanceRuns } from "./advance-runs.ts";
import { type AfterCommit, emptyAfterCommit, giveBack } from "./after-commit.ts";
import { applyItemResults } from "./apply-item-results.ts";
import { applyResults } from "./apply-results.ts";
import { compensateRuns } from "./compensate-runs.ts";
import { writeCompensations } from "./compensate-write.ts";
import { endWorkflowRuns } from "./end-workflow-runs.ts";
import { loadOutputs } from "./load-outputs.ts";
import { loadPayloads } from "./load-payloads.ts";
import { lockAndLoadRuns } from "./load-runs.ts";
import type { LoadedRun } from "./loaded-run.ts";
import { emitReads, emits, noteEmits } from "./note-emits.ts";
import { notifyProgress, type Progressed } from "./notify-progress.ts";
import { endOf } from "./planned-end.ts";
import { readChildEnds } from "./read-child-ends.ts";
import { heldKey } from "./start-steps.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";
import { writeSteps } from "./write-steps.ts";

/** `event_keys`: keys of waits to be opened, as the round before saw them. */
type Asked = WorkflowRunKey & { event_keys?: string[] };

/** A wait whose key changes from round to round is left to the next call. */
const MOST_ROUNDS = 5;

/**
 * Progresses workflow runs as far as possible: applies the results of ended runs, plans, starts ready steps, ends
 * finished runs. All of them in one transaction, under their locks. Idempotent.
 */
export async function progressRuns(ctx: Ctx, keys: readonly Asked[]): Promise<void> {
  let asked = keys;
  for (let round = 0; asked.length > 0 && round < MOST_ROUNDS; round++) {
    asked = await progressOnce(ctx, asked);
  }
  if (asked.length > 0) ctx.wakeup.wake("outbox"); // a line of workflow runs that ends in one go
}

/**
 * Returns those for the next round: runs that wait for events, since their keys must be locked first, and parents of
 * ended runs.
 */
async function progressOnce(ctx: Ctx, asked: readonly Asked[]): Promise<Asked[]> {
  const afterCommit = emptyAfterCommit();
  try {
    const progressed = await inTransaction(ctx, (tx) => {
      giveBack(ctx, afterCommit); // the transaction may be retried
      return progressWithin(tx, asked, afterCommit);
    });
    notifyProgress(ctx, progressed, afterCommit);
    return [...progressed.deferred, ...progressed.parents];
  } catch (error) {
    giveBack(ctx, afterCommit);
    throw error;
  }
}

async function progressWithin(
  tx: Ctx & InTransaction,
  asked: readonly Asked[],
  afterCommit: AfterCommit,
): Promise<Progressed & { deferred: Asked[] }> {
  const keys = asked.flatMap(({ project_id, event_keys = [] }) =>
    event_keys.map((event_key) => ({ project_id, event_key })),
  );
  if (keys.length > 0) await lockEventKeys(tx, keys);
  const hands = await lockAndLoadRuns(tx, distinct(asked));
  await applyResult(tx, hands);
  const heldKeys = new Set(keys.map(({ project_id, event_key }) => heldKey(project_id, event_key)));
  await advanceRuns(
    tx,
    hands.filter(({ run }) => run.planned_end === null),
    heldKeys,
    afterCommit,
  );
  await compensateRuns(
    tx,
    hands.filter(({ run }) => run.planned_end !== null),
    afterCommit,
  );
  return { ...(await writeRuns(tx, hands)), deferred: hands.filter((hand) => hand.deferred.size > 0).map(deferredOf) };
}

function distinct(asked: readonly Asked[]): WorkflowRunKey[] {
  const keys = asked.map(({ project_id, workflow_run_id }) => ({ project_id, workflow_run_id }));
  return [...new Map(keys.map((key) => [key.workflow_run_id, key])).values()];
}

async function applyResult(tx: Ctx & InTransaction, hands: readonly LoadedRun[]): Promise<void> {
  await readChildEnds(tx, hands);
  const ended = hands.map((hand) => ({ hand, completed: applyResults(hand) }));
  await loadOutputs(
    tx,
    ended.map(({ hand, completed }) => ({ hand, refs: emitReads(hand, completed) })),
  );
  const emitting = ended.filter(({ hand, completed }) => emits(hand, completed));
  await loadPayloads(
    tx,
    emitting.map(({ hand }) => hand),
  );
  for (const { hand, completed } of emitting) noteEmits(hand, completed);
  await applyItemResults(tx, hands);
}

async function writeRuns(tx: Ctx & InTransaction, hands: readonly LoadedRun[]): Promise<Progressed> {
  // Pipelined in this order: if a guard of one fails, none of it is committed.
  const [, , { has_outbox_entries, freed, notifications, parents, lanes }] = await Promise.all([
    writeSteps(tx, hands),
    writeCompensations(tx, hands),
    endWorkflowRuns(tx, hands.flatMap(endOf)),
  ]);
  const changed = hands.filter((hand) => hand.decisions.length > 0 || hand.end !== null);
  return {
    changed: changed.map(({ run }) => ({ project_id: run.project_id, workflow_run_id: run.id })),
    has_outbox_entries: has_outbox_entries || hands.some((hand) => hand.outbox.length > 0),
    freed,
    notifications,
    parents,
    lanes: [...lanes, ...hands.flatMap((hand) => hand.lanes)],
  };
}

function deferredOf({ run, deferred }: LoadedRun): Asked {
  return { project_id: run.project_id, workflow_run_id: run.id, event_keys: [...deferred.values()] };
}
