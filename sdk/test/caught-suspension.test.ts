import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defineJob } from "../src/define-job.ts";
import { isSuspend, SuspendSwallowedError } from "../src/job-errors.ts";
import type { RunContext } from "../src/serve/run-context.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

let sdk: SdkWorld;
let errors: unknown[] = [];
const calls: string[] = [];

/** Jobs that await one event, each with other code around the wait. */
const ROUNDS: Record<string, (ctx: RunContext, key: string) => Promise<unknown>> = {
  "try/catch": async (ctx, key) => {
    try {
      await ctx.waitForEvent(key);
    } catch {}
    await ctx.progress(50);
    return "done";
  },
  "catch and return": (ctx, key) =>
    ctx
      .waitForEvent(key)
      .then(() => "done")
      .catch(() => "failed"),
  "catch and throw": async (ctx, key) => {
    await ctx.waitForEvent(key).catch((error: unknown) => {
      throw new Error("wrapped", { cause: error });
    });
    return "done";
  },
  "catch and wait again": async (ctx, key) => {
    await ctx.waitForEvent(key).catch(() => ctx.sleep("1h"));
    return "done";
  },
  "Promise.allSettled": async (ctx, key) => {
    const [wait] = await Promise.allSettled([ctx.waitForEvent(key), ctx.step("beside", () => "kept")]);
    return wait.status === "fulfilled" ? "done" : "failed";
  },
  "catch in a step": async (ctx, key) => {
    await ctx.step("inner", () => ctx.waitForEvent(key).then(() => null)).catch(() => {});
    return "done";
  },
  "a call in finally": async (ctx, key) => {
    try {
      await ctx.waitForEvent(key);
    } finally {
      await ctx.progress(100);
    }
    return "done";
  },
};

/** The same for code that lets the suspension pass. */
const PASSING: Record<string, (ctx: RunContext, key: string) => Promise<unknown>> = {
  "catch and rethrow": async (ctx, key) => {
    try {
      await ctx.waitForEvent(key);
    } catch (error) {
      if (isSuspend(error)) throw error;
    }
    return "done";
  },
  finally: async (ctx, key) => {
    try {
      await ctx.waitForEvent(key);
    } finally {
      calls.push("cleaned up");
    }
    return "done";
  },
  "Promise.all": async (ctx, key) => {
    await Promise.all([ctx.waitForEvent(key), ctx.step("beside", () => calls.push("beside"))]);
    return "done";
  },
};

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]+/g, "-");
const jobOf = ([name, round]: [string, (ctx: RunContext, key: string) => Promise<unknown>]) =>
  defineJob({ id: slugOf(name), run: (payload: { key: string }, ctx) => round(ctx, payload.key) });

beforeAll(async () => {
  sdk = await makeSdkWorld();
  const jobs = [...Object.entries(ROUNDS), ...Object.entries(PASSING)].map(jobOf);
  errors = (await sdk.host({ jobs, toleranceSecs: 1e9 })).errors;
});
beforeEach(() => {
  errors.length = 0;
  calls.length = 0;
});

/** Starts the job and returns once its wait has suspended it. */
async function start(name: string) {
  const run = await sdk.client.jobs.trigger(slugOf(name), { key: `event:${slugOf(name)}` });
  await sdk.world.runUntilIdle();
  expect(await run.get()).toMatchObject({ status: "waiting", attempt: 1 });
  return run;
}

async function sendEvent(name: string) {
  await sdk.client.events.send(`event:${slugOf(name)}`, {});
  await sdk.world.runUntilIdle();
}

describe("a suspension after which the job continues", () => {
  it.each(Object.keys(ROUNDS))("holds, and is reported with file and line: %s", async (name) => {
    const run = await start(name);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(SuspendSwallowedError);
    expect(String(errors[0])).toMatch(
      /waitForEvent\(event:[a-z-]+\) at .*caught-suspension\.test\.ts:\d+:\d+ suspended the run.*isSuspend\(error\)/,
    );
    await sendEvent(name);
    expect(await run.unwrap({ timeout: "20s" })).toBe("done");
    expect(errors).toHaveLength(1);
  });

  it("is reported with what the job did instead", async () => {
    const dids = { "try/catch": "called progress", "catch and return": "returned a result" };
    for (const [name, did] of Object.entries({ ...dids, "catch and throw": "threw Error: wrapped" })) {
      await start(name);
      expect(String(errors.pop())).toContain(`went on and ${did}.`);
      await sendEvent(name);
    }
  });
});

describe("a suspension that the job lets pass", () => {
  it.each(Object.keys(PASSING))("is not reported: %s", async (name) => {
    const run = await start(name);
    await sendEvent(name);
    expect(await run.unwrap({ timeout: "20s" })).toBe("done");
    expect(errors.map(String)).toEqual([]);
  });

  it("runs finally blocks, so that the job releases what it holds", async () => {
    await start("finally");
    expect(calls).toEqual(["cleaned up"]);
    await sendEvent("finally");
  });
});
