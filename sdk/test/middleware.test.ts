import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineJob } from "../src/define-job.ts";
import { isSuspend, NonRetryableError } from "../src/job-errors.ts";
import type { Middleware } from "../src/serve/middleware.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

let sdk: SdkWorld;
const calls: string[] = [];

const stepping = defineJob({
  id: "stepping",
  schema: z.object({ n: z.number() }),
  run: async ({ n }, ctx) => {
    const doubled = await ctx.step("double", () => n * 2);
    await ctx.sleep("1h");
    return { doubled };
  },
});
const failing = defineJob({
  id: "failing",
  run: () => {
    throw new NonRetryableError("broken");
  },
});
const replaced = defineJob({ id: "replaced", run: (): { by: string } => ({ by: "the job" }) });

/** Records what it surrounds. */
function recording(name: string): Middleware {
  const record = async (what: string, next: () => Promise<unknown>) => {
    calls.push(`${name} before ${what}`);
    try {
      const result = await next();
      calls.push(`${name} after ${what}: ${JSON.stringify(result)}`);
      return result;
    } catch (error) {
      calls.push(`${name} ${isSuspend(error) ? "suspended" : "failed"} ${what}`);
      throw error;
    }
  };
  return {
    aroundAttempt: ({ job, ctx }, next) => record(`${job.id} ${ctx.run.attempt}`, next),
    aroundStep: ({ id, ctx }, next) => record(`${ctx.run.jobSlug}.${id}`, next),
  };
}

beforeAll(async () => {
  sdk = await makeSdkWorld();
  const replacing: Middleware = {
    aroundAttempt: async ({ job, header }, next) => {
      expect(header("traceparent")).toMatch(/^00-/);
      return job.id === "replaced" ? { by: "middleware" } : next();
    },
  };
  const jobs = [stepping, failing, replaced];
  const middleware = [recording("outer"), replacing, recording("inner")];
  await sdk.host({ jobs, middleware, toleranceSecs: 1e9 });
});
beforeEach(() => {
  calls.length = 0;
});

describe("middleware", () => {
  it("surrounds attempts and steps in order; a step with a stored result is not surrounded again", async () => {
    const run = await sdk.client.jobs.trigger(stepping, { n: 2 });
    await sdk.world.runUntilIdle();
    expect(calls.splice(0)).toEqual([
      "outer before stepping 1",
      "inner before stepping 1",
      "outer before stepping.double",
      "inner before stepping.double",
      "inner after stepping.double: 4",
      "outer after stepping.double: 4",
      "inner suspended stepping 1",
      "outer suspended stepping 1",
    ]);
    await sdk.world.clock.pass("3601s");
    await sdk.world.runUntilIdle();
    expect(await run.unwrap({ timeout: "20s" })).toEqual({ doubled: 4 });
    expect(calls).toEqual([
      "outer before stepping 2",
      "inner before stepping 2",
      'inner after stepping 2: {"doubled":4}',
      'outer after stepping 2: {"doubled":4}',
    ]);
  });

  it("sees errors, also of an invalid payload", async () => {
    await sdk.client.jobs.update("stepping", { payload_schema: null });
    await sdk.client.jobs.trigger("stepping", { n: "2" });
    await sdk.client.jobs.trigger(failing);
    await sdk.world.runUntilIdle();
    expect(calls).toEqual(expect.arrayContaining(["outer failed stepping 1", "outer failed failing 1"]));
  });

  it("can answer in place of the job", async () => {
    const run = await sdk.client.jobs.trigger(replaced);
    await sdk.world.runUntilIdle();
    expect(await run.unwrap({ timeout: "20s" })).toEqual({ by: "middleware" });
    expect(calls).toEqual(["outer before replaced 1", 'outer after replaced 1: {"by":"middleware"}']);
  });
});
