import type { Run } from "@millrace/contract/runs/runs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type JobEndpoint, jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { startAtOnce } from "../../../../test/world/start-at-once.ts";
import { until } from "../../../../test/world/until.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { dispatcherOf } from "../../../engine/dispatcher.ts";

let world: World;
let project: TestProject;
let endpoint: JobEndpoint;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});
beforeEach(async () => {
  endpoint = await jobEndpoint();
});

type Job = { id: string; version_id: string };
async function makeJob(fields: object = {}, { api }: Pick<TestProject, "api"> = project): Promise<Job> {
  const reply = await api.post("/v1/jobs", { name: "Job", endpoint_url: endpoint.url, ...fields });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body;
}
const trigger = ({ id }: Job, body: object = {}, query = "") =>
  project.api.post(`/v1/jobs/${id}/trigger${query}`, body);
const readRun = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body;
const dispatched = () => endpoint.dispatches.map(({ body }) => body.payload);

describe("a delayed run", () => {
  it.each([
    ["scheduled_at", { scheduled_at: "2030-01-01T01:00:00Z" }],
    ["scheduled_at in another zone", { scheduled_at: "2030-01-01T02:00:00+01:00" }],
    ["delay_secs", { delay_secs: 3_600 }],
  ])("R1 with %s is dispatched when due, not before", async (_, when) => {
    await world.clock.set("2030-01-01T00:00:00Z");
    const { body } = await trigger(await makeJob(), when);
    expect([body.status, body.scheduled_at]).toEqual(["pending", "2030-01-01T01:00:00.000Z"]);
    await world.clock.set("2030-01-01T00:59:59.999Z");
    await world.runUntilIdle();
    expect(endpoint.dispatches).toEqual([]);
    await world.clock.set("2030-01-01T01:00:00Z");
    await world.runUntilIdle();
    expect(endpoint.dispatches).toHaveLength(1);
    expect(await readRun(body.id)).toMatchObject({ status: "completed", started_at: "2030-01-01T01:00:00.000Z" });
  });

  it("R1 is not dispatched together with one that is due earlier", async () => {
    await world.clock.set("2030-01-01T12:00:00Z");
    const job = await makeJob();
    await trigger(job, { payload: "earlier", scheduled_at: "2030-01-01T13:00:00Z" });
    await trigger(job, { payload: "later", scheduled_at: "2030-01-01T13:00:00.001Z" });
    await world.clock.set("2030-01-01T13:00:00Z");
    await world.runUntilIdle();
    expect(dispatched()).toEqual(["earlier"]);
    await world.clock.set("2030-01-01T13:00:00.001Z");
    await world.runUntilIdle();
    expect(dispatched()).toEqual(["earlier", "later"]);
  });

  it("R1 keeps fractions of a second", async () => {
    await world.clock.set("2030-01-02T00:00:00Z");
    const { body } = await trigger(await makeJob(), { delay_secs: 0.25 });
    expect(body.scheduled_at).toBe("2030-01-02T00:00:00.250Z");
  });

  it("R1 starts at once for a time in the past or a delay of zero", async () => {
    const job = await makeJob();
    await trigger(job, { scheduled_at: "2001-01-01T00:00:00Z" });
    await trigger(job, { delay_secs: 0 });
    await world.runUntilIdle();
    expect(endpoint.dispatches).toHaveLength(2);
  });
});

describe("the order of dispatch", () => {
  it("R1 is by priority, then by time: one priority point equals a minute", async () => {
    await world.clock.set("2030-02-01T00:00:00Z");
    const job = await makeJob({ priority: 0 });
    const oneByOne = await world.anotherInstance({ dispatch_concurrency: 1 });
    await trigger(job, { payload: "first" });
    await world.clock.pass("30s");
    await trigger(job, { payload: "second" });
    await trigger(job, { payload: "low", priority: -1 });
    await trigger(job, { payload: "high", priority: 1 });
    await trigger(job, { payload: "highest", priority: 100 });
    await world.clock.pass("1m20s");
    await trigger(job, { payload: "high but late", priority: 1 });
    await dispatcherOf(oneByOne.ctx).poll();
    await dispatcherOf(oneByOne.ctx).idle();
    expect(dispatched()).toEqual(["highest", "high", "first", "second", "high but late", "low"]);
  });
});

describe("a paused job", () => {
  it("accepts triggers and blocks their runs until it is resumed", async () => {
    const job = await makeJob();
    await project.api.post(`/v1/jobs/${job.id}/pause`);
    const { status, body } = await trigger(job);
    expect([status, body.status]).toEqual([201, "pending"]);
    const blocked = await runSql(world.connection, "select blocked_on from run_queue where run_id = $1", [body.id]);
    expect(blocked).toEqual([{ blocked_on: `paused_job:${job.id}` }]);
    await world.runUntilIdle();
    expect(endpoint.dispatches).toEqual([]);
    await project.api.post(`/v1/jobs/${job.id}/resume`);
    await world.runUntilIdle();
    expect((await readRun(body.id)).status).toBe("completed");
  });
});

describe("a trigger with wait_secs", () => {
  /** An instance that runs its own tasks, as in production. */
  let live: World;
  let api: TestProject["api"];
  beforeAll(async () => {
    live = await makeFlowWorld();
    ({ api } = await live.project());
    startAtOnce(() => live.service.startTasks());
  });
  const fire = ({ id }: Job, body: object = {}, secs = 25) =>
    api.post(`/v1/jobs/${id}/trigger?wait_secs=${secs}`, body);
  const dispatches = (count: number) =>
    until(`${count} dispatches`, 20_000, () => endpoint.dispatches.length === count);

  it("returns 200 with the run when it has ended", async () => {
    endpoint.respondWith({ status: 200, body: { sum: 3 } });
    const { status, body } = await fire(await makeJob({}, { api }), { payload: [1, 2] });
    expect([status, body.$schema]).toEqual([200, `${live.url}/schemas/Run.json`]);
    expect(body).toMatchObject({ status: "completed", result: { sum: 3 }, payload: [1, 2], attempt: 1 });
  });

  it("returns 200 with the run also when it has failed", async () => {
    endpoint.respondWith({ status: 400, body: "no" });
    const { status, body } = await fire(await makeJob({}, { api }));
    expect([status, body.status, body.error.code]).toEqual([200, "failed", "http_400"]);
  });

  it("returns 200 when another instance, or the job itself, ends it", async () => {
    endpoint.respondWith(202);
    const job = await makeJob({}, { api });
    const other = await live.anotherInstance();
    const waiting = fire(job);
    await dispatches(1);
    const [dispatch] = endpoint.dispatches;
    await fetch(`${other.url}/sdk/v1/runs/${dispatch?.run_id}/complete`, {
      method: "POST",
      headers: { authorization: `Bearer ${dispatch?.headers["x-svc-run-token"]}`, "content-type": "application/json" },
      body: '{"result":"by itself"}',
    });
    const { status, body } = await waiting;
    expect([status, body.result]).toEqual([200, "by itself"]);
  });

  it("returns 202 with the current run when the time is up", async () => {
    let finish = () => {};
    endpoint.respondWith((_, response) => {
      finish = () => response.writeHead(200).end();
    });
    const [job, paused] = [await makeJob({}, { api }), await makeJob({}, { api })];
    await api.post(`/v1/jobs/${paused.id}/pause`);
    await api.post(`/v1/jobs/${job.id}/trigger`, { idempotency_key: "k" });
    // A second may pass before a run is dispatched: this one is dispatched, and the other never will be.
    await dispatches(1);
    const responses = await Promise.all([fire(job, { idempotency_key: "k" }, 1), fire(paused, {}, 1)]);
    expect(responses.map(({ status, body }) => [status, body.status])).toEqual([
      [202, "running"],
      [202, "pending"],
    ]);
    finish();
  });

  it("waits for the existing run of a used key", async () => {
    const job = await makeJob({}, { api });
    const first = await fire(job, { idempotency_key: "k" });
    const again = await fire(job, { idempotency_key: "k" });
    expect([again.status, again.headers.get("idempotent-replayed"), again.body.id]).toEqual([
      200,
      "true",
      first.body.id,
    ]);
    expect(endpoint.dispatches).toHaveLength(1);
  });

  it("holds no connection to the database: twenty can wait while others work", async () => {
    const held: (() => void)[] = [];
    endpoint.respondWith((_, response) => void held.push(() => response.writeHead(200).end()));
    const job = await makeJob({}, { api });
    const waiting = Array.from({ length: 20 }, () => fire(job));
    await dispatches(20);
    expect((await api.get("/v1/jobs")).status).toBe(200);
    for (const reply of held) reply();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  });
});

describe("triggers concurrent with changes of their job", () => {
  it("R3 all start, each with a version that was current at some moment, and none is lost", async () => {
    const job = await makeJob();
    const versions = [job.version_id];
    const other = await world.anotherInstance();
    const headers = { authorization: `Bearer ${project.key}`, "content-type": "application/json" };
    const changing = (async () => {
      for (let n = 1; n <= 8; n++) {
        const changed = await project.api.patch(`/v1/jobs/${job.id}`, { timeout_secs: n });
        versions.push(changed.body.version_id);
      }
    })();
    const responses = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        await new Promise((resolve) => setTimeout(resolve, n * 3));
        const url = `${n % 2 ? world.url : other.url}/v1/jobs/${job.id}/trigger`;
        const known = versions.length;
        const body = JSON.stringify({
          payload: n,
          ...(n % 3 === 0 && { idempotency_key: `k${Math.floor(n / 6)}`, payload: 0 }),
        });
        const reply = await fetch(url, { method: "POST", headers, body });
        return { status: reply.status, run: (await reply.json()) as Run, known };
      }),
    );
    await changing;
    expect(responses.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    for (const { status, run, known } of responses) {
      const current = versions.indexOf(run.job_version_id);
      expect(current).toBeGreaterThanOrEqual(0);
      // Never older than the newest version returned before the trigger was sent.
      if (status === 201) expect(current).toBeGreaterThanOrEqual(known - 1);
      if (status === 201 && current > 0) expect(run.timeout_secs).toBe(current);
    }
    const ids = new Set(responses.map(({ run }) => run.id));
    const created = await runSql(world.connection, "select id from runs where job_id = $1", [job.id]);
    expect([ids.size, created.length]).toEqual([33 + 9, 33 + 9]);
  });
});
