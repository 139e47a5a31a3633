import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { newId } from "../../../platform/ids.ts";
import { logFailure } from "../../../platform/logging/log-failure.ts";
import { perService } from "../../../platform/service-state.ts";
import { type Coalescer, coalesce } from "../../coalesce.ts";

/** What a worker reports about itself when it claims. A heartbeat adds nothing. */
export type SeenWorker = {
  project_id: string;
  worker_id: string;
  /** It has announced its shutdown. */
  isGone?: true;
  claims?: {
    name: string | null;
    version: string | null;
    labels: Record<string, string>;
    concurrency: number | null;
    queues: string[] | null;
    jobs: string[] | null;
    api_key_id: string | null;
  };
};

const RECORD_EVERY_MS = 10_000;
const FLUSH_INTERVAL_MS = 1_000;
/** While many workers report: a thousand with idle polls are fifty a second. Short compared with WORKER_GONE_SECS. */
const BUSY = { intervalMs: 5_000, perSec: 5 };
const MAX_BATCH = 1_000;

const seenWorkersOf = perService((ctx: Ctx) => ({
  recordedAt: new Map<string, number>(),
  group: coalesce<SeenWorker, undefined>({
    flush: (seen) => writeSeen(ctx, seen),
    max: MAX_BATCH,
    parallel: 1,
    flushIntervalMs: FLUSH_INTERVAL_MS,
    // A worker that stops waits for it.
    whenBusy: { ...BUSY, isUrgent: ({ isGone }) => isGone === true },
    isCausedByItem: () => false,
  }) as Coalescer<SeenWorker, undefined>,
}));

/** Lists the worker as live. Written later, many together, and for each worker every ten seconds at most. */
export function recordWorker(ctx: Ctx, worker: SeenWorker): void {
  const { recordedAt, group } = seenWorkersOf(ctx);
  const key = `${worker.project_id} ${worker.worker_id}`;
  const now = performance.now();
  if (now - (recordedAt.get(key) ?? Number.NEGATIVE_INFINITY) < RECORD_EVERY_MS) return;
  recordedAt.set(key, now);
  for (const [other, at] of recordedAt) {
    if (now - at < RECORD_EVERY_MS) break;
    recordedAt.delete(other);
  }
  group.add(worker).catch((error) => logFailure(ctx, error, {}, "workers could not be listed"));
}

async function writeSeen(ctx: Ctx, seen: readonly SeenWorker[]): Promise<undefined[]> {
  const rows = [...new Map(seen.map((worker) => [`${worker.project_id} ${worker.worker_id}`, worker])).values()]
    .sort((a, b) => (a.worker_id < b.worker_id ? -1 : 1))
    .map(({ project_id, worker_id, isGone, claims }) => ({
      ...{ project_id, worker_id, id: newId(), ...claims },
      ...{ is_new: !!claims, is_gone: !!isGone },
    }));
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as g(
        project_id uuid, worker_id text, id uuid, name text, version text, labels jsonb, concurrency int, queues text[],
        jobs text[], api_key_id uuid, is_new boolean, is_gone boolean)
    ),
    known as (
      update workers w set last_seen_at = clock() from given g
      where not g.is_new and not g.is_gone and w.project_id = g.project_id and w.worker_id = g.worker_id
    ),
    gone as (
      delete from workers w using given g
      where g.is_gone and w.project_id = g.project_id and w.worker_id = g.worker_id
    )
    insert into workers as w (project_id, worker_id, id, name, version, labels, concurrency, queues, jobs, api_key_id,
      created_at, last_seen_at)
    select project_id, worker_id, id, name, version, coalesce(labels, '{}'), concurrency, queues, jobs, api_key_id, clock(), clock()
    from given where is_new order by project_id, worker_id
    on conflict (project_id, worker_id) do update set name = excluded.name, version = excluded.version,
      labels = excluded.labels, concurrency = excluded.concurrency, queues = excluded.queues, jobs = excluded.jobs,
      api_key_id = excluded.api_key_id, last_seen_at = excluded.last_seen_at`.execute(ctx.db);
  return seen.map(() => undefined);
}

/** Takes it off the list, in the order of what was recorded: its last claim may not have been written yet. */
export async function removeWorker(ctx: Ctx, project_id: string, worker_id: string): Promise<void> {
  const { recordedAt, group } = seenWorkersOf(ctx);
  recordedAt.delete(`${project_id} ${worker_id}`);
  await group.add({ project_id, worker_id, isGone: true });
}
