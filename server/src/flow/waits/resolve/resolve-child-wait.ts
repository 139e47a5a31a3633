import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import type { RunStatus } from "../../runs/states.ts";
import { resolveTriggers } from "./resolve-trigger.ts";

type Child = { id: string; status: RunStatus; result: unknown; error: unknown };

/** An awaited child has ended: the parent continues with its result. */
export async function resolveChildWait(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  const { project_id, transition_id, target_id: trigger_id } = entry;
  const [run_id = ""] = transition_id.split(":");
  const { rows } = await sql<Child>`
    select r.id, r.status, r.result, r.error from event_triggers t
    join runs r on r.project_id = t.project_id and r.id = t.child_run_id
    where t.project_id = ${project_id} and t.id = ${trigger_id} and t.child_run_id = ${run_id}
      and r.finished_at is not null`.execute(tx.db);
  const [child] = rows;
  if (!child) return;
  const end = { status: "received", payload: endOfChild(child), sent_by: `run:${run_id}` } as const;
  await resolveTriggers(tx, [{ project_id, trigger_id }], end);
}

/** What a parent receives from its child. */
export function endOfChild({ status, result, error }: Omit<Child, "id">): object {
  return status === "completed" ? { ok: true, status, output: result } : { ok: false, status, error };
}
