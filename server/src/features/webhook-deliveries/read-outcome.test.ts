import { describe, expect, it } from "vitest";
import type { Sent } from "../../platform/outgoing/sent.ts";
import { backoffSecs } from "./delivery-rules.ts";
import { readOutcome } from "./read-outcome.ts";

const respond = (status: number): Sent => ({
  kind: "responded",
  status,
  headers: {},
  body: Buffer.alloc(0),
  truncated: false,
  duration_ms: 7,
});

describe("the meaning of a response", () => {
  it.each([
    [200, "delivered"],
    [204, "delivered"],
    [299, "delivered"],
    [199, "refused"],
    [300, "refused"],
    [308, "refused"],
    [400, "refused"],
    [429, "refused"],
    [499, "refused"],
    [500, "retryable"],
    [503, "retryable"],
    [999, "retryable"],
  ])("H2 %s is %s", (status, kind) => {
    expect(readOutcome(respond(status))).toMatchObject({ kind, status_code: status, duration_ms: 7 });
  });

  it("H2 a missing response is retried whatever the reason, except for a forbidden address", () => {
    const kindOf = (reason: Extract<Sent, { kind: "failed" }>["reason"]) =>
      readOutcome({ kind: "failed", reason, message: "Why.", was_sent: true, duration_ms: 7 }).kind;
    expect((["timeout", "reset", "dns", "connect", "tls", "protocol"] as const).map(kindOf)).toEqual(
      Array(6).fill("retryable"),
    );
    expect([kindOf("refused_address"), kindOf("aborted")]).toEqual(["refused", "aborted"]);
  });

  it("keeps the start of the response body", () => {
    expect(readOutcome(respond(400), " no ")).toMatchObject({ error: "The receiver responded with 400: no" });
    expect(readOutcome(respond(400), " ")).toMatchObject({ error: "The receiver responded with 400." });
    const { error } = readOutcome(respond(500), "ü".repeat(5_000)) as { error: string };
    expect(error.length).toBeLessThan(2_100);
  });
});

describe("the backoff after an attempt", () => {
  it("H1 is 5 s, 25 s, 125 s, 625 s, and never more than half an hour", () => {
    expect([1, 2, 3, 4, 5, 6, 300].map(backoffSecs)).toEqual([5, 25, 125, 625, 1_800, 1_800, 1_800]);
  });
});
