import { expect, it } from "vitest";
import { seedSubscription } from "../../../test/seed/seed-subscription.ts";
import { makeWorld } from "../../../test/world/world.ts";
import { findWork } from "../../engine/find-work.ts";
import { webhookSubscriptionTasks } from "./tasks.ts";

it("changes wake the task only while a project has an enabled subscription", async () => {
  const world = await makeWorld();
  const { id } = await world.project();
  const [task] = webhookSubscriptionTasks;
  if (!task) throw new Error("there is no task");
  const isWakeable = async () => (await findWork(world.ctx, [task])).get(task)?.isWakeable;
  await seedSubscription(world.connection, id, { enabled: false });
  expect(await isWakeable()).toBe(false);
  await seedSubscription(world.connection, id, { enabled: true });
  expect(await isWakeable()).toBe(true);
  expect((await world.admin.delete(`/v1/projects/${id}`)).status).toBe(204);
  expect(await isWakeable()).toBe(false);
});
