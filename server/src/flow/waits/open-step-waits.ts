import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { takeBuffered } from "./buffered-events.ts";
import type { EventKey } from "./event-keys.ts";
import { creationOf, insertTriggers, type NewTrigger } from "./insert-triggers.ts";
import { countCreatedTriggers, notifyReceived, notifyTriggers, updateTriggerCounts } from "./trigger-changes.ts";

type NewStepWait = {
  id: string;
  project_id: string;
  environment_id: string;
  workflow_run_id: string;
  workflow_step_run_id: string;
  generation: number;
  wait_kind: "event" | "sleep" | "approval";
  /** Null: internal, derived from the id. */
  event_key: string | null;
  timeout_secs: number;
  notify_url: string | null;
};

export type StepWaitResult =
  | { kind: "waiting"; trigger_id: string }
  /** An event was buffered for it: the trigger is created as received. */
  | { kind: "received"; trigger_id: string; payload: unknown }
  | { kind: "refused"; error: { code: "event_key_in_use"; message: string } };

type EventWait = NewStepWait & { event_key: string };

/**
 * Opens the waits of steps and returns a result for each, in order. Call it under the locks of their keys and of their
 * workflow runs. They count towards the quota, and are never refused by it.
 */
export async function openStepWaits(tx: Ctx & InTransaction, waits: readonly NewStepWait[]): Promise<StepWaitResult[]> {
  const eventWaits = waits.filter((wait): wait is EventWait => wait.event_key !== null);
  const inUse = await findKeysInUse(tx, eventWaits);
  const refused = new Set<NewStepWait>(eventWaits.filter((wait) => !tryUseKey(inUse, wait)));
  const events = await takeBuffered(
    tx,
    eventWaits.filter((wait) => !refused.has(wait)),
  );
  const byKey = new Map(events.map((event) => [nameOf(event), event]));
  const opened = waits.filter((wait) => !refused.has(wait));
  const triggers = await insertTriggers(
    tx,
    opened.map((wait) => triggerOf(wait, wait.event_key === null ? undefined : byKey.get(nameOf(wait as EventWait)))),
  );
  await updateTriggerCounts(tx, triggers.map(creationOf));
  const received = triggers.filter((trigger) => trigger.status === "received");
  await notifyReceived(tx, received);
  notifyTriggers(
    tx,
    triggers.map(({ project_id, id }) => ({ project_id, trigger_id: id })),
  );
  countCreatedTriggers(tx, triggers, received.length);
  const byId = new Map(triggers.map((trigger) => [trigger.id, trigger]));
  return waits.map((wait) => resultOf(wait, byId.get(wait.id)));
}

/** Keys that are already waited for. */
async function findKeysInUse(tx: Ctx & InTransaction, eventWaits: readonly EventKey[]): Promise<Set<string>> {
  if (eventWaits.length === 0) return new Set();
  const { rows } = await sql<EventKey>`
    select t.project_id, t.event_key
    from unnest(${eventWaits.map((wait) => wait.project_id)}::uuid[], ${eventWaits.map((wait) => wait.event_key)}::text[])
      as g(project_id, event_key), lateral (
      select t.project_id, t.event_key from event_triggers t
      where t.project_id = g.project_id and t.event_key = g.event_key and t.status = 'waiting'
        and t.wait_kind = 'event' limit 1
    ) t`.execute(tx.db);
  return new Set(rows.map(nameOf));
}

/** Of two requests for the same key the first gets it. */
function tryUseKey(inUse: Set<string>, wait: EventKey): boolean {
  const name = nameOf(wait);
  const isFree = !inUse.has(name);
  inUse.add(name);
  return isFree;
}

function nameOf({ project_id, event_key }: EventKey): string {
  return `${project_id}/${event_key}`;
}

function triggerOf(wait: NewStepWait, event: NewTrigger["received"] | undefined): NewTrigger {
  return {
    ...wait,
    timeout_secs: Math.ceil(wait.timeout_secs),
    job_run_id: null,
    ordinal: null,
    child_run_id: null,
    until: null,
    received: event ?? null,
  };
}

function resultOf(wait: NewStepWait, trigger: { status: string; payload: unknown } | undefined): StepWaitResult {
  if (!trigger) {
    const message = `Another run or step is waiting for the event key ${wait.event_key}.`;
    return { kind: "refused", error: { code: "event_key_in_use", message } };
  }
  if (trigger.status === "waiting") return { kind: "waiting", trigger_id: wait.id };
  return { kind: "received", trigger_id: wait.id, payload: trigger.payload };
}
