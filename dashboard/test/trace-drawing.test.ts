import { describe, expect, it } from "vitest";
import { itemsOf, type Span } from "../src/pages/shared-trace/trace-items.ts";
import { scaleOf } from "../src/parts/chart/waterfall-scale.ts";
import { ticksOf } from "../src/parts/trace/trace-scale.ts";
import { WHOLE } from "../src/parts/trace/trace-types.ts";

const LABEL_PX = 64;
const work = (start: number, end: number) => ({ start, end, isIdle: false });

describe("the axis of a trace", () => {
  const traces = { short: [work(0, 524)], long: [work(0, 3_490), { start: 3_490, end: 9_000_000, isIdle: true }] };
  const cases = Object.entries(traces).flatMap(([name, spans]) => [130, 300, 700].map((px) => ({ name, spans, px })));

  it.each(cases)("has room for each label: $name, $px px", ({ spans, px }) => {
    const scale = scaleOf(spans);
    const ticks = ticksOf(scale, WHOLE, px).map(({ at }) => at * px);
    const ends = [...ticks.slice(1), ...scale.breaks.map(({ from }) => from * px), px];
    expect(ticks[0]).toBe(0);
    for (const [nth, left] of ticks.entries()) expect((ends[nth] ?? px) - left).toBeGreaterThanOrEqual(LABEL_PX);
  });

  it("labels wide traces more often than narrow ones", () => {
    const scale = scaleOf(traces.short);
    expect(ticksOf(scale, WHOLE, 130).length).toBeLessThan(ticksOf(scale, WHOLE, 700).length);
  });
});

describe("the trace of a workflow run", () => {
  const span = (of: Partial<Span>): Span => ({
    ...{ id: "run", parent_id: null, kind: "workflow_run", name: "Order", status: "running", attributes: {} },
    ...{ started_at: "2026-01-01T00:00:00Z", finished_at: null, created_at: "2026-01-01T00:00:00Z" },
    ...{ run_id: null, workflow_run_id: null, attempt: null },
    ...of,
  });
  const step = (id: string, status: string) => span({ id, parent_id: "run", kind: "workflow_step", status });
  const rootOf = (...steps: Span[]) => itemsOf([span({}), ...steps], new Map()).items[0]?.status;

  it("waits if all that is open in it waits, and runs while a step of it runs", () => {
    expect(rootOf(step("ok", "waiting"))).toBe("waiting");
    expect(rootOf(step("ok", "waiting"), step("charge", "running"))).toBe("running");
    expect(rootOf()).toBe("running");
  });
});
