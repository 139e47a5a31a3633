import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

const HELD = 100;
const STEADY = 24;

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

describe("runs triggered during a bulk cancel", () => {
  it("R10 are each dispatched once, and all runs that match the filter are canceled", async () => {
    const endpoint = await jobEndpoint();
    const job = async (slug: string) =>
      (await project.api.post("/v1/jobs", { name: slug, slug, endpoint_url: endpoint.url })).body.id as string;
    await job("steady");
    const held = await job("held");
    await project.api.post("/v1/jobs/held/pause");
    await project.api.post("/v1/jobs/held/trigger/bulk", { items: Array.from({ length: HELD }, () => ({})) });
    const { id, total } = (await project.api.post("/v1/runs/bulk-cancel-all", { filter: { job_id: "held" } })).body;
    expect(total).toBe(HELD);

    const triggered: string[] = [];
    for (let n = 0; n < STEADY; n += 8) {
      const [responses] = await Promise.all([
        Promise.all(Array.from({ length: 8 }, () => project.api.post("/v1/jobs/steady/trigger", {}))),
        world.tick("work-on-batches"),
      ]);
      triggered.push(...responses.map(({ body }) => body.id as string));
    }
    await world.runUntilIdle();

    const came = endpoint.dispatches.map(({ run_id }) => run_id);
    expect(came.toSorted()).toEqual(triggered.toSorted());
    const batch = (await project.api.get(`/v1/batch-operations/${id}`)).body;
    expect(batch).toMatchObject({ status: "completed", processed: HELD, succeeded: HELD });
    const { data } = (await project.api.get(`/v1/runs?job_id=${held}&status=canceled&limit=100`)).body;
    expect(data).toHaveLength(HELD);
  }, 60_000);
});
