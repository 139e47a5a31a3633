import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { RunKey } from "../lock-runs.ts";
import { hasEnded } from "../refuse-ended.ts";
import type { RunStatus } from "../states.ts";
import { cancelRun } from "../stop/cancel-run.ts";
import { dependencyFailed } from "./dependency-failed.ts";
import { isSatisfied } from "./is-satisfied.ts";
import { closeLinks, releaseDependents } from "./release-dependents.ts";

type OpenLink = { run_id: string; condition: "completed" | "ended"; status: RunStatus | null };

const PAGE = 200;
const MAX_PAGES = 5;
const AT_ONCE = 4; // of the ten connections of an instance

/** `isDone`: no run depends on it any more. */
type SettledDependents = { settled: number; isDone: boolean };

/**
 * A run has ended: its dependents are queued, or canceled if they can never start. Each page in transactions of its
 * own, guarded by the open links: idempotent, also when run concurrently. Bounded, so that other outbox entries are not
 * delayed.
 */
export async function settleDependents(ctx: Ctx, ended: RunKey): Promise<SettledDependents> {
  let settled = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const links = await listOpen(ctx, ended);
    const status = links[0]?.status ?? GONE;
    if (links.length === 0 || !hasEnded(status)) return { settled, isDone: true };
    const going = links.filter(({ condition }) => isSatisfied(condition, status));
    await releaseDependents(ctx, ended, going.map(runIdOf), status);
    await cancelAll(ctx, ended, links.filter((link) => !going.includes(link)).map(runIdOf), status);
    settled += links.length;
    if (links.length < PAGE) return { settled, isDone: true };
  }
  return { settled, isDone: false };
}

/** A dependency that was removed before its end was seen satisfies no dependent. */
const GONE: RunStatus = "canceled";

function runIdOf({ run_id }: OpenLink): string {
  return run_id;
}

async function listOpen(ctx: Ctx, { project_id, run_id }: RunKey): Promise<OpenLink[]> {
  const { rows } = await sql<OpenLink>`
    select d.run_id, d.condition, (
      select r.status from runs r where r.project_id = d.project_id and r.id = d.depends_on_run_id) as status
    from run_dependencies d
    where d.project_id = ${project_id} and d.depends_on_run_id = ${run_id} and d.settled_at is null
    order by d.run_id limit ${PAGE}`.execute(ctx.db);
  return rows;
}

/**
 * Cancels the runs before it closes their links, so that after a crash in between they are found again. When they end,
 * their own dependents are canceled in turn.
 */
async function cancelAll(ctx: Ctx, ended: RunKey, run_ids: string[], status: RunStatus): Promise<void> {
  const left = [...run_ids];
  const cancelNext = async () => {
    for (let run_id = left.pop(); run_id !== undefined; run_id = left.pop())
      await cancelOne(ctx, ended, run_id, status);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, cancelNext));
  await closeLinks(ctx, ended, run_ids, status);
}

async function cancelOne(ctx: Ctx, ended: RunKey, run_id: string, status: RunStatus): Promise<void> {
  const { code: cause, message: reason } = dependencyFailed(ended.run_id, status);
  const by = { id: null, name: `run:${ended.run_id}` };
  await cancelRun(ctx, { project_id: ended.project_id, run_id, cause, reason, by });
}
