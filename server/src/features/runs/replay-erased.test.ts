import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRun } from "../../../test/seed/seed-run.ts";
import { eraseData } from "../../../test/world/erase-data.ts";
import { holdGate, whenBlocked } from "../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id)).id;
});

const DEAD = { status: "failed", is_dead_letter: true, payload: { order: 7 } } as const;
const seed = (run: SeedRun = {}) => seedRun(world.connection, project.id, { job_id, ...DEAD, ...run });
const replay = (id: string, body?: object) => project.api.post(`/v1/runs/${id}/replay`, body);
const deadLetters = async () =>
  (await project.api.get("/v1/runs?dead_letter=true")).body.data.map(({ id }: { id: string }) => id);

async function seedErased(run: SeedRun = {}): Promise<string> {
  const id = await seed(run);
  await eraseData(project, `/v1/runs/${id}`);
  return id;
}

describe("a replay of a run whose data was deleted", () => {
  it("returns 409 without a payload: no run is created, and a dead letter stays one", async () => {
    for (const fields of [{}, { status: "completed", is_dead_letter: false }] satisfies SeedRun[]) {
      const id = await seedErased(fields);
      const { status, body } = await replay(id, { tags: { again: "yes" } });
      expect([status, body.code]).toEqual([409, "data_deleted"]);
      expect(body.detail).toContain("send a new one with the replay");
      expect((await project.api.get(`/v1/runs?replay_of=${id}`)).body.data).toEqual([]);
    }
    expect(await deadLetters()).toHaveLength(1);
  });

  it.each([{ order: 8 }, {}])("uses the payload it provides: %j", async (payload) => {
    const { status, body } = await replay(await seedErased(), { payload });
    expect([status, body.payload]).toEqual([201, payload]);
    expect(await deadLetters()).toEqual([]);
  });

  it("409 applies neither to a run without a payload nor to a replay whose original was erased", async () => {
    expect((await replay(await seed({ payload: {} }))).status).toBe(201);
    const original = await seed({ status: "completed", is_dead_letter: false });
    const { id } = (await replay(original)).body;
    await project.api.post(`/v1/runs/${id}/cancel`);
    await eraseData(project, `/v1/runs/${original}`);
    expect((await replay(id)).body.payload).toEqual({ order: 7 });
  });

  it("returns 409 if it had to wait for the erasure, too", async () => {
    const id = await seed();
    const gate = await holdGate(world.connection, "lock table audit_events in exclusive mode");
    const erased = project.api.delete(`/v1/runs/${id}/data`);
    await whenBlocked(world.connection, 1);
    const replayed = replay(id);
    await whenBlocked(world.connection, 2);
    await gate.open();
    expect([(await erased).status, (await replayed).body.code]).toEqual([204, "data_deleted"]);
  });

  it("fails alone in a bulk replay, with its reason", async () => {
    const [gone, kept] = [await seedErased(), await seed()];
    const { body } = await project.api.post("/v1/runs/bulk-replay", { run_ids: [gone, kept] });
    expect(body.results).toMatchObject([
      { replay_of: gone, status: "failed", run_id: null, error: { code: "data_deleted" } },
      { replay_of: kept, status: "created" },
    ]);
  });

  it.each(["by id", "by a filter"])("fails alone in a replay of dead letters %s", async (way) => {
    const [gone, kept] = [await seedErased(), await seed()];
    const order = way === "by id" ? { run_ids: [gone, kept] } : { filter: {} };
    const { id } = (await project.api.post("/v1/runs/bulk-dlq-replay", order)).body;
    while (await world.tick("work-on-batches"));
    expect((await project.api.get(`/v1/batch-operations/${id}`)).body).toMatchObject({ succeeded: 1, failed: 1 });
    const items = (await project.api.get(`/v1/batch-operations/${id}/items`)).body.data;
    const failed = items.filter(({ status }: { status: string }) => status === "failed");
    expect(failed).toMatchObject([{ target_id: gone, error: { code: "data_deleted" } }]);
    expect(await deadLetters()).toEqual([gone]);
  });
});
