import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";
import { type RunRow, readRun } from "../run-columns.ts";

const POLL_EVERY_MS = 200;

type Waiter = { project_id: string; wake: () => void };

/** Callers on this instance that wait for runs to end. Polled together: one query per poll, however many wait. */
const waitersOf = perService(() => new Map<string, Set<Waiter>>());
/** Only one poll is scheduled at a time, even if waiters leave and new ones arrive. */
const pollOf = perService(() => ({ isScheduled: false }));

/** Resolves when the run has ended or the time is up, with the run's current state. Holds no connection meanwhile. */
export async function waitForEnd(
  ctx: Ctx,
  project_id: string,
  run_id: string,
  secs: number,
): Promise<{ run: RunRow | undefined; hasEnded: boolean }> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, secs * 1_000);
    const waiter = { project_id, wake: done };
    function done(): void {
      clearTimeout(timer);
      removeWaiter(ctx, run_id, waiter);
      resolve();
    }
    addWaiter(ctx, run_id, waiter);
  });
  const run = await readRun(ctx, project_id, run_id);
  return { run, hasEnded: run?.finished_at != null };
}

/** Runs settled on this instance resolve at once, without a poll. */
export function wakeWaitersForEnd(ctx: Ctx, run_ids: readonly string[]): void {
  const waiters = waitersOf(ctx);
  if (waiters.size === 0) return;
  for (const run_id of run_ids) for (const { wake } of waiters.get(run_id) ?? []) wake();
}

function addWaiter(ctx: Ctx, run_id: string, waiter: Waiter): void {
  const waiters = waitersOf(ctx);
  schedulePoll(ctx);
  waiters.set(run_id, (waiters.get(run_id) ?? new Set()).add(waiter));
}

function removeWaiter(ctx: Ctx, run_id: string, waiter: Waiter): void {
  const waiters = waitersOf(ctx);
  const ofRun = waiters.get(run_id);
  ofRun?.delete(waiter);
  if (ofRun?.size === 0) waiters.delete(run_id);
}

function schedulePoll(ctx: Ctx): void {
  const next = pollOf(ctx);
  if (next.isScheduled) return;
  next.isScheduled = true;
  setTimeout(() => void poll(ctx), POLL_EVERY_MS);
}

async function poll(ctx: Ctx): Promise<void> {
  const waiters = waitersOf(ctx);
  const waited = Array.from(waiters, ([run_id, ofRun]) => ({ run_id, project_id: [...ofRun][0]?.project_id }));
  const ended = waited.length === 0 ? [] : await endedOf(ctx, waited).catch(() => []);
  wakeWaitersForEnd(ctx, ended);
  pollOf(ctx).isScheduled = false;
  if (waiters.size > 0) schedulePoll(ctx);
}

async function endedOf(ctx: Ctx, waited: { run_id: string; project_id: string | undefined }[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from json_to_recordset(${JSON.stringify(waited)}::json) as g(project_id uuid, run_id uuid)
    join runs r on r.project_id = g.project_id and r.id = g.run_id
    where r.finished_at is not null`.execute(ctx.db);
  return rows.map((row) => row.id);
}
