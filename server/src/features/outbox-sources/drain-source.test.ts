import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { INSTALL_SQL } from "../../../../sdk/src/outbox/install-sql.ts";
import { type ApplicationDatabase, applicationDatabase } from "../../../test/outside/application-database.ts";
import { makeJob } from "../../../test/seed/make-workflow.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { claimSources, releaseSourcesOf } from "./claim-sources.ts";
import { LostClaim, triggerRows } from "./trigger-rows.ts";

const PATH = "/v1/outbox-sources";

let world: World;
let project: TestProject;
let application: ApplicationDatabase;
let job: { id: string; slug: string };
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  // The sources of earlier tests would be due too.
  await runSql(world.connection, "update outbox_sources set enabled = false, claim_token = null");
  project = await world.project();
  application = await applicationDatabase();
  job = await makeJob(project);
});

async function connect(enabled = true): Promise<string> {
  const { body } = await project.api.post(PATH, { name: "Shop", database_url: application.url, enabled });
  return body.id;
}

type Run = { id: string; payload: { n: number }; idempotency_key: string; created_by: string; concurrency_key: string };
/** In the order of their creation. */
const runs = (): Promise<Run[]> =>
  runSql(
    world.connection,
    "select id, payload, idempotency_key, created_by, concurrency_key from runs where project_id = $1 order by id",
    [project.id],
  );
const read = async (id: string) => (await project.api.get(`${PATH}/${id}`)).body;
const drained = () => until("all rows to be drained", 20_000, async () => (await application.rows()).length === 0);

describe("the task drain-outbox-sources", () => {
  it("starts a run for each committed row, in order, with its id as the key, and deletes the row", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.push(await application.enqueue(job.slug, { n }, { concurrency_key: "a", priority: 3 }));
    const source = await connect();
    await world.tick("drain-outbox-sources");
    await drained();
    expect((await runs()).map(({ idempotency_key }) => idempotency_key)).toEqual(ids);
    expect((await runs()).map(({ payload }) => payload.n)).toEqual([0, 1, 2, 3, 4]);
    expect((await runs())[0]).toMatchObject({ created_by: `outbox_source:${source}`, concurrency_key: "a" });
    expect(await read(source)).toMatchObject({ state: "draining", drained_count: 5, refused_count: 0 });
  });

  it("R25 drains rows that commit while it is connected, and none that are rolled back", async () => {
    await connect();
    await world.tick("drain-outbox-sources");
    await runSql(application.connection, `begin; select millrace.enqueue('${job.slug}', '{"n": 1}'); rollback`);
    await runSql(application.connection, `begin; select millrace.enqueue('${job.slug}', '{"n": 2}'); commit`);
    await until("the committed row to become a run", 20_000, async () => (await runs()).length > 0);
    await drained();
    expect((await runs()).map(({ payload }) => payload.n)).toEqual([2]);
  });

  it("keeps bad rows with their error, and they block no other", async () => {
    await project.api.patch(`/v1/jobs/${job.id}`, { payload_schema: { type: "object", required: ["n"] } });
    await application.enqueue("no-such-job");
    await application.enqueue(job.slug, { wrong: true });
    await application.enqueue(job.slug, { n: 1 }, { priority: 5_000 });
    await application.enqueue(job.slug, { n: 1 }, { environment_id: "nowhere" });
    await runSql(
      application.connection,
      "insert into millrace.enqueued (job, payload, options) values ($1, $2, '{}')",
      [job.slug, '{"n": 123456789012345678901234567890}'],
    );
    await application.enqueue(job.slug, { n: 7 });
    const source = await connect();
    await world.tick("drain-outbox-sources");
    await until("the bad rows to be recorded", 20_000, async () => {
      const rows = await application.rows();
      return rows.length === 5 && rows.every(({ error_code }) => error_code !== null);
    });
    expect((await application.rows()).map(({ error_code }) => error_code)).toEqual([
      "not_found",
      "payload_invalid",
      "validation_failed",
      "validation_failed",
      "validation_failed",
    ]);
    expect((await runs()).map(({ payload }) => payload.n)).toEqual([7]);
    expect(await read(source)).toMatchObject({ drained_count: 1, refused_count: 5 });
    const { body } = await project.api.get(`${PATH}/${source}/refused`);
    expect(body.data).toHaveLength(5);
    expect(body.data[1]).toMatchObject({ job: job.slug, error: { code: "payload_invalid" } });
    expect(JSON.stringify(body)).not.toContain("wrong");
  });

  it("shows an unreachable database in the source, retries it with growing pauses, and drains the others", async () => {
    const gone = await applicationDatabase();
    const { body: broken } = await project.api.post(PATH, { name: "Gone", database_url: gone.url });
    await runSql(gone.connection, "drop schema millrace cascade");
    await connect();
    await application.enqueue(job.slug, { n: 1 });
    await world.tick("drain-outbox-sources");
    await drained();
    await until("the failure to be recorded", 20_000, async () => (await read(broken.id)).consecutive_failures === 1);
    expect(await read(broken.id)).toMatchObject({ state: "failing", last_error: expect.stringContaining("install") });
    await world.clock.pass("1s");
    await world.tick("drain-outbox-sources");
    await until("the second failure", 20_000, async () => (await read(broken.id)).consecutive_failures === 2);
    await runSql(gone.connection, INSTALL_SQL);
    await world.clock.pass("2s");
    await world.tick("drain-outbox-sources");
    await until("it to be drained again", 20_000, async () => (await read(broken.id)).state === "draining");
    expect(await read(broken.id)).toMatchObject({ consecutive_failures: 0, failing_since: null, last_error: null });
  });

  it("hands a source back after an outage of both databases, without waiting for the claim to expire", async () => {
    const source = await connect();
    const failures = async () => (await world.ctx.metrics.outboxSourceFailures.get()).values[0]?.value ?? 0;
    const before = await failures();
    await world.tick("drain-outbox-sources");
    await runSql(world.connection, "alter table outbox_sources rename to sources_away");
    await application.network.cut();
    await until("the source to fail", 20_000, async () => (await failures()) > before);
    await runSql(world.connection, "alter table sources_away rename to outbox_sources");
    await until("the failure to be recorded", 20_000, async () => (await read(source)).state === "failing");
  });

  it("R25 deletes rows that another instance committed before it died, even after their keys expired", async () => {
    const row_id = await application.enqueue(job.slug, { n: 1 });
    const source = await connect();
    const [dead] = await claimSources(world.ctx, 10);
    if (!dead) throw new Error("nothing was claimed");
    await triggerRows(world.ctx, dead, [{ id: row_id, job: job.slug, payload: '{"n":1}', options: "{}" }]);
    expect(await application.rows()).toHaveLength(1);
    await world.tick("drain-outbox-sources");
    expect(await application.rows(), "the claim of the dead instance still holds").toHaveLength(1);
    await runSql(world.connection, "delete from idempotency_keys where project_id = $1", [project.id]);
    await releaseSourcesOf(world.ctx, [world.ctx.instance_id]);
    await world.tick("drain-outbox-sources");
    await drained();
    expect(await runs()).toHaveLength(1);
    expect(await read(source)).toMatchObject({ drained_count: 1 });
  });

  it("writes nothing with a claim that was lost, such as after the source was disabled", async () => {
    const id = await connect();
    const [claimed] = await claimSources(world.ctx, 10);
    if (!claimed) throw new Error("nothing was claimed");
    await project.api.patch(`${PATH}/${id}`, { enabled: false });
    const row = { id: crypto.randomUUID(), job: job.slug, payload: "{}", options: "{}" };
    await expect(triggerRows(world.ctx, claimed, [row])).rejects.toThrow(LostClaim);
    expect(await runs()).toEqual([]);
  });

  it("claims a source for one instance at a time", async () => {
    await connect();
    const claims = await Promise.all(Array.from({ length: 4 }, () => claimSources(world.ctx, 10)));
    expect(claims.flat()).toHaveLength(1);
  });

  it("R25 creates one run for a row that a request with its id as the key has triggered before", async () => {
    const id = await application.enqueue(job.slug, { n: 1 }, { priority: 2 });
    const item = { payload: { n: 1 }, priority: 2, idempotency_key: id };
    await project.api.post(`/v1/jobs/${job.id}/trigger`, item);
    await connect();
    await world.tick("drain-outbox-sources");
    await drained();
    expect(await runs()).toHaveLength(1);
  });
});

describe("POST /v1/outbox-sources/{outboxSourceID}/retry", () => {
  it("drains refused rows again, once their job exists", async () => {
    await application.enqueue("late-job", { n: 1 });
    const source = await connect();
    await world.tick("drain-outbox-sources");
    await until("the row to be refused", 20_000, async () => (await application.rows())[0]?.error_code === "not_found");
    await project.api.post("/v1/jobs", { name: "Late", slug: "late-job", endpoint_url: "https://example.com/" });
    expect((await project.api.post(`${PATH}/${source}/retry`)).body).toMatchObject({ retried: 1 });
    await drained();
    expect(await runs()).toHaveLength(1);
  });
});
