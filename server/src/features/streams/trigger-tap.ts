import { EVENT_TRIGGER_TOPIC } from "../../flow/waits/trigger-changes.ts";
import type { Ctx } from "../../platform/context.ts";
import { perService } from "../../platform/service-state.ts";
import { readTriggers, type TaggedTrigger } from "./queries.ts";

const GATHER_MS = 20;
const MAX_AT_ONCE = 5_000;

export type TriggerListener = {
  project_id: string;
  onChange: (trigger: TaggedTrigger) => void;
  /** Called when changes were lost and cannot be delivered anymore. */
  onMissed: () => void;
};

type Tap = { listeners: Set<TriggerListener>; changed: Set<string>; timer: NodeJS.Timeout | undefined };

const tapOf = perService((ctx: Ctx): Tap => {
  const tap: Tap = { listeners: new Set(), changed: new Set(), timer: undefined };
  ctx.wakeup.onWake(EVENT_TRIGGER_TOPIC, (detail) =>
    detail === undefined ? notifyMissed(tap) : note(ctx, tap, detail),
  );
  return tap;
});

/** Notifies of each trigger change in a project as it happens. Triggers have no log, so missed changes are lost. */
export function listenToTriggers(ctx: Ctx, listener: TriggerListener): () => void {
  const { listeners } = tapOf(ctx);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Changes within a few milliseconds are read together, for all listeners. */
function note(ctx: Ctx, tap: Tap, detail: string): void {
  const [project_id] = detail.split(":");
  if (![...tap.listeners].some((listener) => listener.project_id === project_id)) return;
  tap.changed.add(detail);
  tap.timer ??= setTimeout(() => void notifyChanged(ctx, tap), GATHER_MS).unref();
}

async function notifyChanged(ctx: Ctx, tap: Tap): Promise<void> {
  tap.timer = undefined;
  const changed = [...tap.changed];
  tap.changed.clear();
  if (changed.length > MAX_AT_ONCE) return notifyMissed(tap);
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
