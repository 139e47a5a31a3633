import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { EVENT_TRIGGER_TOPIC } from "../../flow/waits/trigger-changes.ts";
import { isRunWithin, isWorkflowRunWithin, tokenLimitsOf } from "../../platform/access/credentials/token-limits.ts";
import { decide, type Target } from "../../platform/access/policies/decide.ts";
import { mayUse } from "../../platform/access/policies/visibility.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { perService } from "../../platform/service-state.ts";
import type { EventStream } from "../../platform/streams/event-stream.ts";
import { paceStream } from "../../platform/streams/pace-stream.ts";
import { findTriggersByKey, readTriggers, type TaggedTrigger, type TriggerState } from "./queries.ts";
import type { SeenAs } from "./require-topics.ts";
import type { Topic } from "./topics.ts";

/**
 * Streams event triggers: for a key its current state and each change, for all only the changes. Subscribes first, then
 * reads.
 */
export function followTriggers(seenAs: SeenAs, stream: EventStream, topics: Topic[]): () => void {
  const ctx = seenAs.events;
  const followed = topics.filter(({ kind }) => kind === "events" || kind === "event");
  if (followed.length === 0) return () => {};
  const paced = paceStream(stream);
  const send = (trigger: TriggerState, names: string[]) => {
    if (names.length > 0) paced.push([{ event: "change", data: present(trigger, names) }]);
  };
  const sendCurrent = () => {
    const keys = followed.flatMap(({ kind, id }) => (kind === "event" ? [id] : []));
    findTriggersByKey(ctx, keys).then(
      (triggers) => {
        for (const trigger of triggers) send(trigger, namesOf(followed, trigger, "event"));
      },
      (error) => ctx.log.debug({ reason: String(error) }, "triggers could not be read"),
    );
  };
  const stop = listenToTriggers(ctx, {
    project_id: ctx.project_id,
    onChange: (tagged) => {
      if (maySee(seenAs, tagged)) send(tagged.trigger, namesOf(followed, tagged.trigger));
    },
    onMissed: () => {
      paced.push([{ event: "reset", data: { topics: followed.map(({ name }) => name) } }]);
      sendCurrent();
    },
  });
  sendCurrent();
  return stop;
}

function namesOf(topics: Topic[], { event_key }: TriggerState, only?: "event"): string[] {
  return topics.flatMap(({ name, kind, id }) => {
    const isMatch = kind === "events" ? only === undefined : id === event_key;
    return isMatch ? [name] : [];
  });
}

function present(trigger: TriggerState, topics: string[]): StreamChange {
  const { project_id: _, id, updated_at, ...object } = trigger;
  return { topics, type: "event.status", id, at: updated_at, object };
}

/** The same check as `visibleTrigger`, for a loaded row. */
function maySee(
  { events, runs, workflow_runs }: SeenAs,
  { trigger, tags, job_id, workflow_id }: TaggedTrigger,
): boolean {
  const { id, environment_id, job_run_id, workflow_run_id } = trigger;
  if (!mayUse(events, { type: "event_trigger", id, environment_id })) return false;
  const limits = tokenLimitsOf(events.caller);
  if (job_run_id !== null) {
    const run = { type: "run", id: job_run_id, environment_id, job_id, tags };
    return !isDenied(runs, run) && isRunWithin(limits, { id: job_run_id, tags });
  }
  if (workflow_run_id === null) return !limits;
  const run = { type: "workflow_run", id: workflow_run_id, environment_id, workflow_id, tags };
  return !isDenied(workflow_runs, run) && isWorkflowRunWithin(limits, { id: workflow_run_id, tags });
}

/** The waiting run need not be covered by the caller's scopes, but no policy may deny it. */
function isDenied({ access }: ProjectCtx, target: Target): boolean {
  return access !== undefined && !decide({ ...access, isHeld: true }, target).allowed;
}

const GATHER_MS = 20;
const MAX_BATCH = 5_000;

type TriggerListener = {
  project_id: string;
  onChange: (trigger: TaggedTrigger) => void;
  /** Called when changes were lost and cannot be delivered anymore. */
  onMissed: () => void;
};

type Tap = { listeners: Set<TriggerListener>; changed: Set<string>; timer: NodeJS.Timeout | undefined };

const tapOf = perService((ctx: Ctx): Tap => {
  const tap: Tap = { listeners: new Set(), changed: new Set(), timer: undefined };
  ctx.wakeup.onWake(EVENT_TRIGGER_TOPIC, (detail) =>
    detail === undefined ? notifyMissed(tap) : addChanged(ctx, tap, detail),
  );
  return tap;
});

/** Notifies of each trigger change in a project as it happens. Triggers have no log, so missed changes are lost. */
function listenToTriggers(ctx: Ctx, listener: TriggerListener): () => void {
  const { listeners } = tapOf(ctx);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Changes within a few milliseconds are read together, for all listeners. */
function addChanged(ctx: Ctx, tap: Tap, detail: string): void {
  const [project_id] = detail.split(":");
  if (![...tap.listeners].some((listener) => listener.project_id === project_id)) return;
  tap.changed.add(detail);
  tap.timer ??= setTimeout(() => void notifyChanged(ctx, tap), GATHER_MS).unref();
}

async function notifyChanged(ctx: Ctx, tap: Tap): Promise<void> {
  tap.timer = undefined;
  const changed = [...tap.changed];
  tap.changed.clear();
  if (changed.length > MAX_BATCH) return notifyMissed(tap);
  try {
    const triggers = await readTriggers(ctx, changed.map(keyOf));
    for (const tagged of triggers)
      for (const { project_id, onChange } of tap.listeners)
        if (project_id === tagged.trigger.project_id) onChange(tagged);
  } catch (error) {
    ctx.log.debug({ reason: String(error) }, "changed triggers could not be read");
    notifyMissed(tap);
  }
}

function notifyMissed({ listeners }: Tap): void {
  for (const { onMissed } of listeners) onMissed();
}

function keyOf(detail: string) {
  const [project_id = "", id = ""] = detail.split(":");
  return { project_id, id };
}
