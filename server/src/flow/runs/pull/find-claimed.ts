import type { Ctx } from "../../../platform/context.ts";
import { isDataError } from "../../../platform/database/database-errors.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";
import { type ClaimedRun, claimedColumns } from "../claim/claimed-run.ts";
import type { Serves } from "./pull-catalog.ts";

/** What a repeated claim has in common with the first. */
export type ClaimNames = { project_id: string; worker_id: string; claim_id: string; serves: Serves };
type Waiting = { claim: ClaimNames; resolve: (runs: ClaimedRun[]) => void; reject: (error: unknown) => void };

/** The runs that the same request has claimed before. `cancel`: it finds none, unless it is already being looked up. */
export type Lookup = { found: Promise<ClaimedRun[]>; cancel: () => void };

const MAX_BATCH = 500;
const COLUMNS = claimedColumns("r");

/** Claims that have not been looked up yet, and when they will be. */
const lookupsOf = perService(() => ({
  waiting: new Set<Waiting>(),
  dueMs: Number.POSITIVE_INFINITY,
  timer: undefined as NodeJS.Timeout | undefined,
}));

/** Looks for them within `shareMs`: the response of the first request was lost. All that wait share the statement. */
export function findClaimed(ctx: Ctx, claim: ClaimNames, shareMs: number): Lookup {
  const { waiting } = lookupsOf(ctx);
  let cancel = () => {};
  const found = new Promise<ClaimedRun[]>((resolve, reject) => {
    // A claim may be looked for twice at once: by its wait, and because another instance has claimed for it.
    const own = { claim, resolve, reject };
    waiting.add(own);
    cancel = () => {
      if (waiting.delete(own)) resolve([]);
    };
  });
  lookUpWithin(ctx, shareMs);
  return { found, cancel };
}

export function findNow(ctx: Ctx, claim: ClaimNames): Promise<ClaimedRun[]> {
  return findClaimed(ctx, claim, 0).found;
}

function lookUpWithin(ctx: Ctx, ms: number): void {
  const lookups = lookupsOf(ctx);
  const dueMs = performance.now() + ms;
  if (dueMs >= lookups.dueMs) return;
  clearTimeout(lookups.timer);
  lookups.dueMs = dueMs;
  if (ms > 0) lookups.timer = setTimeout(() => lookUpAll(ctx), ms);
  else lookUpAll(ctx);
}

function lookUpAll(ctx: Ctx): void {
  const lookups = lookupsOf(ctx);
  lookups.dueMs = Number.POSITIVE_INFINITY;
  const all = [...lookups.waiting];
  lookups.waiting.clear();
  for (let from = 0; from < all.length; from += MAX_BATCH) void lookUp(ctx, all.slice(from, from + MAX_BATCH));
}

/** A claim that the database refuses fails alone: the others may be of other projects. */
async function lookUp(ctx: Ctx, batch: readonly Waiting[]): Promise<void> {
  try {
    const found: ClaimedRun[][] = batch.map(() => []);
    for (const { nth, ...run } of await readClaimed(ctx, batch)) found[nth]?.push(run);
    // All of them, whatever `max` is now: a worker that stops repeats its last claim with 1, to release what it got.
    batch.forEach(({ resolve }, nth) => void resolve(found[nth] ?? []));
  } catch (error) {
    const isOfOne = batch.length > 1 && isDataError(error);
    for (const each of batch) {
      if (isOfOne) void lookUp(ctx, [each]);
      else each.reject(error);
    }
  }
}

/**
 * Names of workers are not secret, so a key of another environment or for other queues gets none of them. The job may
 * have moved to another queue than the claim asks for.
 */
async function readClaimed(ctx: Ctx, batch: readonly Waiting[]): Promise<(ClaimedRun & { nth: number })[]> {
  const given = batch.map(({ claim: { serves, project_id, worker_id, claim_id } }, nth) => ({
    ...{ nth, project_id, worker_id, claim_id, queues: serves.keyQueues },
    environments: serves.environments ? [...serves.environments] : null,
  }));
  const { rows } = await sql<ClaimedRun & { nth: number }>`
    /* prepared */
    select g.nth, q.project_id, q.run_id, r.job_id, j.slug as job_slug, q.host, q.deadline, q.lease_token, q.slots, ${COLUMNS}
    from json_to_recordset(${JSON.stringify(given)}::json) as g(
      nth int, project_id uuid, worker_id text, claim_id uuid, environments uuid[], queues text[])
    cross join lateral (
      select * from run_queue q
      where q.project_id = g.project_id and q.worker_id = g.worker_id and q.worker_id is not null
        and q.claim_id = g.claim_id and q.lease_until is not null
      offset 0
    ) q
    join runs r on r.project_id = q.project_id and r.id = q.run_id and r.status = 'running'
    join jobs j on j.project_id = q.project_id and j.id = q.job_id
    where (g.environments is null or r.environment_id = any(g.environments))
      and (g.queues is null or j.queue = any(g.queues))
    order by g.nth, q.rank_at, q.run_id`.execute(ctx.db);
  return rows;
}
