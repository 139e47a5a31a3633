import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineEvent } from "../src/define-event.ts";
import { defineJob } from "../src/define-job.ts";
import { isSuspend, SuspendSwallowedError } from "../src/job-errors.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

let sdk: SdkWorld;
let errors: unknown[] = [];
const calls: string[] = [];
const approved = defineEvent({
  key: (order: { id: string }) => `approve:${order.id}`,
  schema: z.object({ approved: z.boolean() }),
});

const double = defineJob({ id: "double", run: (payload: { n: number }) => ({ doubled: payload.n * 2 }) });

const waiting = defineJob({
  id: "waiting",
  run: async (payload: { id: string }, ctx) => {
    ctx.log.info("before the wait");
    const id = await ctx.step("prepare", () => {
      calls.push("prepare");
      return payload.id;
    });
    const answer = await ctx.waitForEvent(approved({ id }), { timeout: "24h" });
    await ctx.sleep("1h");
    const child = await ctx.spawnAndWait(double, { n: 21 });
    const other = await ctx.waitForEvent<{ second: number }>(`second:${id}`);
    return { answer, child, other, attempt: ctx.run.attempt };
  },
});

const swallowing = defineJob({
  id: "swallowing",
  run: async (payload: { id: string; careful: boolean; after: "log" | "return" }, ctx) => {
    try {
      await ctx.waitForEvent(`swallow:${payload.id}`);
    } catch (error) {
      if (payload.careful && isSuspend(error)) throw error;
    }
    if (payload.after === "log") await ctx.progress(50);
    return { late: true };
  },
});

const both = defineJob({
  id: "both",
  run: (_: unknown, ctx) => Promise.all([ctx.waitForEvent<number>("both:a"), ctx.waitForEvent<number>("both:b")]),
});

const careless = defineJob({
  id: "careless",
  run: (_: unknown, ctx) => {
    void ctx.sleep("1h");
    void ctx.step("never", () => Promise.reject(new Error("nobody hears this")));
    return "too early";
  },
});

const spawning = defineJob({
  id: "spawning",
  retry: { maxAttempts: 2, delays: ["1s"] },
  run: async (_: unknown, ctx) => {
    const child = await ctx.spawn(double, { n: 1 }, { tags: { kind: "child" } });
    if (ctx.run.attempt === 1) throw new Error("after the spawn");
    return child;
  },
});

beforeAll(async () => {
  sdk = await makeSdkWorld();
  const jobs = [double, waiting, swallowing, both, careless, spawning];
  errors = (await sdk.host({ jobs, tolerance: 1e9 })).errors;
});

const idle = () => sdk.world.runUntilIdle();

describe("a job that waits", () => {
  it("a wait ends the dispatch, and the run goes on with the event, after a sleep, and with the end of its child", async () => {
    calls.length = 0;
    const run = await sdk.client.jobs.trigger(waiting, { id: "o1" });
    await idle();
    expect((await run.get()).status).toBe("waiting");
    expect((await sdk.client.runs.logs(run.id).all()).map(({ message }) => message)).toEqual(["before the wait"]);
    await sdk.client.events.send(approved({ id: "o1" }), { approved: true });
    await idle();
    expect((await run.get()).status).toBe("waiting");
    await sdk.world.clock.pass("3601s");
    await idle();
    await sdk.client.events.send("second:o1", { second: 2 });
    await idle();
    expect(await run.unwrap({ timeout: "20s" })).toEqual({
      answer: { approved: true },
      child: { ok: true, status: "completed", output: { doubled: 42 } },
      other: { second: 2 },
      attempt: 5,
    });
    expect(calls).toEqual(["prepare"]);
  });

  it("an event that does not fit its schema is refused when it is sent, and fails the run for good when it comes", async () => {
    const run = await sdk.client.jobs.trigger(waiting, { id: "o2" });
    await idle();
    await expect(sdk.client.events.send(approved({ id: "o2" }), { approved: "yes" as never })).rejects.toThrow(
      /payload.approved/,
    );
    await sdk.client.events.send("approve:o2", { approved: "yes" });
    await idle();
    expect(await run.result({ timeout: "20s" })).toMatchObject({ ok: false, error: { code: "event_invalid" } });
  });

  it.each(["log", "return"] as const)("a swallowed suspension is detected and explained (%s)", async (after) => {
    errors.length = 0;
    const run = await sdk.client.jobs.trigger(swallowing, { id: after, careful: false, after });
    await idle();
    expect((await run.get()).status).toBe("waiting");
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(SuspendSwallowedError);
    expect(String(errors[0])).toMatch(/waitForEvent\(swallow:.*\) suspended the run.*isSuspend\(error\)/);
    await sdk.client.events.send(`swallow:${after}`, {});
    await idle();
    expect(await run.unwrap({ timeout: "20s" })).toEqual({ late: true });
  });

  it("a catch that lets a suspension through is not blamed", async () => {
    errors.length = 0;
    const run = await sdk.client.jobs.trigger(swallowing, { id: "careful", careful: true, after: "log" });
    await idle();
    expect((await run.get()).status).toBe("waiting");
    expect(errors).toEqual([]);
  });

  it("two waits beside each other are waited for one after another", async () => {
    const run = await sdk.client.jobs.trigger(both, {});
    await idle();
    await sdk.client.events.send("both:a", 1);
    await idle();
    await sdk.client.events.send("both:b", 2);
    await idle();
    expect(await run.unwrap({ timeout: "20s" })).toEqual([1, 2]);
  });

  it("a wait that was not awaited suspends all the same, is explained, and ends no process", async () => {
    errors.length = 0;
    const run = await sdk.client.jobs.trigger(careless, {});
    await idle();
    expect((await run.get()).status).toBe("waiting");
    expect(String(errors[0])).toMatch(/sleep\(1h\) suspended the run.*returned a result/);
  });

  it("a spawn that is repeated by a retry starts no second child", async () => {
    const run = await sdk.client.jobs.trigger(spawning, {});
    await idle();
    await sdk.world.clock.pass("5s");
    await idle();
    const child = await run.unwrap({ timeout: "20s" });
    const children = await sdk.client.runs.children(run.id).all();
    expect(children.map(({ id }) => id)).toEqual([child.id]);
    expect(children[0]?.tags).toMatchObject({ kind: "child" });
  });
});
