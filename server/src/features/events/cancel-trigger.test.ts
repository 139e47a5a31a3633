import { beforeAll, describe, expect, it } from "vitest";
import { type SeedTrigger, seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

async function seed(trigger: SeedTrigger = {}, { id } = project) {
  const seeded = await seedTrigger(world.connection, id, trigger);
  return { ...seeded, path: `/v1/events/${encodeURIComponent(seeded.event_key)}` };
}

describe("DELETE /v1/events/{eventKey}", () => {
  it("T6 cancels a waiting trigger and the waiting run", async () => {
    const { path, job_run_id } = await seed();
    const response = await project.api.delete(path);
    expect([response.status, response.text]).toEqual([204, ""]);
    expect((await project.api.get(path)).body).toMatchObject({
      status: "canceled",
      error: { code: "event_canceled", by_id: project.key_id },
      finished_at: expect.any(String),
      received_at: null,
    });
    expect((await project.api.get(`/v1/runs/${job_run_id}`)).body.status).toBe("canceled");
  });

  it("T6 is audited, without the callback URL", async () => {
    const { id, path } = await seed();
    await project.api.delete(path);
    const events = await runSql<{ before: object }>(
      world.connection,
      "select action, resource_type, actor_id, before from audit_events where resource_id = $1",
      [id],
    );
    expect(events).toMatchObject([
      {
        action: "event_trigger.canceled",
        resource_type: "event_trigger",
        actor_id: project.key_id,
        before: { id, status: "waiting" },
      },
    ]);
    expect(events[0]?.before).not.toHaveProperty("callback_url");
  });

  it.each(["received", "timed_out", "canceled"] as const)("T6 409 for one that is %s", async (status) => {
    const { id, path } = await seed({ status });
    const refused = await project.api.delete(path);
    expect([refused.status, refused.body.code]).toEqual([409, "event_trigger_ended"]);
    expect(await runSql(world.connection, "select 1 from audit_events where resource_id = $1", [id])).toEqual([]);
  });

  it("T6 cancels the waiting trigger of a key; a second cancel finds it ended", async () => {
    const event_key = `again-${newId()}`;
    await seed({ event_key, status: "received" });
    const { id, path } = await seed({ event_key });
    expect((await project.api.delete(path)).status).toBe(204);
    expect((await project.api.get(path)).body).toMatchObject({ id, status: "canceled" });
    expect((await project.api.delete(path)).status).toBe(409);
  });

  it("T6 cancels the sleep of a run by the key derived from its id", async () => {
    const { path, job_run_id } = await seed({ wait_kind: "sleep" });
    expect((await project.api.delete(path)).status).toBe(204);
    expect((await project.api.get(`/v1/runs/${job_run_id}`)).body.status).toBe("canceled");
  });

  it("T6 wins or loses against a concurrent send, and the loser gets an error", async () => {
    for (let round = 0; round < sizeOf(4, 10); round++) {
      const { path, job_run_id } = await seed();
      const [canceled, sent] = await Promise.all([
        project.api.delete(path),
        project.api.post(`${path}/send`, { payload: 1 }),
      ]);
      const { status } = (await project.api.get(path)).body;
      expect([canceled.status, sent.status]).toEqual(status === "canceled" ? [204, 409] : [409, 200]);
      const run = (await project.api.get(`/v1/runs/${job_run_id}`)).body.status;
      expect(run).toBe(status === "canceled" ? "canceled" : "pending");
    }
  });

  it("T6 404 for an unknown key and for one of another project; needs events:write", async () => {
    const other = await world.project();
    const foreign = await seed({}, other);
    expect((await project.api.delete(foreign.path)).status).toBe(404);
    expect((await project.api.delete(`/v1/events/${newId()}`)).status).toBe(404);
    expect((await other.api.get(foreign.path)).body.status).toBe("waiting");
    const { path } = await seed();
    const { api } = await project.newKey({ scopes: ["events:read", "events:send"] });
    expect((await api.delete(path)).body.code).toBe("scope_missing");
  });
});
