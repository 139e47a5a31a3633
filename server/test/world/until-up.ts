import type { Ctx } from "../../src/platform/context.ts";
import { until } from "./until.ts";

/** Opening an instance keeps this process busy for a while: open instances may consider their database unavailable. */
export async function untilUp(instances: readonly { ctx: Ctx }[]): Promise<void> {
  for (const { ctx } of instances) {
    await until("the database to respond", 20_000, async () => {
      await ctx.watch.ping();
      return ctx.watch.isUp();
    });
  }
}
