import { describe, expect, it } from "vitest";
import { contextOf, readTraceContext, spanContextBelow, traceHeaders } from "./trace-context.ts";

const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
const stateOf = (tracestate?: string) => {
  const context = readTraceContext({ traceparent, ...(tracestate !== undefined && { tracestate }) });
  return context === null ? null : (traceHeaders(context).tracestate ?? null);
};

describe("the state of a trace", () => {
  it("is passed on with the span in place of the caller's", () => {
    const context = readTraceContext({ traceparent, tracestate: "vendor=a" }) ?? "";
    const below = contextOf(spanContextBelow(context), "c".repeat(16));
    expect(traceHeaders(below)).toEqual({
      traceparent: `00-${"a".repeat(32)}-${"c".repeat(16)}-01`,
      tracestate: "vendor=a",
    });
    expect(readTraceContext({ tracestate: "vendor=a" })).toBeNull();
  });

  it.each([
    [undefined, null],
    ["", null],
    ["a=1, b=2 ,,c=x y", "a=1,b=2,c=x y"],
    ["tenant@system=1,0num=2", "tenant@system=1,0num=2"],
    ["a=1,a=2", null],
    ["A=1", null],
    ["a", null],
    ["a=1=2", null],
    ["a=\u00e9", null],
    [`a=${"x".repeat(257)}`, null],
    [Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(","), null],
  ])("%s becomes %s", (given, expected) => {
    expect(stateOf(given)).toBe(expected);
  });

  it("loses its oldest members beyond 512 characters", () => {
    const members = ["a", "b", "c", "d"].map((key) => `${key}=${key.repeat(168)}`); // 170 characters each
    expect(stateOf(members.join(","))).toBe(members.slice(0, 3).join(","));
  });
});
