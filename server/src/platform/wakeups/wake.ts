import type { Ctx } from "../context.ts";
import { collectForCommit } from "../database/after-commit.ts";

type WakeUp = { topic: string; detail: string | undefined };

const wakeAll = collectForCommit<WakeUp>((ctx, all) => {
  const distinct = new Map(all.map((each) => [`${each.topic}\t${each.detail ?? ""}`, each]));
  for (const { topic, detail } of distinct.values()) ctx.wakeup.wake(topic, detail);
});

/**
 * Notifies every instance that there may be work under `topic`, after the commit: the only way to do so. A wake-up that
 * a transaction requests many times is sent once.
 */
export function wake(ctx: Ctx, topic: string, detail?: string): void {
  wakeAll(ctx, [{ topic, detail }]);
}
