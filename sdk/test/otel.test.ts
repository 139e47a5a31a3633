import * as api from "@opentelemetry/api";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defineJob } from "../src/define-job.ts";
import { NonRetryableError } from "../src/job-errors.ts";
import { type OtelApi, otel } from "../src/otel.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

type FakeSpan = {
  name: string;
  parent: unknown;
  attributes: Record<string, unknown>;
  status?: unknown;
  exception?: string;
  isEnded: boolean;
};
type FakeContext = { span?: unknown };

const spans: FakeSpan[] = [];
let active: FakeContext = {};

/** Like a process without a context manager: the active context does not survive an `await`. */
const fake: OtelApi = {
  trace: {
    getTracer: () => ({
      startSpan: (name, { attributes }, context) => {
        const span: FakeSpan = { name, parent: (context as FakeContext).span, attributes, isEnded: false };
        spans.push(span);
        return {
          setAttribute: (key, value) => void Object.assign(span.attributes, { [key]: value }),
          setStatus: (status) => void Object.assign(span, { status }),
          recordException: (error) => void Object.assign(span, { exception: error.message }),
          end: () => void Object.assign(span, { isEnded: true }),
          ...{ span },
        };
      },
    }),
    getSpan: (context) => (context as FakeContext).span,
    setSpan: (_, span) => ({ span: (span as { span: FakeSpan }).span }),
    setSpanContext: (_, parent) => ({ span: parent }),
  },
  context: {
    active: () => active,
    with: (context, work) => {
      const outside = active;
      active = context as FakeContext;
      try {
        return work();
      } finally {
        active = outside;
      }
    },
  },
};

const tracing = defineJob({
  id: "tracing",
  run: async (payload: { end: "sleep" | "fail" | "return" }, ctx) => {
    await new Promise((resolve) => setImmediate(resolve));
    await ctx.step("one", () => 1);
    await ctx.step("two", () => Promise.reject(new Error("not this one"))).catch(() => {});
    if (payload.end === "sleep") await ctx.sleep("1h");
    if (payload.end === "fail") throw new NonRetryableError("broken");
    return "done";
  },
});

let sdk: SdkWorld;
beforeAll(async () => {
  sdk = await makeSdkWorld();
  await sdk.host({ jobs: [tracing], middleware: [otel({ api: fake }), otel({ api })], toleranceSecs: 1e9 });
});
beforeEach(() => {
  spans.length = 0;
});

async function runOnce(end: "sleep" | "fail" | "return") {
  const run = await sdk.client.jobs.trigger(tracing, { end });
  await sdk.world.runUntilIdle();
  return run;
}

describe("otel", () => {
  it("makes one span per attempt, in the trace of the dispatch, and one per step below it", async () => {
    const run = await runOnce("return");
    expect(await run.unwrap({ timeout: "20s" })).toBe("done");
    const [attempt, one, two] = spans;
    expect(spans.map(({ name }) => name)).toEqual(["attempt tracing", "step one", "step two"]);
    expect(attempt?.parent).toMatchObject({ traceId: run.id.replaceAll("-", ""), traceFlags: 1, isRemote: true });
    expect(attempt?.attributes).toMatchObject({
      "millrace.project_id": sdk.project.id,
      "millrace.job_slug": "tracing",
      "millrace.run_id": run.id,
      "millrace.attempt": 1,
    });
    expect([one?.parent, two?.parent]).toEqual([attempt, attempt]);
    expect(one?.attributes).toMatchObject({ "millrace.step_id": "one", "millrace.run_id": run.id });
    expect(two).toMatchObject({ status: { code: 2, message: "not this one" }, exception: "not this one" });
    expect([attempt?.status, one?.status]).toEqual([undefined, undefined]);
    expect(spans.every(({ isEnded }) => isEnded)).toBe(true);
  });

  it("marks a failed attempt as an error", async () => {
    await runOnce("fail");
    expect(spans[0]).toMatchObject({ status: { code: 2, message: "broken" }, exception: "broken", isEnded: true });
  });

  it("does not mark a suspended attempt as an error, and makes a span for the next attempt", async () => {
    await runOnce("sleep");
    expect(spans[0]).toMatchObject({ attributes: { "millrace.suspended_by": "sleep(1h)" }, isEnded: true });
    expect(spans[0]?.status).toBeUndefined();
    spans.length = 0;
    await sdk.world.clock.pass("3601s");
    await sdk.world.runUntilIdle();
    expect(spans.map(({ name }) => name)).toEqual(["attempt tracing", "step two"]);
    expect(spans[0]?.attributes).toMatchObject({ "millrace.attempt": 2 });
  });

  it("prefers the active span as the parent", async () => {
    const server = { name: "GET /millrace" };
    active = { span: server };
    const { aroundAttempt } = otel({ api: fake });
    const ctx = { run: { jobSlug: "tracing" } } as never;
    const header = () => `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;
    await aroundAttempt?.({ job: tracing, ctx, header }, async () => 1);
    active = {};
    expect(spans[0]?.parent).toBe(server);
  });

  it("continues the trace state of the caller", async () => {
    const ctx = { run: { jobSlug: "tracing" } } as never;
    const headers: Record<string, string> = {
      traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
      tracestate: "a=1",
    };
    const createTraceState = (state: string) => ({ state }) as never;
    const { aroundAttempt } = otel({ api: { ...fake, createTraceState } });
    await aroundAttempt?.({ job: tracing, ctx, header: (name) => headers[name] }, async () => 1);
    expect(spans[0]?.parent).toMatchObject({ traceState: { state: "a=1" } });
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${"0".repeat(32)}-${"2".repeat(16)}-01`,
    `ff-${"1".repeat(32)}-${"2".repeat(16)}-01`,
  ])("starts a new trace without a valid traceparent: %s", async (traceparent) => {
    const ctx = { run: { jobSlug: "tracing" } } as never;
    await otel({ api: fake }).aroundAttempt?.({ job: tracing, ctx, header: () => traceparent }, async () => 1);
    expect(spans[0]?.parent).toBeUndefined();
  });
});
