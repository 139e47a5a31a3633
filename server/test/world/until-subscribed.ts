import { until } from "./until.ts";
import type { Instance } from "./world.ts";

/** Returns when wake-ups of one instance reach another: those sent before it listens are lost. */
export async function untilSubscribed(from: Instance, to: Instance): Promise<void> {
  let isHeard = false;
  const unsubscribe = to.ctx.wakeup.onWake("test", (detail) => {
    if (detail === from.ctx.instance_id) isHeard = true;
  });
  await until("a wake-up to arrive", 20_000, () => {
    from.ctx.wakeup.wake("test", from.ctx.instance_id);
    return isHeard;
  });
  unsubscribe();
}
