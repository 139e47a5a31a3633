import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { until } from "../../server/test/world/until.ts";
import { defineJob } from "../src/define-job.ts";
import { CanceledError, NonRetryableError, RetryAfterError } from "../src/job-errors.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

let sdk: SdkWorld;
const calls: string[] = [];
const double = defineJob({ id: "double", run: (payload: { n: number }) => ({ doubled: payload.n * 2 }) });

const everything = defineJob({
  id: "everything",
  schema: z.object({ to: z.string(), at: z.string().transform((text) => new Date(text)) }),
  run: async (payload, ctx) => {
    ctx.log.info("begun", { to: payload.to, year: payload.at.getUTCFullYear() });
    ctx.log.warn("odd", { big: 10n, error: new Error("inner") });
    await ctx.progress(40, "rendering");
    const called = await ctx.toolCall("smtp.send", { to: payload.to }, async () => ({ id: "m1" }));
    await ctx.toolCall("smtp.fail", {}, () => Promise.reject(new Error("refused"))).catch(() => {});
    void ctx.usage.add({ model: "x", inputTokens: 900, outputTokens: 120, costUsd: 0.004 });
    void ctx.output("report", { pages: 3 });
    await ctx.tag({ tags: { team: "growth" }, metadata: { seen: true } });
    await ctx.heartbeat();
    return { called, attempt: ctx.run.attempt, env: Object.keys(ctx.env).length };
  },
});

const stepping = defineJob({
  id: "stepping",
  retry: { maxAttempts: 3, delays: ["1s"] },
  run: async (_: unknown, ctx) => {
    const first = await ctx.step("first", () => {
      calls.push("first");
      return { at: new Date(0), none: undefined };
    });
    await ctx.step("nothing", () => void calls.push("nothing"));
    if (ctx.run.attempt === 2) await ctx.step("refused", () => Promise.reject(new Error("refused")));
    const cursor = (await ctx.checkpoint.get<{ cursor: number }>())?.cursor ?? 0;
    await ctx.checkpoint.set({ cursor: cursor + 1 });
    if (ctx.run.attempt < 3) throw new Error(`attempt ${ctx.run.attempt}`);
    return { first, cursor: cursor + 1 };
  },
});

const failing = defineJob({
  id: "failing",
  retry: { maxAttempts: 2 },
  run: (payload: { how: "never" | "later" | "plain" | "text" | "circle" }) => {
    if (payload.how === "never") throw new NonRetryableError("the address is wrong", { code: "bad_address" });
    if (payload.how === "later") throw new RetryAfterError("10m", "the provider is closed");
    if (payload.how === "circle")
      return {
        get circle(): unknown {
          return 1n;
        },
      };
    if (payload.how === "text") throw "just text";
    throw new Error("plain");
  },
});

const endless = defineJob({
  id: "endless",
  run: async (_: unknown, ctx) => {
    calls.push("endless");
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
    calls.push(String((ctx.signal.reason as Error).name));
    ctx.signal.throwIfAborted();
  },
});

const costly = defineJob({
  id: "costly",
  maxCostUsd: 0.001,
  run: async (_: unknown, ctx) => {
    await ctx.usage.add({ costUsd: 0.002 });
    calls.push(ctx.signal.aborted ? "stopped" : "going on");
  },
});

const long = defineJob({
  id: "long",
  run: async (_: unknown, ctx) => {
    ctx.log.info("under way");
    await until("three heartbeats", 20_000, () => beats >= 3);
    const again = await ctx.step("twice", () => 1);
    await ctx.step("twice", () => 2);
    return again;
  },
});
let beats = 0;

beforeAll(async () => {
  sdk = await makeSdkWorld();
  const jobs = [double, everything, stepping, failing, endless, costly, long];
  const counting: typeof globalThis.fetch = (url, init) => {
    if (String(url).endsWith("/heartbeat")) beats += 1;
    return globalThis.fetch(url, init);
  };
  await sdk.host({ jobs, heartbeatIntervalMs: 50, toleranceSecs: 1e9, fetch: counting });
});

const idle = () => sdk.world.runUntilIdle();

describe("serve", () => {
  it("dispatches a run and returns its result through the handle", async () => {
    const run = await sdk.client.jobs.trigger(double, { n: 4 });
    const [end] = await Promise.all([run.result({ timeout: "20s" }), idle()]);
    expect(end).toEqual({ ok: true, status: "completed", output: { doubled: 8 } });
    expect(await run.unwrap()).toEqual({ doubled: 8 });
  });

  it("R14 stores what a job logs, reports and records with its run", async () => {
    const run = await sdk.client.jobs.trigger(everything, { to: "a@b.c", at: "2026-01-02T00:00:00Z" });
    await idle();
    expect(await run.unwrap()).toEqual({ called: { id: "m1" }, attempt: 1, env: 0 });
    const read = await run.get();
    expect(read).toMatchObject({ cost_microusd: 4_000, tags: { team: "growth" }, metadata: { seen: true } });
    expect(read.progress).toMatchObject({ percent: 40, message: "rendering" });
    const lines = await sdk.client.runs.logs(run.id, { order: "asc" }).all();
    expect(lines.map(({ message, fields }) => [message, fields])).toEqual([
      ["begun", { to: "a@b.c", year: 2026 }],
      ["odd", { big: "10", error: expect.objectContaining({ message: "inner" }) }],
    ]);
    expect(await sdk.client.runs.toolCalls(run.id, { order: "asc" }).all()).toMatchObject([
      { name: "smtp.send", input: { to: "a@b.c" }, output: { id: "m1" }, status: "completed" },
      { name: "smtp.fail", error: "refused", status: "failed" },
    ]);
    expect(await sdk.client.runs.usage(run.id).all()).toMatchObject([
      { model: "x", input_tokens: 900, output_tokens: 120 },
    ]);
    expect(await sdk.client.runs.outputs(run.id).all()).toMatchObject([{ name: "report", value: { pages: 3 } }]);
  });

  it("rejects an invalid payload before it is sent, and in the endpoint without a retry", async () => {
    const bad = { to: 4 } as never;
    await expect(sdk.client.jobs.trigger(everything, bad)).rejects.toThrow(/payload.to/);
    await sdk.client.jobs.update("everything", { payload_schema: null });
    const run = await sdk.client.jobs.trigger("everything", bad);
    await idle();
    const end = await run.result({ timeout: "20s" });
    expect(end).toMatchObject({ ok: false, status: "failed", error: { code: "payload_invalid" } });
    expect((await run.get()).attempt).toBe(1);
  });

  it("runs steps once over all attempts, and keeps checkpoints", async () => {
    calls.length = 0;
    const run = await sdk.client.jobs.trigger(stepping, {});
    for (let attempt = 0; attempt < 3; attempt++) {
      await idle();
      await sdk.world.clock.pass("5s");
    }
    await idle();
    const output = await run.unwrap({ timeout: "20s" });
    expect(output).toEqual({ first: { at: "1970-01-01T00:00:00.000Z" }, cursor: 2 });
    expect(calls).toEqual(["first", "nothing"]);
    const messages = (await sdk.client.runs.logs(run.id).all()).map(({ message }) => message);
    expect(messages).toContain("Error: attempt 1");
    const spans = await sdk.client.runs.trace(run.id).all();
    const steps = spans.filter(({ kind }) => kind === "step");
    expect(steps.map(({ name, attempt, status }) => [name, attempt, status])).toEqual([
      ["first", 1, "completed"],
      ["nothing", 1, "completed"],
      ["refused", 2, "failed"],
    ]);
  });

  it("uses the error that a job throws as the error of its run, and does not retry a NonRetryableError", async () => {
    const never = await sdk.client.jobs.trigger(failing, { how: "never" });
    const later = await sdk.client.jobs.trigger(failing, { how: "later" });
    const text = await sdk.client.jobs.trigger(failing, { how: "text" }, { maxAttempts: 1 });
    const circle = await sdk.client.jobs.trigger(failing, { how: "circle" });
    await idle();
    expect((await never.get()).error).toEqual({ code: "bad_address", message: "the address is wrong" });
    await expect(never.unwrap()).rejects.toMatchObject({
      name: "RunFailedError",
      code: "bad_address",
      runId: never.id,
    });
    expect((await text.get()).error).toEqual({ code: "failed", message: "just text" });
    expect((await circle.get()).error).toMatchObject({ code: "result_not_json" });
    expect((await later.get()).status).toBe("pending");
    const attempts = await sdk.client.runs.attempts(later.id).all();
    expect(attempts).toHaveLength(1);
    await sdk.world.clock.pass("500s");
    await idle();
    expect((await later.get()).attempt).toBe(1);
    await sdk.world.clock.pass("300s");
    await idle();
    expect((await later.get()).status).toBe("failed");
  });

  it("aborts ctx.signal when the run is canceled", async () => {
    calls.length = 0;
    const run = await sdk.client.jobs.trigger(endless, {});
    const working = idle();
    await until("the job to begin", 20_000, () => calls.includes("endless"));
    await run.cancel({ reason: "enough" });
    await until("the signal", 20_000, () => calls.includes(CanceledError.name));
    await working;
    expect((await run.get()).status).toBe("canceled");
  });

  it("sends heartbeats automatically, and rejects two steps with the same id", async () => {
    beats = 0;
    const run = await sdk.client.jobs.trigger(long, {}, { maxAttempts: 3 });
    await idle();
    expect(beats).toBeGreaterThanOrEqual(3);
    expect(await run.get()).toMatchObject({ status: "failed", attempt: 1, error: { code: "duplicate_step" } });
  });

  it("stops a run that exceeds the maximum cost of its job", async () => {
    calls.length = 0;
    const run = await sdk.client.jobs.trigger(costly, {});
    await idle();
    expect(calls).toEqual(["stopped"]);
    expect((await run.get()).status).toBe("failed");
  });

  it("retries a job that the endpoint does not serve, and names those it serves", async () => {
    const { endpoint_url } = await sdk.client.jobs.get("double");
    await sdk.client.jobs.create({ name: "Stranger", slug: "stranger", endpoint_url, max_attempts: 1 });
    const run = await sdk.client.jobs.trigger("stranger", {});
    await idle();
    const { error } = await run.get();
    expect(error).toMatchObject({
      code: "job_not_served",
      message: expect.stringContaining("It has: double, everything"),
    });
  });
});
