import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { dispatchBench } from "../../../test/costs/dispatch-bench.ts";
import { until } from "../../../test/world/until.ts";
import { untilSubscribed } from "../../../test/world/until-subscribed.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { Ctx } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { newServiceState } from "../service-state.ts";
import { changesAppended, OTHER_CHANGES_TOPIC, RUN_CHANGES_TOPIC } from "./wake-readers.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** An instance whose wake-ups are only recorded. */
function recording() {
  const woken: string[] = [];
  const wakeup = { ...world.ctx.wakeup, wake: (topic: string) => void woken.push(topic) };
  return { woken, ctx: { ...world.ctx, wakeup, state: newServiceState() } as Ctx };
}

describe("appended changes", () => {
  it("wake readers after the commit, once for a transaction", async () => {
    const { woken, ctx } = recording();
    await inTransaction(ctx, async (tx) => {
      changesAppended(tx, "run");
      changesAppended(tx, "workflow_run");
      changesAppended(tx, "webhook_delivery");
      expect(woken).toEqual([]);
    });
    expect(woken).toEqual([RUN_CHANGES_TOPIC, OTHER_CHANGES_TOPIC]);
  });

  it("wake no reader if the transaction is rolled back", async () => {
    const { woken, ctx } = recording();
    const failed = inTransaction(ctx, async (tx) => {
      changesAppended(tx, "run");
      throw new Error("not today");
    });
    await expect(failed).rejects.toThrow("not today");
    expect(woken).toEqual([]);
  });

  it("wake at once, then at most every 15 ms, and the last of them is not lost", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { woken, ctx } = recording();
    for (let ms = 0; ms < 100; ms++) {
      changesAppended(ctx, "run");
      vi.advanceTimersByTime(1);
    }
    expect(woken).toHaveLength(7);
    vi.advanceTimersByTime(15);
    expect(woken).toHaveLength(8);
    vi.advanceTimersByTime(1_000);
    expect(woken).toHaveLength(8);
  });

  it("wake readers on another instance, wherever they were appended", async () => {
    const other = await world.anotherInstance();
    await untilSubscribed(world, other);
    const woken: string[] = [];
    onTestFinished(other.ctx.wakeup.onWake(RUN_CHANGES_TOPIC, () => void woken.push(RUN_CHANGES_TOPIC)));
    await (await dispatchBench(world)).run();
    await until("the wake-up to arrive", 20_000, () => woken.length > 0);
  });
});
