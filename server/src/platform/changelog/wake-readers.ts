import type { Ctx } from "../context.ts";
import { collectForCommit } from "../database/after-commit.ts";
import { perService } from "../service-state.ts";
import { wake } from "../wakeups/wake.ts";
import type { ChangeKind } from "./append-changes.ts";

/** Runs and workflow runs have changed: for webhooks and streams. */
export const RUN_CHANGES_TOPIC = "run-changes";
/** Anything else has: only for streams, since each webhook causes several of these changes itself. */
export const OTHER_CHANGES_TOPIC = "other-changes";

/** Between two wake-ups of a topic from one instance: under load, one pass reads what was appended meanwhile. */
const MIN_INTERVAL_MS = 15;

/** The topics woken within the interval, and whether another wake-up is due after it. */
const recentWakeupsOf = perService((_: Ctx) => new Map<string, { isDue: boolean }>());

const wakeAfterCommit = collectForCommit<string>((ctx, topics) => {
  for (const topic of new Set(topics)) wakeReaders(ctx, topic);
});

/**
 * Wakes the readers of the changelog on all instances, after the commit. Callers that append changes call it after the
 * statement. Readers also poll, so that a lost wake-up only delays them.
 */
export function changesAppended(ctx: Ctx, kind: ChangeKind): void {
  wakeAfterCommit(ctx, [kind === "run" || kind === "workflow_run" ? RUN_CHANGES_TOPIC : OTHER_CHANGES_TOPIC]);
}

/** Sends the first at once; those of the next milliseconds together. */
function wakeReaders(ctx: Ctx, topic: string): void {
  const woken = recentWakeupsOf(ctx);
  const before = woken.get(topic);
  if (before) {
    before.isDue = true;
    return;
  }
  const current = { isDue: false };
  woken.set(topic, current);
  wake(ctx, topic);
  setTimeout(() => {
    woken.delete(topic);
    if (current.isDue) wakeReaders(ctx, topic);
  }, MIN_INTERVAL_MS).unref();
}
