import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { type DueRows, processDue } from "../../runs/maintain/process-due-rows.ts";
import type { WaitKind } from "../send/internal-key.ts";
import type { TriggerEnd } from "./end-triggers.ts";
import { type DueTrigger, lockDueOfRuns, lockDueOfSteps } from "./find-due-triggers.ts";
import { resolveTriggers } from "./resolve-trigger.ts";

const PAGE = 500;
const TIMERS: DueRows = {
  name: "resolve-due-triggers",
  rows: sql`event_triggers t where t.status = 'waiting'`,
  at: sql`t.expires_at`,
};

/**
 * The timer of all waits: ends due sleeps, and times out all others. A page of runs and a page of steps at a time, each
 * in lock order and in a few statements; locked rows are left to the next pass.
 */
export async function resolveDueTriggers(ctx: Ctx): Promise<boolean> {
  const moreOfRuns = await processDue(ctx, TIMERS, PAGE, (ofProject, max) =>
    resolvePage(ctx, (tx) => lockDueOfRuns(tx, { ofProject, max })),
  );
  const moreOfSteps = await processDue(ctx, TIMERS, PAGE, (ofProject, max) =>
    resolvePage(ctx, (tx) => lockDueOfSteps(tx, { ofProject, max })),
  );
  return moreOfRuns || moreOfSteps;
}

function resolvePage(ctx: Ctx, lock: (tx: Ctx & InTransaction) => Promise<DueTrigger[]>): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const due = await lock(tx);
    for (const [kind, triggers] of groupBy(due, (trigger) => trigger.wait_kind)) {
      await resolveTriggers(tx, triggers, ENDS[kind as WaitKind]);
    }
    return due.length;
  });
}

/** How a due wait of each kind ends. */
const ENDS: Record<WaitKind, TriggerEnd> = {
  sleep: { status: "received", payload: undefined, sent_by: null },
  event: timeout("No event arrived before the wait timed out."),
  child: timeout("The child run did not end before the wait timed out."),
  approval: timeout("Nobody decided before the approval timed out."),
};

function timeout(message: string): TriggerEnd {
  return { status: "timed_out", error: { code: "event_timeout", message } };
}
