import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineEvent } from "../src/define-event.ts";
import { defineJob } from "../src/define-job.ts";
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
    const response = await ctx.waitForEvent(approved({ id }), { timeout: "24h" });
    await ctx.sleep("1h");
    const child = await ctx.spawnAndWait(double, { n: 21 });
    const other = await ctx.waitForEvent<{ second: number }>(`second:${id}`);
    return { response, child, other, attempt: ctx.run.attempt };
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
    void ctx.step("never", () => Promise.reject(new Error("never reported")));
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
  const jobs = [double, waiting, both, careless, spawning];
  errors = (await sdk.host({ jobs, toleranceSecs: 1e9 })).errors;
});

const idle = () => sdk.world.runUntilIdle();

describe("waits in a job", () => {
  it("end the dispatch; the run continues with the event, after a sleep, and with the result of its child", async () => {
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
      response: { approved: true },
      child: { ok: true, status: "completed", output: { doubled: 42 } },
      other: { second: 2 },
      attempt: 5,
    });
    expect(calls).toEqual(["prepare"]);
  });

  it("reject an invalid event when it is sent, and fail the run without a retry when it arrives", async () => {
    const run = await sdk.client.jobs.trigger(waiting, { id: "o2" });
    await idle();
    await expect(sdk.client.events.send(approved({ id: "o2" }), { approved: "yes" as never })).rejects.toThrow(
      /payload.approved/,
    );
    await sdk.client.events.send("approve:o2", { approved: "yes" });
    await idle();
    expect(await run.result({ timeout: "20s" })).toMatchObject({ ok: false, error: { code: "event_invalid" } });
  });

  it("run one after another if they are started at the same time", async () => {
    const run = await sdk.client.jobs.trigger(both, {});
    await idle();
    await sdk.client.events.send("both:a", 1);
    await idle();
    await sdk.client.events.send("both:b", 2);
    await idle();
    expect(await run.unwrap({ timeout: "20s" })).toEqual([1, 2]);
  });

  it("suspend and explain even if they are not awaited, without ending the process", async () => {
    errors.length = 0;
    const run = await sdk.client.jobs.trigger(careless, {});
    await idle();
    expect((await run.get()).status).toBe("waiting");
    expect(String(errors[0])).toMatch(/sleep\(1h\) at .*suspend.test.ts:\d+:\d+ suspended the run.*returned a result/);
  });

  it("start no second child if a retry repeats a spawn", async () => {
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
