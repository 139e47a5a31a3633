import { expect, it } from "vitest";
import { seedSubscription } from "../../../test/seed-subscription.ts";
import { makeWorld } from "../../../test/world.ts";
import { newServiceState } from "../../platform/service-state.ts";
import { intervalOf } from "../../platform/task.ts";
import { webhookSubscriptionTasks } from "./tasks.ts";

it("changes are published sooner while there is an enabled subscription, and cost no more otherwise", async () => {
  const world = await makeWorld();
  const { id } = await world.project();
  const [task] = webhookSubscriptionTasks;
  if (!task?.hasWork) throw new Error("there is no task that checks for work");
  const intervals: number[] = [];
  for (const enabled of [false, true]) {
    await seedSubscription(world.connection, id, { enabled });
    const ctx = { ...world.ctx, state: newServiceState() };
    await task.hasWork(ctx);
    intervals.push(intervalOf(ctx, task));
  }
  expect(intervals).toEqual([500, 40]);
});
