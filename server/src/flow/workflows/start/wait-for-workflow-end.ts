import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";
import { WORKFLOW_RUN_TOPIC, type WorkflowRunKey } from "../workflow-run-changes.ts";
import { readWorkflowRun, type WorkflowRunRow } from "../workflow-run-columns.ts";

/** A fallback for lost wake-ups. */
const POLL_EVERY_MS = 1_000;
/** Delay after a wake-up, so that those that arrive together share a query. */
const POLL_SOON_MS = 3;

type Waiter = WorkflowRunKey & { wake: () => void };

/**
 * Callers on this instance that wait for workflow runs to end. Polled together: one query per poll, however many wait.
 */
const waitingOf = perService((ctx: Ctx) => {
  const waiting = {
    waiters: new Map<string, Set<Waiter>>(),
    changed: new Set<string>(),
    soon: undefined as NodeJS.Timeout | undefined,
    later: undefined as NodeJS.Timeout | undefined,
  };
  ctx.wakeup.onWake(WORKFLOW_RUN_TOPIC, (detail) => pollChanged(ctx, detail?.split(":")[1]));
  return waiting;
});

/** Resolves when the workflow run has ended or the time is up, with its current state. Holds no connection. */
export async function waitForWorkflowEnd(
  ctx: Ctx,
  key: WorkflowRunKey,
  secs: number,
): Promise<{ run: WorkflowRunRow | undefined; hasEnded: boolean }> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, secs * 1_000);
    const waiter = { ...key, wake: done };
    function done(): void {
      clearTimeout(timer);
      removeWaiter(ctx, waiter);
      resolve();
    }
    addWaiter(ctx, waiter);
  });
  const run = await readWorkflowRun(ctx, key.project_id, key.workflow_run_id);
  return { run, hasEnded: run?.finished_at != null };
}

/** It may have ended before this call: it is read once, without a wake-up. */
function addWaiter(ctx: Ctx, waiter: Waiter): void {
  const { waiters } = waitingOf(ctx);
  const id = waiter.workflow_run_id;
  waiters.set(id, (waiters.get(id) ?? new Set()).add(waiter));
  pollChanged(ctx, id);
  planLater(ctx);
}

function removeWaiter(ctx: Ctx, waiter: Waiter): void {
  const { waiters } = waitingOf(ctx);
  const ofRun = waiters.get(waiter.workflow_run_id);
  ofRun?.delete(waiter);
  if (ofRun?.size === 0) waiters.delete(waiter.workflow_run_id);
}

/** Without an id, wake-ups may have been missed: the next poll of all of them, due soon, finds it. */
function pollChanged(ctx: Ctx, id: string | undefined): void {
  const waiting = waitingOf(ctx);
  if (id === undefined || !waiting.waiters.has(id)) return;
  waiting.changed.add(id);
  waiting.soon ??= setTimeout(() => {
    waiting.soon = undefined;
    const ids = [...waiting.changed];
    waiting.changed.clear();
    void poll(ctx, ids);
  }, POLL_SOON_MS);
}

function planLater(ctx: Ctx): void {
  const waiting = waitingOf(ctx);
  waiting.later ??= setTimeout(() => {
    waiting.later = undefined;
    void poll(ctx, [...waiting.waiters.keys()]).finally(() => {
      if (waiting.waiters.size > 0) planLater(ctx);
    });
  }, POLL_EVERY_MS);
}

async function poll(ctx: Ctx, ids: string[]): Promise<void> {
  const { waiters } = waitingOf(ctx);
  const waited = ids.flatMap((id) => [...(waiters.get(id) ?? [])].slice(0, 1));
  if (waited.length === 0) return;
  const keys = waited.map(({ project_id, workflow_run_id }) => ({ project_id, workflow_run_id }));
  for (const id of await endedOf(ctx, keys).catch(() => [])) for (const { wake } of waiters.get(id) ?? []) wake();
}

async function endedOf(ctx: Ctx, keys: WorkflowRunKey[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, workflow_run_id uuid)
    join workflow_runs w on w.project_id = g.project_id and w.id = g.workflow_run_id
    where w.finished_at is not null`.execute(ctx.db);
  return rows.map((row) => row.id);
}
