import type { SdkSpawnBody } from "@millrace/contract/runs/sdk-runs";
import type { InTransaction, RunCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { RunStatus } from "../runs/states.ts";
import { findOwnWait, openRunWait } from "./open-run-wait.ts";

export type ChildWait = { id: string; timeout_secs: number };

const MAX_WAIT_SECS = 31_536_000;
/** Bounds the recursion. Runs spawn at most 32 levels deep. */
const MAX_DEPTH = 64;

/** Undefined: the caller does not want to wait. */
export function readChildWait({ wait, wait_timeout_secs }: SdkSpawnBody): ChildWait | undefined {
  if (wait === true) return { id: newId(), timeout_secs: wait_timeout_secs ?? MAX_WAIT_SECS };
  if (wait_timeout_secs == null) return undefined;
  throw invalid("body.wait_timeout_secs", "is only allowed together with `wait: true`", wait_timeout_secs);
}

/** The child that the calling attempt already waits for: it did not receive the response and retries. */
export async function findOwnChild(ctx: RunCtx, idempotency_key: string | null | undefined) {
  if (idempotency_key == null) return undefined;
  const own = await findOwnWait(ctx, "child");
  const { rows } = await sql<{ id: string }>`
    select id from runs where project_id = ${ctx.project_id} and id = ${own?.child_run_id ?? null}
      and idempotency_key = ${idempotency_key}`.execute(ctx.db);
  return rows[0]?.id;
}

/**
 * Suspends the calling run until the child has ended. The child may be an existing run, which may have ended: then the
 * caller continues at once. Call it under the fence.
 */
export async function awaitChild(tx: RunCtx & InTransaction, wait: ChildWait, child_id: string): Promise<void> {
  await refuseAncestor(tx, child_id);
  const child = (await claimEnd(tx, wait, child_id)) ? undefined : await readEnded(tx, child_id);
  const received = child ? { payload: endOfChild(child), sent_by: `run:${child_id}` } : null;
  await openRunWait(tx, { ...wait, wait_kind: "child", child_run_id: child_id, received });
}

/** An existing run as child may be the caller itself, or wait for it: a deadlock. */
async function refuseAncestor(tx: RunCtx & InTransaction, child_id: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    with recursive line as (
      select ${tx.run_id}::uuid as id, 0 as depth
      union all
      select r.parent_run_id, line.depth + 1 from line
      join runs r on r.project_id = ${tx.project_id} and r.id = line.id
      where r.parent_run_id is not null and line.depth < ${MAX_DEPTH}
    )
    select id from line where id = ${child_id}`.execute(tx.db);
  if (rows.length === 0) return;
  throw new ApiError(
    "conflict",
    "The trigger returned an existing run: the caller itself or one of its ancestors. Waiting for it would deadlock.",
  );
}

/** Registers this wait as `awaited_by`, which a new child has from its creation on. False: the child has ended. */
async function claimEnd(tx: RunCtx & InTransaction, { id }: ChildWait, child_id: string): Promise<boolean> {
  const { rows } = await sql<{ awaited_by: string }>`
    update runs r set awaited_by = case
      when exists (select 1 from event_triggers t where t.project_id = r.project_id and t.id = r.awaited_by
        and t.status = 'waiting') then r.awaited_by else ${id}::uuid end
    where r.project_id = ${tx.project_id} and r.id = ${child_id} and r.finished_at is null
    returning r.awaited_by`.execute(tx.db);
  if (!rows[0]) return false;
  if (rows[0].awaited_by === id) return true;
  throw new ApiError("conflict", "The trigger returned an existing run that another run is already waiting for.");
}

/** What a parent receives from its child. */
export function endOfChild({ status, result, error }: EndedChild): object {
  return status === "completed" ? { ok: true, status, output: result } : { ok: false, status, error };
}

export type EndedChild = { status: RunStatus; result: unknown; error: unknown };

async function readEnded(tx: RunCtx & InTransaction, child_id: string): Promise<EndedChild> {
  const { rows } = await sql<EndedChild>`
    select status, result, error from runs where project_id = ${tx.project_id} and id = ${child_id}`.execute(tx.db);
  if (!rows[0]) throw new Error("the child is gone");
  return rows[0];
}
