import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { countsOf, manyRunning, runNow, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { type Instance, makeWorld, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { sendEvent } from "../events/send-event.ts";

let world: World;
let instances: Instance[];
beforeAll(async () => {
  world = await makeWorld({ config: { max_active_event_triggers: 3 } });
  instances = [world, await world.anotherInstance(), await world.anotherInstance()];
  await untilUp(instances);
});

const setMaximum = async (project_id: string, max_active_event_triggers: number) => {
  const { status } = await world.admin.patch(`/v1/projects/${project_id}`, { max_active_event_triggers });
  expect(status).toBe(200);
};

describe("the quota of waiting event triggers", () => {
  it("T14 returns 429 with the maximum in the message, and the run keeps running", async () => {
    const project = await world.project();
    for (let nth = 0; nth < 3; nth++) await waitingRun(world, project);
    const run = await runningRun(world, project);
    const { status, body } = await run.sdk.post("/wait-for-event", { event_key: "one too many" });
    expect([status, body.code, body.error]).toEqual([
      429,
      "event_trigger_quota",
      "This project may have at most 3 waiting event triggers.",
    ]);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({ status: "running", waits: 0 });
    expect((await run.sdk.post("/heartbeat")).status).toBe(200);
    expect(await runSql(world.connection, "select 1 from event_triggers where event_key = 'one too many'")).toEqual([]);
  });

  it("T14 counts only waiting ones: each that ends makes room", async () => {
    const project = await world.project();
    const runs = [await waitingRun(world, project), await waitingRun(world, project), await waitingRun(world, project)];
    await sendEvent(world.ctx, {
      project_id: project.id,
      event_key: runs[0]?.event_key ?? "",
      payload: 1,
      sent_by: "t",
    });
    await waitingRun(world, project);
    await project.api.post(`/v1/runs/${runs[1]?.run_id}/cancel`);
    await waitingRun(world, project);
    const { sdk } = await runningRun(world, project);
    expect((await sdk.post("/wait-for-event", { event_key: "x" })).status).toBe(429);
  });

  it("T14 sleeps and awaited children do not count, and are not refused", async () => {
    const project = await world.project();
    for (let nth = 0; nth < 5; nth++)
      expect((await (await runningRun(world, project)).sdk.post("/sleep", { secs: 9 })).status).toBe(201);
    for (let nth = 0; nth < 3; nth++) await waitingRun(world, project);
    const { run_id, sdk } = await runningRun(world, project);
    const [{ job_id } = { job_id: "" }] = await runSql<{ job_id: string }>(
      world.connection,
      "select job_id from runs where id = $1",
      [run_id],
    );
    expect((await sdk.post("/spawn", { job_id, wait: true })).status).toBe(201);
  });

  it("T14 a buffered event is received although the quota is used up", async () => {
    const project = await world.project();
    for (let nth = 0; nth < 3; nth++) await waitingRun(world, project);
    await sendEvent(world.ctx, { project_id: project.id, event_key: "kept", payload: 1, sent_by: "t", buffer_secs: 9 });
    expect((await waitingRun(world, project, { event_key: "kept" })).trigger.status).toBe("received");
  });

  it("T14 a project may have a maximum of its own, lower or higher", async () => {
    const project = await world.project();
    await setMaximum(project.id, 1);
    await waitingRun(world, project);
    const { sdk } = await runningRun(world, project);
    const refused = await sdk.post("/wait-for-event", { event_key: "x" });
    expect(refused.body.error).toBe("This project may have at most 1 waiting event triggers.");
    await setMaximum(project.id, 5);
    expect((await sdk.post("/wait-for-event", { event_key: "x" })).status).toBe(201);
    await setMaximum(project.id, 0);
    const last = await runningRun(world, project);
    expect((await last.sdk.post("/wait-for-event", { event_key: "y" })).status).toBe(429);
  });

  it("T14 waits of steps count, although they are never refused", async () => {
    const project = await world.project();
    for (let nth = 0; nth < 4; nth++) await seedTrigger(world.connection, project.id, { workflow_run_id: newId() });
    const { sdk } = await runningRun(world, project);
    expect((await sdk.post("/wait-for-event", { event_key: "x" })).status).toBe(429);
  });

  it.each([12, 300])(
    "T14 is exact for thirty concurrent requests, with room for 12 and a maximum of %i",
    async (max) => {
      const project = await world.project();
      await setMaximum(project.id, max);
      if (max > 12) {
        await runSql(
          world.connection,
          "insert into event_trigger_counts (project_id, shard, active, waiting) values ($1, 7, $2, $2)",
          [project.id, max - 12],
        );
      }
      const runs = await manyRunning(world, project, 30);
      const responses = await Promise.all(
        runs.map((run, nth) =>
          fetch(`${instances[nth % 3]?.url}/sdk/v1/runs/${run.run_id}/wait-for-event`, {
            method: "POST",
            headers: { authorization: `Bearer ${run.token}`, "content-type": "application/json" },
            body: JSON.stringify({ event_key: `k${nth}` }),
          }),
        ),
      );
      // Without the locks on all counters near the limit some of them would each see room for themselves.
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(12);
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(18);
      const { counted, present } = await countsOf(world.connection, project.id);
      expect([counted.active, present.active]).toEqual([max, 12]);
    },
    30_000,
  );
});
