import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { derivedId } from "../../platform/derived-id.ts";
import type { Effect } from "../../platform/ledger/record-effects.ts";
import { tellSubscribers } from "../../platform/ledger/tell-subscribers.ts";
import { findTrigger, type TriggerRow } from "./read-trigger.ts";

/** Tells subscribers what happened to a trigger. True: there are deliveries. One that is gone is not told of. */
export async function tellOfTrigger(tx: Ctx & InTransaction, effect: Effect): Promise<boolean> {
  const { project_id, transition_id, target_id } = effect;
  const trigger = await findTrigger(tx, project_id, target_id);
  if (!trigger) return false;
  const happened = transition_id.slice(transition_id.lastIndexOf(":") + 1);
  const made = await tellSubscribers(tx, [
    {
      project_id,
      environment_id: trigger.environment_id,
      type: `event_trigger.${happened}`,
      id: derivedId("event_trigger", trigger.id, happened),
      created_at: (happened === "created" ? trigger.created_at : trigger.finished_at) ?? trigger.updated_at,
      source_type: "event_trigger",
      source_id: trigger.id,
      data: { ...trigger, callback_url: null, ...(await whatIsAsked(tx, trigger)) },
    },
  ]);
  return made > 0;
}

/** Of an approval its message, so that whoever is told can ask. Null too when the step was reset meanwhile. */
async function whatIsAsked(
  tx: Ctx & InTransaction,
  { project_id, workflow_run_id, id, wait_kind }: TriggerRow,
): Promise<{ message?: string | null }> {
  if (wait_kind !== "approval") return {};
  const { rows } = await sql<{ message: string | null }>`
    select message from step_runs
    where project_id = ${project_id} and workflow_run_id = ${workflow_run_id} and event_trigger_id = ${id}`.execute(
    tx.db,
  );
  return { message: rows[0]?.message ?? null };
}
