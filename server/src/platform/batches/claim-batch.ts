import { randomUUID } from "node:crypto";
import type { Actor } from "../actor.ts";
import { appendStates } from "../changelog/append-changes.ts";
import { changesAppended } from "../changelog/wake-readers.ts";
import type { Access, Ctx, InTransaction, TokenLimits } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";

/** A batch leased by this instance. */
export type HeldBatch = {
  project_id: string;
  id: string;
  kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the kind
  request: any;
  // biome-ignore lint/suspicious/noExplicitAny: as the request
  plan: any;
  total: number;
  /** The environment its creator is bound to. */
  environment_id: string | null;
  /** Further restrictions of its creator. */
  access: { access?: Access; limits?: TokenLimits } | null;
  created_by: string;
  created_by_id: string | null;
  created_at: string;
  lease_token: string;
};

/** The creator of a batch, on whose behalf its pages act. */
export function creatorOf({ created_by, created_by_id }: HeldBatch): Actor {
  return { id: created_by_id, name: created_by };
}

/** Far longer than a pass: it expires only if the holder died. */
const LEASE_SECS = 60;

/** An SQL condition: a batch of these kinds has not ended. */
export function hasUnfinishedBatches(kinds: readonly string[]): Sql {
  return sql`exists (
    select b.project_id from batch_operations b
    where b.finished_at is null and b.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))}))`;
}

/**
 * Leases a batch of these kinds that was idle for at least `idle_secs` to this instance. Concurrent instances get
 * different ones. Projects rotate, however many batches they have: the project whose batches have waited
 * longest comes first, with its longest idle batch. Release it with `releaseBatch`. `updated_at` is rounded to the
 * millisecond, so it may be later than now. Materialized: a join that ran the subquery for each row would lock all of them.
 */
export async function claimBatch(
  ctx: Ctx,
  { kinds, idle_secs }: { kinds: readonly string[]; idle_secs: number },
): Promise<HeldBatch | undefined> {
  const { rows } = await sql<HeldBatch>`
    /* prepared */
    with unfinished as materialized (
      select project_id, id, updated_at, max(updated_at) over (partition by project_id) as served_at
      from batch_operations where finished_at is null and kind = any(${[...kinds]}::text[])
    ),
    next as materialized (
      select l.* from (
        select b.project_id, b.id from unfinished u join batch_operations b on b.project_id = u.project_id and b.id = u.id
        where b.finished_at is null and (b.lease_until is null or b.lease_until <= clock())
          and b.updated_at < clock() - ${idle_secs} * interval '1 second' + interval '1 millisecond'
        order by u.served_at, u.updated_at, u.id limit 1 for update of b skip locked
      ) l
    ),
    claimed as (
      update batch_operations b set prev_status = b.status, status = 'running', updated_at = clock(),
        lease_until = clock() + ${LEASE_SECS} * interval '1 second', lease_token = ${randomUUID()},
        leased_by = ${ctx.instance_id}
      from next
      where b.project_id = next.project_id and b.id = next.id
      returning b.project_id, b.id, b.kind, b.request, b.plan, b.total, b.access, b.environment_id, b.created_by,
        b.created_by_id, b.created_at, b.lease_token
    ),
    ${appendStates("batch_operation", sql`claimed`)}
    select * from claimed`.execute(ctx.db);
  if (rows.length > 0) changesAppended(ctx, "batch_operation");
  return rows[0];
}

export type BatchProgress = { processed: number; walk: unknown };

/**
 * The first statement of every transaction that acts on items: concurrent instances wait here. Undefined:
 * the batch has ended or another instance has its lease, and nothing may be done.
 */
export async function lockBatch(
  tx: Ctx & InTransaction,
  { project_id, id, lease_token }: HeldBatch,
): Promise<BatchProgress | undefined> {
  const { rows } = await sql<BatchProgress>`
    update batch_operations set prev_status = status, lease_until = clock() + ${LEASE_SECS} * interval '1 second'
    where project_id = ${project_id} and id = ${id} and status = 'running' and lease_token = ${lease_token}
    returning processed, walk`.execute(tx.db);
  return rows[0];
}

/** Expires the leases of dead instances: others may claim the batches at once. */
export async function releaseBatchesOf(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  await sql`
    update batch_operations set lease_until = clock(), prev_status = status
    where finished_at is null and lease_until > clock() and leased_by = any(${[...instance_ids]}::uuid[])
    returning project_id`.execute(ctx.db);
}

/** Releases the lease after a pass. A batch that has ended has none. */
export async function releaseBatch(ctx: Ctx, { project_id, id, lease_token }: HeldBatch): Promise<void> {
  await sql`
    update batch_operations set lease_until = null, lease_token = null, prev_status = status, updated_at = clock()
    where project_id = ${project_id} and id = ${id} and lease_token = ${lease_token}`.execute(ctx.db);
}
