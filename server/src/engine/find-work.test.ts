import { expect, it } from "vitest";
import { makeWorld } from "../../test/world/world.ts";
import { allTasks } from "./all-tasks.ts";
import { findWork } from "./find-work.ts";

const WITH_CURSORS = ["publish-webhooks", "recount-events", "recount-webhooks", "sum-changes"];

it("in an idle service no task has work, once those that count have cursors", async () => {
  const world = await makeWorld();
  const checked = allTasks.filter(({ hasWork }) => hasWork);
  const withWork = async () => {
    const found = await findWork(world.ctx, checked);
    return checked.filter((task) => found.get(task)?.hasWork).map(({ name }) => name);
  };
  expect((await withWork()).toSorted()).toEqual(WITH_CURSORS);
  for (const name of WITH_CURSORS) await world.tick(name);
  expect(await withWork()).toEqual([]);
});
