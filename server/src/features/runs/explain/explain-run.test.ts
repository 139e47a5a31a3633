import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endRun } from "../../../../test/seed/end-run.ts";
import { runningRun } from "../../../../test/seed/running-run.ts";
import { waitingRun } from "../../../../test/seed/waiting-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { claimOne, claimSome, makeJob, type TestJob } from "../../../../test/world/queue-world.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { blockLane, openCircuit, recordProbe } from "../../../flow/runs/dispatch/circuits.ts";
import { settleRuns } from "../../../flow/runs/settle/settle-runs.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});
beforeEach(async () => {
  project = await world.project();
  await world.tick("register-instance");
});

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
type Blocker = any;

async function explain(run_id: string) {
  const response = await project.api.get(`/v1/runs/${run_id}/explain`);
  expect(response.status).toBe(200);
  return response.body;
}

const codesOf = async (run_id: string) => (await explain(run_id)).blockers.map(({ code }: Blocker) => code);

async function trigger(job: TestJob, body: object = {}): Promise<string> {
  const response = await project.api.post(`${job.path}/trigger`, body);
  expect(response.status).toBe(201);
  return response.body.id;
}

/** A blocker: how to cause it around a trigger, and how to remove it if neither time nor a request does. */
type Hold = {
  job?: object;
  before?: (job: TestJob) => Promise<void>;
  body?: (job: TestJob) => Promise<object>;
  after?: (job: TestJob, run_id: string) => Promise<void>;
  cure?: (job: TestJob, blocker: Blocker) => Promise<void>;
};

const holds: Record<string, Hold> = {
  not_due: { body: async () => ({ delay_secs: 3_600 }) },
  dependency: {
    body: async () => ({ depends_on_run_ids: [await trigger(await makeJob(project))] }),
    cure: async (_, { evidence }) => {
      for (const { run_id } of evidence.dependencies) await endRun(world, run_id);
    },
  },
  paused_job: { after: async (job) => void (await project.api.post(`${job.path}/pause`)) },
  paused_run: { after: async (_, run_id) => void (await project.api.post(`/v1/runs/${run_id}/pause`)) },
  concurrency_key: {
    job: { max_concurrency_per_key: 1 },
    before: async (job) => {
      await trigger(job, { concurrency_key: "k" });
      await claimOne(world.ctx, job);
    },
    body: async () => ({ concurrency_key: "k" }),
  },
  job_concurrency: {
    job: { max_concurrency: 1 },
    before: async (job) => {
      const [holder] = await runSql(world.connection, "select 1 from run_queue where job_id = $1", [job.id]);
      if (holder) return;
      await trigger(job);
      await claimOne(world.ctx, job);
    },
  },
  rate_limit: {
    job: { rate_limit_max: 1, rate_limit_window_secs: 60 },
    before: async (job) => {
      const [started] = await runSql(world.connection, "select 1 from run_queue where job_id = $1", [job.id]);
      if (!started) await endRun(world, await trigger(job));
    },
  },
  circuit: {
    after: async ({ project_id, host }) => {
      await openCircuit(world.ctx, { project_id, host }, "Connection refused.");
      await blockLane(world.ctx, { project_id, host });
    },
    cure: async ({ project_id, host }) => {
      for (let nth = 0; nth < 3; nth++) await recordProbe(world.ctx, { project_id, host }, true);
    },
  },
  no_engine: {
    after: async () => void (await runSql(world.connection, "delete from instances")),
    cure: async () => void (await world.tick("register-instance")),
  },
};

const LIMITS = new Set(["concurrency_key", "job_concurrency", "rate_limit"]);

/** A run with all of these blockers. */
async function heldBy(names: readonly string[]): Promise<{ job: TestJob; run_id: string }> {
  const chosen = names.map((name) => holds[name] ?? {});
  const job = await makeJob(project, Object.assign({}, ...chosen.map((hold) => hold.job ?? {})));
  for (const hold of chosen) await hold.before?.(job);
  const bodies = await Promise.all(chosen.map((hold) => hold.body?.(job) ?? {}));
  const run_id = await trigger(job, Object.assign({}, ...bodies));
  // Claims like the dispatcher: a run that a limit rejects is blocked on it.
  if (names.some((name) => LIMITS.has(name))) await claimSome(world.ctx, job, 10);
  for (const hold of chosen) await hold.after?.(job, run_id);
  return { job, run_id };
}

/** Applies a blocker's remedy: sends its request, advances the time, or triggers the other condition. */
async function apply(job: TestJob, blocker: Blocker): Promise<void> {
  const { request } = blocker.remedy;
  if (request) {
    const { path, body = {} } = request;
    const sent = request.method === "PATCH" ? await project.api.patch(path, body) : await project.api.post(path, body);
    expect(sent.status, `${request.method} ${path}: ${sent.text}`).toBeLessThan(300);
  } else if (holds[blocker.code]?.cure) await holds[blocker.code]?.cure?.(job, blocker);
  else await world.clock.set(blocker.until);
  for (const task of ["run-outbox", "release-due-runs", "release-rate-limits"]) await world.tick(task);
}

async function cureAll(job: TestJob, run_id: string): Promise<void> {
  for (let pass = 0; pass < 12; pass++) {
    const { blockers } = await explain(run_id);
    if (blockers.length === 0) return;
    await apply(job, blockers[0]);
  }
  throw new Error("the run is still blocked");
}

const takes = async (job: TestJob, run_id: string) =>
  (await claimSome(world.ctx, job, 100)).some((run) => run.run_id === run_id);

describe("GET /v1/runs/{runID}/explain", () => {
  it.each(Object.keys(holds))(
    "%s: is listed with its evidence; with its remedy applied, the run starts",
    async (name) => {
      const { job, run_id } = await heldBy([name]);
      // With no live instance, the test's own claim would still take it.
      if (name !== "no_engine") expect(await takes(job, run_id)).toBe(false);
      const { blockers, summary } = await explain(run_id);
      expect(blockers.map(({ code }: Blocker) => code)).toEqual([name]);
      expect(summary).toBe(blockers[0].message);
      await cureAll(job, run_id);
      expect(await takes(job, run_id)).toBe(true);
    },
  );

  it("any two of them: both are listed, and with both remedies applied the run starts", async () => {
    const names = Object.keys(holds);
    for (const [nth, one] of names.entries()) {
      for (const other of names.slice(nth + 1, nth + 1 + sizeOf(1, names.length))) {
        await world.tick("register-instance");
        const { job, run_id } = await heldBy([one, other]);
        expect(await codesOf(run_id), `${one} and ${other}`).toEqual(expect.arrayContaining([one, other]));
        await cureAll(job, run_id);
        expect(await takes(job, run_id), `${one} and ${other}`).toBe(true);
      }
    }
  }, 180_000);

  it("a limit lists its holders and since when; if it is raised as proposed or a holder ends, the run starts", async () => {
    const { job, run_id } = await heldBy(["concurrency_key"]);
    const [{ evidence, since, remedy }] = (await explain(run_id)).blockers;
    const [holder] = evidence.holders;
    expect(evidence).toMatchObject({ setting: "max_concurrency_per_key", max: 1, active: 1, ahead: 0 });
    expect(holder.since).toBe(since);
    expect(remedy.request).toMatchObject({ method: "PATCH", body: { max_concurrency_per_key: 2 } });
    const behind = await trigger(job, { concurrency_key: "k" });
    await claimSome(world.ctx, job, 10);
    expect((await explain(behind)).blockers[0].evidence.ahead).toBe(1);
    await project.api.post(`/v1/runs/${holder.run_id}/cancel`, {});
    expect((await explain(run_id)).blockers).toEqual([]);
  });

  it("a limit of a deleted job has no request: it cannot be raised", async () => {
    const { job, run_id } = await heldBy(["concurrency_key"]);
    expect((await project.api.delete(job.path)).status).toBe(204);
    const [{ remedy, evidence }] = (await explain(run_id)).blockers;
    expect(remedy).toEqual({
      message: "Wait until one of the running runs ends: the job was deleted, so its limits cannot be raised.",
    });
    await project.api.post(`/v1/runs/${evidence.holders[0].run_id}/cancel`, {});
    expect((await explain(run_id)).blockers).toEqual([]);
  });

  it("a rate limit says when the run will be admitted, after those ahead of it", async () => {
    const job = await makeJob(project, { rate_limit_max: 2, rate_limit_window_secs: 60 });
    for (let nth = 0; nth < 2; nth++) await endRun(world, await trigger(job));
    const [first, second, third] = [await trigger(job), await trigger(job), await trigger(job)];
    await claimSome(world.ctx, job, 10);
    const [one, two, three] = await Promise.all([first, second, third].map(explain));
    expect(one.would_start_at).toBe(one.blockers[0].until);
    expect(two.blockers[0].evidence.ahead).toBe(1);
    expect(two.blockers[0].until >= one.blockers[0].until).toBe(true);
    expect(three.blockers[0].evidence).toMatchObject({ ahead: 2, started: 2, max: 2 });
    expect(one.blockers[0].remedy.request).toMatchObject({ method: "PATCH", body: { rate_limit_max: 3 } });
    expect(three.blockers[0].remedy.request).toMatchObject({ body: { rate_limit_max: 5 } });
  });

  it("a rate limit of one start: each blocked run gets its own window, and starts when predicted", async () => {
    const job = await makeJob(project, { rate_limit_max: 1, rate_limit_window_secs: 20 });
    await world.clock.set(await world.clock.now());
    const before = Date.parse((await explain(await trigger(job))).would_start_at);
    await claimSome(world.ctx, job, 10);
    const line = [await trigger(job), await trigger(job), await trigger(job)];
    await claimSome(world.ctx, job, 10);
    const explained = await Promise.all(line.map(explain));
    const starts = explained.map(({ would_start_at }) => Date.parse(would_start_at));
    const gaps = starts.map((at, nth) => at - (starts[nth - 1] ?? before));
    // The window plus the sixtieth of it that contains the previous start.
    for (const gap of gaps.slice(1)) expect([20_333, 20_334]).toContain(gap);
    for (const { blockers, would_start_at } of explained) {
      expect(blockers).toMatchObject([{ code: "rate_limit", until: would_start_at, since: expect.any(String) }]);
      expect(before - Date.parse(blockers[0].since)).toBeLessThan(334);
    }
    for (const [nth, run_id] of line.entries()) {
      await world.clock.set(new Date((starts[nth] ?? 0) - 1).toISOString());
      await world.tick("release-rate-limits");
      expect(await takes(job, run_id)).toBe(false);
      await world.clock.set(explained[nth].would_start_at);
      await world.tick("release-rate-limits");
      expect(await takes(job, run_id)).toBe(true);
    }
  });

  it("a named rate limit is raised by a request that leaves the other names unchanged", async () => {
    const rate_limit_keys = ["per", "other"].map((name) => ({
      name,
      key: `${name}-{{payload.user}}`,
      max: 1,
      window_secs: 60,
    }));
    const job = await makeJob(project, {
      rate_limit_keys: rate_limit_keys.map((each, nth) => ({ ...each, max: nth + 1 })),
    });
    await endRun(world, await trigger(job, { payload: { user: "u" } }));
    const run_id = await trigger(job, { payload: { user: "u" } });
    await claimSome(world.ctx, job, 10);
    const [blocker] = (await explain(run_id)).blockers;
    expect(blocker.remedy.request.body).toEqual({
      rate_limit_keys: rate_limit_keys.map((each) => ({ ...each, max: 2 })),
    });
    await apply(job, blocker);
    expect(await takes(job, run_id)).toBe(true);
  });

  it("backoff: shows the failed attempt, its error, and when the next one is due", async () => {
    const job = await makeJob(project);
    const run_id = await trigger(job);
    const run = await claimOne(world.ctx, job);
    const error = { code: "http_error", message: "The endpoint responded with 503." };
    await settleRuns(world.ctx, [{ run, outcome: { kind: "failed", retryable: true, error } }]);
    const { blockers, would_start_at } = await explain(run_id);
    expect(blockers).toMatchObject([
      { code: "backoff", until: would_start_at, evidence: { attempt: 1, tries_used: 1, error, cause: "retry" } },
    ]);
    expect(blockers[0].message).toContain(
      "Attempt 1 failed: The endpoint responded with 503. The next attempt is due at",
    );
    await project.api.post(`/v1/runs/${run_id}/pause`);
    const paused = (await explain(run_id)).blockers;
    expect(paused.map((each: Blocker) => each.code)).toEqual(["paused_run", "backoff"]);
    expect(paused[1]).toMatchObject({ message: blockers[0].message, since: null, evidence: { error, cause: null } });
    await project.api.post(`/v1/runs/${run_id}/resume`);
    await world.clock.set(would_start_at);
    await world.tick("release-due-runs");
    await world.tick("register-instance");
    expect((await explain(run_id)).blockers).toEqual([]);
  });

  it("an awaited event: shows the key, the deadline, the request that sends it, and the pause that would follow", async () => {
    const { run_id, event_key } = await waitingRun(world, project, { event_key: "order/ 7?", timeout_secs: 600 });
    await project.api.post(`/v1/runs/${run_id}/pause`);
    const { blockers } = await explain(run_id);
    expect(blockers).toMatchObject([
      { code: "waiting_for_event", evidence: { event_key }, until: expect.any(String) },
      { code: "pause_requested" },
    ]);
    for (const { remedy } of blockers.toReversed()) {
      const { path, body = {} } = remedy.request;
      expect((await project.api.post(path, body)).status).toBeLessThan(300);
    }
    expect(await explain(run_id)).toMatchObject({ status: "pending", blockers: [] });
  });

  it("a sleep shows when it ends, a child points to its own explanation", async () => {
    const sleeper = await runningRun(world, project);
    expect((await sleeper.sdk.post("/sleep", { secs: 60 })).status).toBeLessThan(300);
    const [asleep] = (await explain(sleeper.run_id)).blockers;
    expect(asleep).toMatchObject({ code: "sleeping", until: (await explain(sleeper.run_id)).would_start_at });
    const parent = await runningRun(world, project);
    const job = await makeJob(project);
    const spawned = await parent.sdk.post("/spawn", { job_id: job.id, wait: true });
    const child = spawned.body.id ?? spawned.body.run_id;
    expect((await explain(parent.run_id)).blockers).toMatchObject([
      { code: "waiting_for_child", evidence: { child_run_id: child, explain: `/v1/runs/${child}/explain` } },
    ]);
    await endRun(world, child);
    await world.tick("run-outbox");
    expect(await explain(parent.run_id)).toMatchObject({ status: "pending", blockers: [] });
  });

  it("a claimable run has no blockers, and shows how many runs are ahead of it", async () => {
    const job = await makeJob(project);
    await trigger(job);
    const run_id = await trigger(job);
    const explained = await explain(run_id);
    expect(explained).toMatchObject({ status: "pending", blockers: [], workflow: null, running: null });
    expect(explained.queue_position).toMatchObject({ host: job.host, ahead: 1, engines_alive: 1, dispatch_slots: 200 });
    expect(explained.would_start_at).not.toBeNull();
  });

  it("a running run shows its start, attempt and last heartbeat; an ended one how it ended", async () => {
    const accepted = await runningRun(world, project, { accepted: true, heartbeat_timeout_secs: 60 });
    const explained = await explain(accepted.run_id);
    expect(explained).toMatchObject({ status: "running", blockers: [], queue_position: null, would_start_at: null });
    expect(explained.running).toMatchObject({
      attempt: 1,
      deadline: accepted.deadline,
      last_heartbeat_at: expect.any(String),
    });
    expect(explained.summary).toMatch(/^The run has been running since .*, in attempt 1/);
    await project.api.post(`/v1/runs/${accepted.run_id}/cancel`, { reason: "Not needed." });
    const ended = await explain(accepted.run_id);
    expect(ended).toMatchObject({ status: "canceled", blockers: [], running: null });
    expect(ended.summary).toMatch(/^The run ended as canceled at \S+, in attempt 1: Not needed\./);
  });

  it("a step's run points to the workflow run's explanation", async () => {
    const workflow_run_id = newId();
    const run_id = (await runningRun(world, project, { workflow_run_id })).run_id;
    expect((await explain(run_id)).workflow).toMatchObject({
      workflow_run_id,
      explain: `/v1/workflow-runs/${workflow_run_id}/explain`,
    });
  });

  it("A2 404 for another project's run", async () => {
    const run_id = await trigger(await makeJob(project));
    expect((await (await world.project()).api.get(`/v1/runs/${run_id}/explain`)).status).toBe(404);
  });
});
