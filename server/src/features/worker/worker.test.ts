import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { instanceStarted } from "../../../test/seed/instance-started.ts";
import { makeClient } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { holdGate, whenBlocked } from "../../../test/world/queue-world.ts";
import { testWorker } from "../../../test/world/test-worker.ts";
import { until } from "../../../test/world/until.ts";
import type { TestProject, World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

let nth = 0;
async function makeJob(fields: object = {}, api = project.api): Promise<{ id: string; slug: string }> {
  const { status, body, text } = await api.post("/v1/jobs", { name: `Pulled ${nth++}`, delivery: "pull", ...fields });
  expect(status, text).toBe(201);
  return body;
}

async function trigger(job: { id: string }, body: object = {}): Promise<string> {
  const { status, body: run, text } = await project.api.post(`/v1/jobs/${job.id}/trigger`, body);
  expect(status, text).toBe(201);
  return run.id;
}

type Claimed = {
  run_id: string;
  attempt: number;
  lease_token: string;
  run_token: string;
  traceparent: string;
  tracestate?: string;
  payload: unknown;
  env: object;
};
type ClaimOptions = { api?: TestProject["api"]; worker_id?: string; claim_id?: string; [name: string]: unknown };

async function claim(job: { slug: string } | undefined, options: ClaimOptions = {}): Promise<Claimed[]> {
  const { api = project.api, worker_id = "w1", claim_id = randomUUID(), ...fields } = options;
  const jobs = job ? { jobs: [job.slug] } : {};
  const { status, body, text } = await api.post("/worker/v1/claims", {
    worker_id,
    claim_id,
    max: 10,
    ...jobs,
    ...fields,
  });
  expect(status, text).toBe(200);
  return body.runs;
}

const leaseOf = ({ run_id, attempt, lease_token }: Claimed) => ({ run_id, attempt, lease_token });

async function report(...results: object[]) {
  const { status, body, text } = await project.api.post("/worker/v1/results", { worker_id: "w1", results });
  expect(status, text).toBe(200);
  return body.results;
}

const read = async (run_id: string) => (await project.api.get(`/v1/runs/${run_id}`)).body;
/** From the claim on. */
const leaseSecs = async (run_id: string) => {
  const [row] = await runSql<{ secs: number }>(
    world.connection,
    "select extract(epoch from lease_until - deadline)::float8 + timeout_secs as secs from run_queue where run_id = $1",
    [run_id],
  );
  return row?.secs;
};

describe("a job with delivery pull", () => {
  it("has no endpoint_url, and push needs one", async () => {
    expect(await makeJob()).toMatchObject({ delivery: "pull", endpoint_url: null, queue: "default" });
    const both = await project.api.post("/v1/jobs", {
      name: "Both",
      delivery: "pull",
      endpoint_url: "https://a.example/",
    });
    expect([both.status, both.body.errors?.[0]?.location]).toEqual([422, "body.endpoint_url"]);
    const none = await project.api.post("/v1/jobs", { name: "None" });
    expect([none.status, none.body.errors?.[0]?.location]).toEqual([422, "body.endpoint_url"]);
  });

  it("is in the queue `default` unless it names one, which must exist", async () => {
    const job = await makeJob();
    const nowhere = { name: "Nowhere", delivery: "pull", queue: "nowhere" };
    for (const { status, body } of [
      await project.api.post("/v1/jobs", nowhere),
      await project.api.patch(`/v1/jobs/${job.id}`, { queue: "nowhere" }),
    ])
      expect([status, body.errors?.[0]?.location]).toEqual([422, "body.queue"]);
    const moved = await project.api.patch(`/v1/jobs/${job.id}`, { queue: null });
    expect([moved.status, moved.body.errors?.[0]?.location]).toEqual([422, "body.queue"]);
    await trigger(job);
    expect(await claim(job, { queues: ["default"] })).toHaveLength(1);
  });
});

describe("POST /worker/v1/claims", () => {
  it("R21 returns the dispatch body with its tokens, first come, first served, and no more than max", async () => {
    const job = await makeJob();
    const [first, second] = [await trigger(job, { payload: { a: 1 } }), await trigger(job)];
    const [run, ...others] = await claim(job, { max: 1 });
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      ...{ run_id: first, job_id: job.id, attempt: 1, tries_used: 0, payload: { a: 1 }, queue: "default", env: {} },
      ...{ lease_secs: 15, run_token: expect.any(String), lease_token: expect.any(String) },
    });
    expect(await leaseSecs(first)).toBe(15);
    expect((await claim(job)).map(({ run_id }) => run_id)).toEqual([second]);
    expect(await claim(job)).toEqual([]);
    expect(await read(first)).toMatchObject({ status: "running", attempt: 1 });
  });

  it("R21 a repeated claim_id returns the same runs and tokens", async () => {
    const job = await makeJob();
    await trigger(job);
    const claim_id = randomUUID();
    const once = await claim(job, { claim_id });
    await trigger(job);
    expect(once).toHaveLength(1);
    expect((await claim(job, { claim_id })).map(leaseOf)).toEqual(once.map(leaseOf));
  });

  it("R21 a repeated claim_id returns the same runs although their job has moved to another queue", async () => {
    await project.api.post("/v1/queues", { name: "left" });
    const job = await makeJob({ queue: "left" });
    await trigger(job);
    const options = { claim_id: randomUUID(), queues: ["left"] };
    const [run] = (await claim(job, options)) as [Claimed];
    expect((await project.api.patch(`/v1/jobs/${job.id}`, { queue: "default" })).status).toBe(200);
    expect((await claim(job, options)).map(leaseOf)).toEqual([leaseOf(run)]);
  });

  it("hands on the caller's trace, also when the claim is repeated", async () => {
    const job = await makeJob();
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01`, tracestate: 'vendor="a"' };
    await project.api.post(`/v1/jobs/${job.slug}/trigger`, {}, { headers });
    const claim_id = randomUUID();
    const [first] = await claim(job, { claim_id });
    const [again] = await claim(job, { claim_id });
    expect(first?.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{12}0001-01$`));
    expect(first?.tracestate).toBe('vendor="a"');
    expect([again?.traceparent, again?.tracestate]).toEqual([first?.traceparent, first?.tracestate]);
  });

  it("A11 a poll whose key is revoked while it waits gets no run; another worker does", async () => {
    const job = await makeJob();
    const { api, id } = await project.newKey({ scopes: ["runs:work"] });
    const revoked = claim(job, { api, worker_id: "revoked", wait_secs: 20 });
    await until("the poll to be known", 20_000, async () => {
      const { body } = await project.api.get("/v1/workers");
      return body.data.some((worker: { worker_id: string }) => worker.worker_id === "revoked");
    });
    expect((await project.api.delete(`/v1/api-keys/${id}`)).status).toBe(204);
    const next = claim(job, { worker_id: "w2", wait_secs: 20 });
    const run_id = await trigger(job);
    expect((await next).map((run) => run.run_id)).toEqual([run_id]);
    expect(await revoked).toEqual([]);
  });

  it("waits for a run and responds when it comes", async () => {
    const job = await makeJob();
    const waiting = claim(job, { wait_secs: 20 });
    const run_id = await trigger(job);
    expect((await waiting).map((run) => run.run_id)).toEqual([run_id]);
  });

  it("serves only the named jobs and queues, and says which are paused or unknown", async () => {
    await project.api.post("/v1/queues", { name: "other" });
    const [one, other] = [await makeJob(), await makeJob({ queue: "other" })];
    const [mine, theirs] = [await trigger(one), await trigger(other)];
    expect((await claim(one)).map((run) => run.run_id)).toEqual([mine]);
    const ask = { worker_id: "w1", queues: ["other"], jobs: ["absent", other.slug], max: 10 };
    await project.api.post("/v1/queues/other/pause");
    await until("the pause to be known", 20_000, async () => {
      const { body } = await project.api.post("/worker/v1/claims", { ...ask, claim_id: randomUUID() });
      expect(body).toMatchObject({ runs: [], unknown_jobs: ["absent"] });
      return body.paused_queues.includes("other");
    });
    await project.api.post("/v1/queues/other/resume");
    expect((await claim(other, { queues: ["other"], wait_secs: 20 })).map((run) => run.run_id)).toEqual([theirs]);
    const unknown = await project.api.post("/worker/v1/claims", {
      ...ask,
      claim_id: randomUUID(),
      queues: ["nowhere"],
    });
    expect([unknown.status, unknown.body.errors?.[0]?.location]).toEqual([422, "body.queues[0]"]);
  });

  it("R20 obeys the limits of job and queue", async () => {
    await project.api.post("/v1/queues", { name: "two", max_concurrency: 2 });
    const [one, other] = [await makeJob({ queue: "two", max_concurrency: 1 }), await makeJob({ queue: "two" })];
    for (let n = 0; n < 3; n++) await trigger(one);
    for (let n = 0; n < 3; n++) await trigger(other);
    const claimed = await claim(undefined, { queues: ["two"] });
    expect(claimed.map((run) => (run as unknown as { job_id: string }).job_id).sort()).toEqual(
      [one.id, other.id].sort(),
    );
    expect(await report(...claimed.map((run) => ({ ...leaseOf(run), status: "completed" })))).toMatchObject([
      { outcome: "settled" },
      { outcome: "settled" },
    ]);
    expect(await claim(undefined, { queues: ["two"] })).toHaveLength(2);
  });

  it("shares a claim between queues by weight", async () => {
    await project.api.post("/v1/queues", { name: "heavy", weight: 300 });
    await project.api.post("/v1/queues", { name: "light", weight: 100 });
    const [heavy, light] = [await makeJob({ queue: "heavy" }), await makeJob({ queue: "light" })];
    for (let n = 0; n < 8; n++) await trigger(heavy);
    for (let n = 0; n < 8; n++) await trigger(light);
    const counts = { heavy: 0, light: 0 };
    for (let n = 0; n < 8; n++) {
      const [run] = (await claim(undefined, { queues: ["heavy", "light"], max: 1 })) as unknown as {
        queue: "heavy" | "light";
      }[];
      if (run) counts[run.queue]++;
    }
    expect(counts).toEqual({ heavy: 6, light: 2 });
  });

  it("R21 refuses a key without the scope, and keeps to the queues and the environment of a key", async () => {
    const [job, staged] = [await makeJob({ queue: "light" }), await makeJob({ queue: "light" })];
    const body = { worker_id: "w", claim_id: randomUUID() };
    const reader = await project.newKey({ scopes: ["runs:read"] });
    expect((await reader.api.post("/worker/v1/claims", body)).body).toMatchObject({ code: "scope_missing" });
    const bound = await project.newKey({ scopes: ["runs:work"], queues: ["light"] });
    expect((await bound.api.post("/worker/v1/claims", { ...body, queues: ["heavy"] })).status).toBe(403);
    const [run, elsewhere] = [await trigger(job), await trigger(staged, { environment_id: "staging" })];
    await trigger(await makeJob());
    const staging = await project.newKey({ scopes: ["runs:work"], queues: ["light"], environment_id: "staging" });
    const jobs = [job.slug, staged.slug];
    expect((await claim(undefined, { api: staging.api, jobs })).map(({ run_id }) => run_id)).toEqual([elsewhere]);
    expect((await claim(undefined, { api: bound.api, jobs })).map(({ run_id }) => run_id)).toEqual([run]);
  });

  it("R21 finds its runs behind hundreds of lanes that nobody serves, without a wake-up", async () => {
    const crowded = await world.project();
    const job = await makeJob({}, crowded.api);
    const run_id = (await crowded.api.post(`/v1/jobs/${job.id}/trigger`, {})).body.id;
    await runSql(
      world.connection,
      `insert into run_queue select (jsonb_populate_record(q, jsonb_build_object(
         'run_id', gen_random_uuid(), 'host', 'pull:00' || n || ':unserved'))).*
       from run_queue q, generate_series(1, 300) as n where q.project_id = $1`,
      [crowded.id],
    );
    const other = await world.anotherInstance();
    const api = makeClient(other.url, { authorization: `Bearer ${crowded.key}` });
    expect((await testWorker(api).claimOne({ jobs: [job.slug] })).run_id).toBe(run_id);
  });

  it("a worker of another project gets nothing", async () => {
    const job = await makeJob();
    await trigger(job);
    const other = await world.project();
    expect(await claim(undefined, { api: other.api })).toEqual([]);
  });

  it("R22 a worker of another project that knows a lease neither extends, settles nor releases it", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    const claim_id = randomUUID();
    const [run] = (await claim(job, { claim_id })) as [Claimed];
    const { api } = await world.project();
    expect(await claim(undefined, { api, claim_id })).toEqual([]);
    const body = { worker_id: "w1", runs: [leaseOf(run)] };
    expect((await api.post("/worker/v1/heartbeats", body)).body).toMatchObject({ extended: 0, lost: [run_id] });
    const results = [{ ...leaseOf(run), status: "completed", result: "theirs", logs: [{ message: "theirs" }] }];
    const { body: reported } = await api.post("/worker/v1/results", { worker_id: "w1", results });
    expect(reported.results).toMatchObject([{ outcome: "lost", status: null }]);
    expect((await api.post("/worker/v1/drain", body)).body).toMatchObject({ released: 0, lost: [run_id] });
    expect(await leaseSecs(run_id)).toBe(15);
    expect((await project.api.get(`/v1/runs/${run_id}/logs`)).body.data).toEqual([]);
    expect(await report({ ...leaseOf(run), status: "completed", result: "own" })).toMatchObject([
      { outcome: "settled" },
    ]);
    expect(await read(run_id)).toMatchObject({ status: "completed", result: "own" });
  });
});

describe("an expired lease", () => {
  it("R22 uses no try, raises crash_count, and the run is claimed again with the next attempt", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    const [lost] = await claim(job);
    await world.clock.pass("16s");
    await world.tick("sweep-leases");
    expect(await read(run_id)).toMatchObject({ status: "pending", tries_used: 0 });
    const [row] = await runSql(world.connection, "select crash_count from runs where id = $1", [run_id]);
    expect(row).toEqual({ crash_count: 1 });
    const [again] = await claim(job);
    expect(again).toMatchObject({ run_id, attempt: 2 });
    expect(await report({ ...leaseOf(lost as Claimed), status: "completed" })).toMatchObject([{ outcome: "lost" }]);
    expect(await read(run_id)).toMatchObject({ status: "running", attempt: 2 });
  });

  it.each([
    ["no heartbeat", () => []],
    ["a heartbeat that comes first", (run: Claimed) => [leaseOf(run)]],
  ])(
    "R22 is a loss although the deadline has passed too, as after a long outage of the service: %s",
    async (_, late) => {
      const job = await makeJob({ timeout_secs: 60, max_attempts: 1 });
      const run_id = await trigger(job);
      const [run] = (await claim(job)) as [Claimed];
      await world.clock.pass("600s");
      await project.api.post("/worker/v1/heartbeats", { worker_id: "w1", runs: late(run) });
      await world.tick("sweep-leases");
      expect(await read(run_id)).toMatchObject({ status: "pending", tries_used: 0 });
    },
  );

  it("R22 is a loss if the run itself calls first after such an outage, which began after a heartbeat", async () => {
    const job = await makeJob({ timeout_secs: 60, max_attempts: 1 });
    const run_id = await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    await project.api.post("/worker/v1/heartbeats", { worker_id: "w1", runs: [leaseOf(run)] });
    await world.clock.pass("75s");
    const called = await world.as(run.run_token).post(`/sdk/v1/runs/${run_id}/heartbeat`);
    expect(called.status, called.text).toBe(200);
    await world.tick("sweep-leases");
    expect(await read(run_id)).toMatchObject({ status: "pending", tries_used: 0 });
  });

  it("R22 that ran out while the service was away is swept only once the worker had the time to report", async () => {
    const job = await makeJob();
    const run_ids = [await trigger(job), await trigger(job)];
    const [reported] = (await claim(job)) as [Claimed];
    await world.clock.pass("600s");
    await instanceStarted(world);
    await world.clock.pass("14s");
    await world.tick("sweep-leases");
    expect(await report({ ...leaseOf(reported), status: "completed" })).toMatchObject([{ outcome: "settled" }]);
    const other = run_ids.find((run_id) => run_id !== reported.run_id) ?? "";
    expect(await read(other)).toMatchObject({ status: "running" });
    await world.clock.pass("1s");
    await world.tick("sweep-leases");
    expect(await read(other)).toMatchObject({ status: "pending", tries_used: 0 });
  });

  it("is a timeout if heartbeats extended it up to the deadline", async () => {
    const job = await makeJob({ timeout_secs: 20, max_attempts: 1 });
    const run_id = await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    await project.api.post("/worker/v1/heartbeats", { worker_id: "w1", runs: [leaseOf(run)] });
    await world.clock.pass("21s");
    await world.tick("sweep-leases");
    expect(await read(run_id)).toMatchObject({ status: "timed_out", tries_used: 1 });
  });

  it("R22 ends the run at the third loss, still without a try", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    for (let loss = 1; loss <= 3; loss++) {
      expect(await claim(job)).toHaveLength(1);
      await world.clock.pass("16s");
      await world.tick("sweep-leases");
    }
    expect(await read(run_id)).toMatchObject({ status: "failed", tries_used: 0, error: { code: "worker_lost" } });
  });
});

describe("POST /worker/v1/heartbeats", () => {
  it("extends all leases, and names the canceled and the lost runs", async () => {
    const job = await makeJob();
    for (let n = 0; n < 3; n++) await trigger(job);
    const [kept, canceled, lost] = (await claim(job)) as [Claimed, Claimed, Claimed];
    await project.api.post(`/v1/runs/${canceled.run_id}/cancel`);
    const runs = [
      { ...leaseOf(kept), progress: { percent: 10 } },
      { ...leaseOf(kept), progress: { percent: 40 } },
      leaseOf(canceled),
      { ...leaseOf(lost), lease_token: randomUUID() },
    ];
    const { body } = await project.api.post("/worker/v1/heartbeats", { worker_id: "w1", runs });
    expect(body).toMatchObject({ extended: 1, lease_secs: 30, cancel: [canceled.run_id], lost: [lost.run_id] });
    expect(await leaseSecs(kept.run_id)).toBeGreaterThanOrEqual(30);
    expect((await read(kept.run_id)).progress).toMatchObject({ percent: 40 });
  });

  it("R22 a heartbeat for another attempt extends nothing", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    const beat = async (attempt: number) =>
      (await project.api.post("/worker/v1/heartbeats", { worker_id: "w1", runs: [{ ...leaseOf(run), attempt }] })).body;
    expect(await beat(2)).toMatchObject({ extended: 0, cancel: [], lost: [run_id] });
    expect(await leaseSecs(run_id)).toBe(15);
    expect(await beat(1)).toMatchObject({ extended: 1, lost: [] });
    expect(await leaseSecs(run_id)).toBe(30);
  });

  it("a run that is being canceled when the heartbeat comes is canceled, not lost", async () => {
    const job = await makeJob();
    await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    const gate = await holdGate(world.connection, "select 1 from runs where id = $1 for update", [run.run_id]);
    const canceling = project.api.post(`/v1/runs/${run.run_id}/cancel`);
    await whenBlocked(world.connection, 1);
    const beating = project.api.post("/worker/v1/heartbeats", { worker_id: "w1", runs: [leaseOf(run)] });
    await whenBlocked(world.connection, 2);
    await gate.open();
    expect((await canceling).status).toBe(200);
    expect((await beating).body).toMatchObject({ extended: 0, cancel: [run.run_id], lost: [] });
  });

  it("a worker that is an hour off changes nothing: only the service's clock counts", async () => {
    const job = await makeJob({ timeout_secs: 20 });
    const run_id = await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    await world.clock.pass("10s");
    const { body } = await project.api.post("/worker/v1/heartbeats", { worker_id: "w1", runs: [leaseOf(run)] });
    expect(body).toMatchObject({ extended: 1 });
    expect(await leaseSecs(run_id)).toBe(20);
  });
});

describe("POST /worker/v1/results", () => {
  it("R23 takes the first of two results for an attempt in one request", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    const [claimed] = await claim(job);
    const lease = leaseOf(claimed as Claimed);
    const failed = { ...lease, status: "failed", retryable: false, error: { message: "second" } };
    const outcomes = await report({ ...lease, status: "completed", result: "first" }, failed);
    expect(outcomes).toMatchObject([{ outcome: "settled" }, { outcome: "duplicate" }]);
    expect(await read(run_id)).toMatchObject({ status: "completed", result: "first" });
  });

  it("R22 takes the result of the newest lease when that of an older one comes in the same batch", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    const [other, own] = await report(
      { ...leaseOf(run), lease_token: randomUUID(), status: "completed", result: "older" },
      { ...leaseOf(run), status: "completed", result: "newest" },
    );
    expect([other.outcome === "settled", own.outcome]).toEqual([false, "settled"]);
    expect(await read(run_id)).toMatchObject({ status: "completed", result: "newest" });
  });

  it("R23 the lease token fences a result, not the name of the worker: another process may report it", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    const [run] = (await claim(job, { worker_id: "executes" })) as [Claimed];
    const results = [{ ...leaseOf(run), lease_token: randomUUID(), status: "completed", result: "forged" }];
    const forged = await project.api.post("/worker/v1/results", { worker_id: "executes", results });
    expect(forged.body.results).toMatchObject([{ outcome: "lost" }]);
    expect(await report({ ...leaseOf(run), status: "completed", result: "own" })).toMatchObject([
      { outcome: "settled" },
    ]);
    expect(await read(run_id)).toMatchObject({ status: "completed", result: "own" });
  });

  it("R23 settles each result: completed, retried, unknown job, with logs and usage; a repetition is a duplicate", async () => {
    const job = await makeJob();
    for (let n = 0; n < 3; n++) await trigger(job);
    const [done, failed, unknown] = (await claim(job)) as [Claimed, Claimed, Claimed];
    const results = [
      {
        ...leaseOf(done),
        status: "completed",
        result: { ok: 1 },
        logs: [{ message: "hello" }],
        usage: [{ cost_microusd: 4 }, { cost_microusd: 3, metadata: { call: 2 } }, {}],
      },
      { ...leaseOf(failed), status: "failed", error: { message: "no" } },
      { ...leaseOf(unknown), status: "unknown_job" },
    ];
    expect(await report(...results)).toMatchObject([
      { run_id: done.run_id, outcome: "settled", status: "completed" },
      { run_id: failed.run_id, outcome: "settled", status: "pending" },
      { run_id: unknown.run_id, outcome: "settled", status: "pending" },
    ]);
    expect(await read(done.run_id)).toMatchObject({ status: "completed", result: { ok: 1 }, cost_microusd: 7 });
    expect((await project.api.get(`/v1/runs/${done.run_id}/logs`)).body.data).toMatchObject([{ message: "hello" }]);
    expect(await read(failed.run_id)).toMatchObject({ status: "pending", tries_used: 1 });
    expect(await read(unknown.run_id)).toMatchObject({ status: "pending", tries_used: 0 });
    expect(await report(...results)).toMatchObject([
      { outcome: "duplicate" },
      { outcome: "duplicate" },
      { outcome: "duplicate" },
    ]);
    expect((await read(done.run_id)).cost_microusd).toBe(7);
  });

  it("R23 stores all usage of a result in one transaction", async () => {
    const job = await makeJob();
    await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    const usage = Array.from({ length: 100 }, () => ({ cost_microusd: 2 }));
    await report({ ...leaseOf(run), status: "completed", usage });
    const stored = await runSql(
      world.connection,
      "select count(*)::int as rows, count(distinct xmin::text)::int as transactions from run_usage where run_id = $1",
      [run.run_id],
    );
    expect([stored, (await read(run.run_id)).cost_microusd]).toEqual([[{ rows: 100, transactions: 1 }], 200]);
  });

  it("accepts a result with log lines that are not valid, and names those; the others are stored", async () => {
    const job = await makeJob();
    await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    const logs = [{ message: "a" }, { message: "b", logged_at: "0000-01-01T00:00:00Z" }, { message: "c" }];
    const result = { ...leaseOf(run), status: "completed", logs, usage: [{ cost_microusd: 7 }] };
    const location = "body.results[0].logs[1].logged_at";
    expect(await report(result)).toMatchObject([
      {
        outcome: "settled",
        status: "completed",
        rejected: [{ location, message: expect.stringContaining("must be") }],
      },
    ]);
    const { body } = await project.api.get(`/v1/runs/${run.run_id}/logs`);
    expect(body.data.map(({ message }: { message: string }) => message).sort()).toEqual(["a", "c"]);
    expect((await read(run.run_id)).cost_microusd).toBe(7);
  });

  it("the same result twice in one request is settled once", async () => {
    const job = await makeJob();
    await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    const result = { ...leaseOf(run), status: "completed" };
    const outcomes = (await report(result, result)).map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes.sort()).toEqual(["duplicate", "settled"]);
  });

  it("a result that does not match the schema fails the attempt, and a failed claim does not hide the outcomes", async () => {
    const job = await makeJob({ result_schema: { type: "object" }, max_attempts: 1 });
    await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    const { body } = await project.api.post("/worker/v1/results", {
      worker_id: "w1",
      results: [{ ...leaseOf(run), status: "completed", result: 1 }],
      claim: { worker_id: "w1", claim_id: randomUUID(), queues: ["nowhere"] },
    });
    expect(body).toMatchObject({ results: [{ outcome: "settled", status: "failed" }], claim: null });
    expect(body.claim_error.message).toContain("is not a queue");
  });

  it("claims the next runs in the same request", async () => {
    const job = await makeJob();
    await trigger(job);
    const next = await trigger(job);
    const [run] = (await claim(job, { max: 1 })) as [Claimed];
    const { body } = await project.api.post("/worker/v1/results", {
      worker_id: "w1",
      results: [{ ...leaseOf(run), status: "completed" }],
      claim: { worker_id: "w1", claim_id: randomUUID(), jobs: [job.slug], max: 5 },
    });
    expect(body.claim.runs.map(({ run_id }: Claimed) => run_id)).toEqual([next]);
  });
});

describe("POST /worker/v1/drain", () => {
  it("puts back what has not started, with its tries unchanged, and the worker is no longer listed", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    const [run] = (await claim(job, { worker_id: "leaving" })) as [Claimed];
    await until("the worker to be listed", 20_000, async () => {
      const { body } = await project.api.get("/v1/workers");
      return body.data.some((worker: { worker_id: string }) => worker.worker_id === "leaving");
    });
    const gone = { ...leaseOf(run), run_id: "0190f0c0-0000-7000-8000-000000000000" };
    const { body } = await project.api.post("/worker/v1/drain", { worker_id: "leaving", runs: [leaseOf(run), gone] });
    expect(body).toMatchObject({ released: 1, lost: [gone.run_id] });
    expect(await read(run_id)).toMatchObject({ status: "pending", tries_used: 0 });
    expect((await claim(job)).map((again) => again.attempt)).toEqual([2]);
    const { body: list } = await project.api.get("/v1/workers");
    expect(list.data.map((worker: { worker_id: string }) => worker.worker_id)).not.toContain("leaving");
  });
});

describe("a run of a worker", () => {
  it("sleeps, and is claimed again when it is due", async () => {
    const job = await makeJob();
    const run_id = await trigger(job);
    const [run] = (await claim(job)) as [Claimed];
    const waited = await world.as(run.run_token).post(`/sdk/v1/runs/${run_id}/sleep`, { secs: 60 });
    expect(waited.status, waited.text).toBe(201);
    expect(await read(run_id)).toMatchObject({ status: "waiting" });
    await world.clock.pass("61s");
    await world.runUntilIdle();
    expect((await claim(job)).map((again) => [again.run_id, again.attempt])).toEqual([[run_id, 2]]);
  });
});
