import { expect, it } from "vitest";
import { seedSubscription } from "../../../test/seed/seed-subscription.ts";
import { makeWorld } from "../../../test/world/world.ts";
import { findWork } from "../../engine/find-work.ts";
import { webhookSubscriptionTasks } from "./tasks.ts";

it("changes wake the task only while there is an enabled subscription", async () => {
  const world = await makeWorld();
  const { id } = await world.project();
  const [task] = webhookSubscriptionTasks;
  if (!task) throw new Error("there is no task");
  const isWakeable: (boolean | undefined)[] = [];
  for (const enabled of [false, true]) {
    await seedSubscription(world.connection, id, { enabled });
    isWakeable.push((await findWork(world.ctx, [task])).get(task)?.isWakeable);
  }
  expect(isWakeable).toEqual([false, true]);
});
