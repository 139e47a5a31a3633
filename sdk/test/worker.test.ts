import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../server/test/world/until.ts";
import { createClient } from "../src/client/create-client.ts";
import { type AnyJob, defineJob } from "../src/define-job.ts";
import { CanceledError } from "../src/job-errors.ts";
import type { Middleware } from "../src/serve/middleware.ts";
import { sync } from "../src/sync.ts";
import { createWorker } from "../src/worker/create-worker.ts";
import type { Worker, WorkerOptions } from "../src/worker/worker-options.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

const WAIT_MS = 30_000;

/** Blocks jobs until they are released, and records which have started. */
function makeGate() {
  const started: string[] = [];
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { started, opened, open: () => open() };
}

let sdk: SdkWorld;
const workers: Worker[] = [];
beforeAll(async () => {
  sdk = await makeSdkWorld();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop({ grace: "1s" })));
});

let nth = 0;
const newId = () => `pulled-${nth++}`;

async function startWorker(jobs: AnyJob[], options: Partial<WorkerOptions> = {}): Promise<Worker> {
  await sync(sdk.client, { jobs, delivery: "pull" });
  const given = { client: sdk.client, handleSignals: false, onError: () => {}, heartbeatIntervalMs: 50, ...options };
  const worker = createWorker({ jobs, ...given }).start();
  workers.push(worker);
  return worker;
}

const startOf = (gate: { started: string[] }, count = 1) =>
  until(`${count} runs to start`, WAIT_MS, () => gate.started.length >= count);

describe("a worker that pulls", () => {
  it("executes runs with steps, waits and middleware as an endpoint does, and is listed", async () => {
    const around: string[] = [];
    const noting: Middleware = {
      aroundAttempt: ({ job, ctx }, next) => {
        around.push(`${job.id} ${ctx.run.attempt}`);
        return next();
      },
    };
    const job = defineJob({
      id: newId(),
      run: async ({ n }: { n: number }, ctx) => {
        const doubled = await ctx.step("double", () => n * 2);
        ctx.log.info("doubled", { doubled });
        await ctx.heartbeat();
        const more = await ctx.waitForEvent<{ by: number }>(`more:${ctx.run.id}`);
        return doubled + more.by;
      },
    });
    const worker = await startWorker([job], {
      middleware: [noting],
      name: "host-1",
      version: "1.0.0",
      labels: { zone: "a" },
    });
    const run = await sdk.client.jobs.trigger(job, { n: 20 });
    await until("the run to wait", WAIT_MS, async () => (await run.get()).status === "waiting");
    await sdk.client.events.send(`more:${run.id}`, { by: 2 });
    await sdk.world.runUntilIdle();
    expect(await run.unwrap({ timeout: "30s" })).toBe(42);
    expect(around).toEqual([`${job.id} 1`, `${job.id} 2`]);
    expect((await sdk.client.runs.logs(run.id).all()).map(({ message }) => message)).toEqual(["doubled", "doubled"]);
    const listed = async () => (await sdk.client.workers.list().all()).find(({ worker_id }) => worker_id === worker.id);
    expect(await until("the worker to be listed", WAIT_MS, listed)).toMatchObject({
      name: "host-1",
      version: "1.0.0",
      labels: { zone: "a" },
      concurrency: 50,
      queues: ["default"],
      jobs: [job.id],
    });
  });

  it("retries a failed attempt according to the settings of the job", async () => {
    const job = defineJob({
      id: newId(),
      retry: { maxAttempts: 2, delays: ["1s"] },
      run: (_: unknown, ctx) => {
        if (ctx.run.attempt === 1) throw new Error("not yet");
        return { attempt: ctx.run.attempt };
      },
    });
    const errors: unknown[] = [];
    await startWorker([job], { onError: (error) => void errors.push(error) });
    const run = await sdk.client.jobs.trigger(job, {});
    await until("the first attempt to fail", WAIT_MS, async () => (await run.get()).tries_used === 1);
    await sdk.world.clock.pass("5s");
    await sdk.world.runUntilIdle();
    expect(await run.unwrap({ timeout: "30s" })).toEqual({ attempt: 2 });
    expect(errors.map(String)).toEqual(["Error: not yet"]);
  });

  it("a cancel reaches ctx.signal", async () => {
    const gate = makeGate();
    const reasons: unknown[] = [];
    const job = defineJob({
      id: newId(),
      run: async (_: unknown, ctx) => {
        gate.started.push(ctx.run.id);
        await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
        reasons.push(ctx.signal.reason);
      },
    });
    await startWorker([job], { heartbeatIntervalMs: 500 });
    const run = await sdk.client.jobs.trigger(job, {});
    await startOf(gate);
    await run.cancel();
    await until("the signal", WAIT_MS, () => reasons.length > 0);
    expect(reasons).toEqual([expect.any(CanceledError)]);
    expect((await run.get()).status).toBe("canceled");
  });

  it("a cancel shows in a ctx.signal that the job reads only afterwards", async () => {
    const gate = makeGate();
    const reasons: unknown[] = [];
    const job = defineJob({
      id: newId(),
      run: async (_: unknown, ctx) => {
        gate.started.push(ctx.run.id);
        await gate.opened;
        await ctx.step("next", () => {}).catch(() => reasons.push(ctx.signal.reason));
      },
    });
    await startWorker([job]);
    const run = await sdk.client.jobs.trigger(job, {});
    await startOf(gate);
    await run.cancel();
    gate.open();
    await until("the step to be refused", WAIT_MS, () => reasons.length > 0);
    expect(reasons).toEqual([expect.any(CanceledError)]);
  });

  it("waits with one poll while no runs come, and with four while they do", async () => {
    let open = 0;
    let most = 0;
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const isClaim = String(url).endsWith("/worker/v1/claims");
      if (isClaim) most = Math.max(most, ++open);
      return globalThis.fetch(url, init).finally(() => {
        if (isClaim) open--;
      });
    };
    const client = createClient({ baseUrl: sdk.world.url, apiKey: sdk.project.key, fetch });
    const job = defineJob({ id: newId(), run: () => "done" });
    await startWorker([job], { client });
    await until("the poll to wait", WAIT_MS, () => open > 0);
    await sdk.client.me.get();
    expect(most).toBe(1);
    await (await sdk.client.jobs.trigger(job, {})).unwrap({ timeout: "30s" });
    await until("four polls to wait", WAIT_MS, () => open === 4);
    expect(most).toBe(4);
  });

  it("a lost lease reaches ctx.signal, and the next attempt is the one that counts", async () => {
    const gate = makeGate();
    const reasons: unknown[] = [];
    const job = defineJob({
      id: newId(),
      run: async (_: unknown, ctx) => {
        gate.started.push(ctx.run.id);
        if (ctx.run.attempt > 1) return { attempt: ctx.run.attempt };
        await gate.opened;
        await ctx.heartbeat();
        reasons.push(ctx.signal.reason);
        return { attempt: ctx.run.attempt };
      },
    });
    await startWorker([job], { heartbeatIntervalMs: 3_600_000 });
    const run = await sdk.client.jobs.trigger(job, {});
    await startOf(gate);
    await sdk.world.clock.pass("16s");
    await sdk.world.tick("sweep-leases");
    await sdk.world.runUntilIdle();
    expect(await run.unwrap({ timeout: "30s" })).toEqual({ attempt: 2 });
    gate.open();
    await until("the signal", WAIT_MS, () => reasons.length > 0);
    expect(reasons).toEqual([expect.any(CanceledError)]);
    expect((await run.get()).result).toEqual({ attempt: 2 });
  });

  it("keeps its results while the service restarts, and continues with the new one", async () => {
    const gate = makeGate();
    const job = defineJob({
      id: newId(),
      run: async (_: unknown, ctx) => {
        gate.started.push(ctx.run.id);
        await gate.opened;
        return ctx.run.attempt;
      },
    });
    const first = await sdk.world.anotherInstance();
    let url = first.url;
    const failed: string[] = [];
    const fetch = async (to: unknown, init?: RequestInit) => {
      const path = String(to).slice(first.url.length);
      return globalThis.fetch(url + path, init).catch((error: unknown) => {
        failed.push(path);
        throw error;
      });
    };
    const client = createClient({
      baseUrl: first.url,
      apiKey: sdk.project.key,
      fetch: fetch as typeof globalThis.fetch,
    });
    const codes: unknown[] = [];
    await startWorker([job], { client, onError: (error) => void codes.push((error as { code?: string }).code) });
    const before = await sdk.client.jobs.trigger(job, {});
    await startOf(gate);
    first.ctx.state.draining = true; // as a signal does: long polls are answered
    await first.service.close();
    gate.open();
    await until("a result that was not answered", WAIT_MS, () => failed.includes("/worker/v1/results"));
    url = sdk.world.url;
    expect(await before.unwrap({ timeout: "30s" })).toBe(1);
    const after = await sdk.client.jobs.trigger(job, {});
    expect(await after.unwrap({ timeout: "30s" })).toBe(1);
    expect(new Set(codes)).toContain("network_error");
  });

  it("a lost answer to a claim or a result loses nothing, and repeats no run", async () => {
    let executed = 0;
    const job = defineJob({
      id: newId(),
      run: (_: unknown, ctx) => {
        executed++;
        return ctx.run.attempt;
      },
    });
    const lost: string[] = [];
    const claimIds: string[] = [];
    const outcomes: string[] = [];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const response = await globalThis.fetch(url, init);
      const path = new URL(String(url)).pathname;
      const body = (await response.clone().json()) as { runs: unknown[]; results: { outcome: string }[] };
      if (path === "/worker/v1/claims" && body.runs.length > 0) claimIds.push(JSON.parse(String(init?.body)).claim_id);
      if (path === "/worker/v1/results") outcomes.push(...body.results.map(({ outcome }) => outcome));
      const isWork = path === "/worker/v1/results" || (path === "/worker/v1/claims" && body.runs.length > 0);
      if (!isWork || lost.includes(path)) return response;
      lost.push(path);
      throw new TypeError("fetch failed");
    };
    const client = createClient({ baseUrl: sdk.world.url, apiKey: sdk.project.key, fetch });
    await startWorker([job], { client });
    const run = await sdk.client.jobs.trigger(job, {});
    expect(await run.unwrap({ timeout: "30s" })).toBe(1);
    await until("the repeated result", WAIT_MS, () => outcomes.length === 2);
    expect([executed, outcomes]).toEqual([1, ["settled", "duplicate"]]);
    expect(claimIds).toHaveLength(2);
    expect(claimIds[0]).toBe(claimIds[1]);
  });

  it("claims no more than it can execute, and puts back what it has not started", async () => {
    const gate = makeGate();
    const id = newId();
    const quick = defineJob({ id: newId(), run: () => "quick" });
    const held = defineJob({
      id,
      run: async (_: unknown, ctx) => {
        gate.started.push(ctx.run.id);
        await gate.opened;
        return ctx.run.attempt;
      },
    });
    const worker = await startWorker([quick, held], { concurrency: 2 });
    // Short runs make it claim ahead.
    const quicks = await Promise.all(Array.from({ length: 12 }, () => sdk.client.jobs.trigger(quick, {})));
    for (const run of quicks) await run.unwrap({ timeout: "30s" });
    const runs = await Promise.all(Array.from({ length: 8 }, () => sdk.client.jobs.trigger(held, {})));
    await startOf(gate, 2);
    const statuses = async () => (await Promise.all(runs.map((run) => run.get()))).map(({ status }) => status);
    const stopping = worker.stop({ grace: "60s" });
    await until(
      "the rest to be put back",
      WAIT_MS,
      async () => (await statuses()).filter((each) => each === "running").length === 2,
    );
    expect(gate.started).toHaveLength(2);
    gate.open();
    await stopping;
    expect((await statuses()).filter((status) => status === "completed")).toHaveLength(2);
    const tries = await Promise.all(runs.map((run) => run.get()));
    expect(tries.every(({ tries_used }) => tries_used === 0)).toBe(true);
    expect((await sdk.client.workers.list().all()).map(({ worker_id }) => worker_id)).not.toContain(worker.id);
    await startWorker([held]);
    for (const run of runs) await run.unwrap({ timeout: "30s" });
  });

  it("stops and releases a run that exceeds the grace period", async () => {
    const gate = makeGate();
    const job = defineJob({
      id: newId(),
      run: async (_: unknown, ctx) => {
        gate.started.push(ctx.run.id);
        if (ctx.run.attempt === 1)
          await new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", reject));
        return ctx.run.attempt;
      },
    });
    const worker = await startWorker([job]);
    const run = await sdk.client.jobs.trigger(job, {});
    await startOf(gate);
    await worker.stop({ grace: "1s" });
    expect(await run.get()).toMatchObject({ finished_at: null, tries_used: 0 });
    await startWorker([job]);
    expect(await run.unwrap({ timeout: "30s" })).toBe(2);
  });

  it("shares the work with another worker; each run is executed once", async () => {
    const executed: string[] = [];
    const by = new Map<string, number>();
    const id = newId();
    const jobOf = (name: string) =>
      defineJob({
        id,
        run: async (_: unknown, ctx) => {
          executed.push(ctx.run.id);
          by.set(name, (by.get(name) ?? 0) + 1);
          // Until the other has had a run too.
          await until("both workers", WAIT_MS, () => by.size === 2);
        },
      });
    await startWorker([jobOf("a")], { concurrency: 4 });
    await startWorker([jobOf("b")], { concurrency: 4 });
    const job = jobOf("a");
    const runs = await Promise.all(Array.from({ length: 16 }, () => sdk.client.jobs.trigger(job, {})));
    for (const run of runs) await run.unwrap({ timeout: "30s" });
    expect(executed.sort()).toEqual(runs.map((run) => run.id).sort());
    expect([...by.keys()].sort()).toEqual(["a", "b"]);
  });

  it("puts back a run of a job it does not have", async () => {
    const [served, other] = [defineJob({ id: newId(), run: () => 1 }), defineJob({ id: newId(), run: () => 2 })];
    await sync(sdk.client, { jobs: [other], delivery: "pull" });
    const outcomes: unknown[] = [];
    /** As if the job had been renamed: the claim names no jobs. */
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const { jobs: _jobs, claim: _claim, ...body } = JSON.parse(String(init?.body));
      if (body.results) outcomes.push(...body.results.map(({ status }: { status: string }) => status));
      return globalThis.fetch(url, { ...init, body: JSON.stringify(body) });
    };
    const client = createClient({ baseUrl: sdk.world.url, apiKey: sdk.project.key, fetch });
    await startWorker([served], { client });
    const run = await sdk.client.jobs.trigger(other, {});
    await until("the run to be put back", WAIT_MS, () => outcomes.includes("unknown_job"));
    await until("the run to wait again", WAIT_MS, async () => (await run.get()).status !== "running");
    expect(await run.get()).toMatchObject({ tries_used: 0, finished_at: null });
  });

  it("a result that the service refuses fails its run with the reason, and holds up no other", async () => {
    const big = defineJob({ id: newId(), run: () => "x".repeat(1_100_000) });
    const small = defineJob({ id: newId(), run: () => "small" });
    await startWorker([big, small]);
    const run = await sdk.client.jobs.trigger(big, {});
    const other = await sdk.client.jobs.trigger(small, {});
    expect(await run.result({ timeout: "30s" })).toMatchObject({ ok: false, error: { code: "result_too_large" } });
    expect(await other.unwrap({ timeout: "30s" })).toBe("small");
  });
});
