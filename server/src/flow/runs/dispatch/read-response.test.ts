import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../../test/seed/any-text.ts";
import { testSeed } from "../../../../test/seed/seed.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import type { FailureReason } from "../../../platform/outgoing/sent.ts";
import type { JobVersion } from "../create/job-version.ts";
import { readFailure, readResponse } from "./outcome.ts";

fc.configureGlobal({ seed: testSeed("read-response") });

const VERSION: JobVersion = {
  id: "v",
  endpoint_url: "https://jobs.example.com/",
  encrypted_headers: Buffer.alloc(0),
  retry_strategy: "fixed",
  retry_delays_secs: null,
  result_schema: null,
  on_failure_job_id: null,
  max_cost_microusd: null,
  unreachable_timeout_secs: 86_400,
};

type Sent = Parameters<typeof readResponse>[1];
type ResponseFields = { status?: number; body?: string | Buffer; headers?: Sent["headers"]; truncated?: boolean };

function response({ status = 200, body = "", headers = {}, truncated = false }: ResponseFields, version = VERSION) {
  return synchronous(readResponse)(version, {
    kind: "responded",
    status,
    headers,
    body: Buffer.from(body),
    truncated,
    duration_ms: 12,
  });
}

/** The result as the database will parse it. */
function resultOf(body: string | Buffer, version = VERSION): unknown {
  const outcome = response({ body }, version);
  return outcome.kind === "completed" ? JSON.parse(outcome.result_json) : outcome;
}

describe("the status of a response", () => {
  it.each([200, 201, 203, 204, 206, 299])("R1 %i completes the run", (status) => {
    expect(response({ status, body: "1" })).toEqual({
      kind: "completed",
      result_json: "1",
      http_status: status,
      duration_ms: 12,
    });
  });

  it("R1 202 accepts it, whatever the body", () => {
    const accepted = { kind: "accepted", http_status: 202, duration_ms: 12 };
    expect(response({ status: 202, body: "{" })).toEqual(accepted);
    expect(response({ status: 202, truncated: true })).toEqual(accepted);
  });

  it.each([408, 425, 429, 500, 501, 502, 503, 504, 529, 599])("R1 %i is retried", (status) => {
    expect(response({ status })).toEqual({
      kind: "failed",
      retryable: true,
      error: { code: `http_${status}`, message: `The endpoint responded with ${status}.` },
      http_status: status,
      duration_ms: 12,
    });
  });

  it.each([300, 301, 302, 304, 307, 308, 399, 400, 401, 403, 404, 409, 410, 418, 422, 426, 451, 499])(
    "R1 %i is not retried",
    (status) => expect(response({ status })).toMatchObject({ kind: "failed", retryable: false, http_status: status }),
  );

  it("R1 is one of these three, and only 408, 425, 429 and 5xx are retried", () => {
    for (let status = 200; status < 600; status++) {
      const outcome = response({ status });
      const isRetried = outcome.kind === "failed" && outcome.retryable;
      expect(isRetried, String(status)).toBe([408, 425, 429].includes(status) || status >= 500);
      expect(outcome.kind, String(status)).toBe(status === 202 ? "accepted" : status < 300 ? "completed" : "failed");
    }
  });
});

describe("the error of a failed response", () => {
  const messageOf = (body: string | Buffer) => {
    const outcome = response({ status: 500, body });
    return outcome.kind === "failed" ? outcome.error.message : "";
  };

  it("R1 has the beginning of its body", () => {
    expect(messageOf(' {"error":"no such card"} ')).toBe('The endpoint responded with 500: {"error":"no such card"}');
    expect(messageOf("x".repeat(5_000))).toBe(`The endpoint responded with 500: ${"x".repeat(2_000)}`);
    expect(messageOf("  \n")).toBe("The endpoint responded with 500.");
  });

  it("R1 has the location of a redirect, and that it was not followed", () => {
    const message = (headers: Sent["headers"]) => response({ status: 308, body: "moved", headers });
    expect(message({ location: "https://jobs.example.com/new" })).toMatchObject({
      error: {
        message:
          "The endpoint responded with 308: a redirect to https://jobs.example.com/new, which is not followed. Set the job's endpoint_url to it.",
      },
    });
    expect(message({})).toMatchObject({ error: { message: "The endpoint responded with 308: moved" } });
  });

  it("R1 is storable text, whatever the bytes", () => {
    expect(messageOf("a\u0000b")).toBe("The endpoint responded with 500: a\ufffdb");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        const message = messageOf(Buffer.from(bytes));
        expect(message.isWellFormed() && !message.includes("\u0000")).toBe(true);
      }),
    );
  });
});

describe("Retry-After", () => {
  const waitOf = (value: string | string[] | undefined, status = 503) => {
    const outcome = response({ status, headers: { "retry-after": value } as Sent["headers"] });
    return outcome.kind === "failed" ? outcome.retry_after_secs : undefined;
  };
  const inSecs = (secs: number) => new Date(Date.now() + secs * 1_000).toUTCString();

  it.each([
    ["0", 0],
    ["120", 120],
    ["3600", 3_600],
    ["3601", 3_600],
    ["99999999999999999999", 3_600],
  ])("R1 in seconds, %s, is %i", (text, secs) => expect(waitOf(text)).toBe(secs));

  it("R1 as a date is the time until then, at most an hour, and zero for the past", () => {
    // The process may stall in between, for seconds on a busy machine.
    expect(waitOf(inSecs(1_800))).toBeGreaterThan(1_700);
    expect(waitOf(inSecs(1_800))).toBeLessThanOrEqual(1_800);
    expect(waitOf(inSecs(86_400))).toBe(3_600);
    expect(waitOf(inSecs(-60))).toBe(0);
  });

  it.each(["soon", "", "1.5h", "NaN"])("R1 is ignored if it is malformed: %j", (text) => {
    expect(waitOf(text)).toBeUndefined();
  });

  it("R1 is used only for retries", () => {
    expect([408, 425, 429, 500, 503].map((status) => waitOf("7", status))).toEqual([7, 7, 7, 7, 7]);
    expect([301, 400, 404].map((status) => waitOf("7", status))).toEqual([undefined, undefined, undefined]);
    expect(waitOf(["5", "9"])).toBe(5);
  });
});

describe("the result", () => {
  it.each<[string, unknown]>([
    ['{"ok":true}', { ok: true }],
    [" [1, 2.5, null] \n", [1, 2.5, null]],
    ['"text"', "text"],
    ["false", false],
    ["0", 0],
    ["", null],
    [" \r\n", null],
    ["null", null],
    ["\ufeff{}", {}],
  ])("R1 of %j is %j", (body, result) => expect(resultOf(body)).toEqual(result));

  it.each(["OK", "{", "<html>é</html>", "{'a':1}", "NaN", "[1,]", 'say "hi"\\', "\ufffd"])(
    "R1 is the text itself if it is not JSON: %j",
    (body) => expect(resultOf(body)).toBe(body),
  );

  it("R1 that is not UTF-8 becomes text with the readable part", () => {
    expect(resultOf(Buffer.from([0x61, 0xff, 0x62]))).toBe("a\ufffdb");
    expect(resultOf(Buffer.from([0x22, 0xc3, 0x22]))).toBe("\ufffd");
  });

  it.each<[string, unknown]>([
    ['{"a":"x\\u0000y"}', { a: "x\ufffdy" }],
    ['{"a\\u0000":1}', { "a\ufffd": 1 }],
    ['["\\ud800", "\\udc00x", "\\ud83d\\ude00"]', ["\ufffd", "\ufffdx", "\u{1f600}"]],
    ["a\u0000b", "a\ufffdb"],
    ['{"a":[{"b":"\\u0000"}]}', { a: [{ b: "\ufffd" }] }],
  ])("R1 has characters replaced that cannot be stored: %j", (body, result) => expect(resultOf(body)).toEqual(result));

  it.each([
    ["9007199254740992", "result"],
    ['{"id":12345678901234567890}', "result.id"],
    ["[1e400]", "result[0]"],
    ['{"a":{"b":0.12345678901234567890123}}', "result.a.b"],
    ['{"bad":"\\u0000","id":12345678901234567890}', "result.id"],
    ['{"bad":"\\u0000","n":1e400}', "result.n"],
    ['{"bad":"\\ud800","n":0.12345678901234567890123}', "result.n"],
  ])("R1 with a number that would be rounded is refused, with its path: %s", (body, location) => {
    expect(response({ body })).toMatchObject({
      kind: "failed",
      retryable: false,
      error: { code: "result_rejected", message: expect.stringContaining(`${location} `) },
    });
  });

  it.each(["9007199254740991", "1e300", "0.1", "-1.5e-7", "1.0", "100e-2"])("R1 with the number %s is kept", (body) => {
    expect(resultOf(body)).toBe(Number(body));
  });

  it("R1 above 1 MB is refused without a retry", () => {
    expect(response({ body: "{", truncated: true })).toMatchObject({
      kind: "failed",
      retryable: false,
      error: { code: "result_too_large" },
      http_status: 200,
    });
  });

  it("R1 of up to 1 MB may have many values and long names", () => {
    const many = `[${"1,".repeat(400_000)}1]`;
    expect(resultOf(many)).toHaveLength(400_001);
    expect(resultOf(`{"${"k".repeat(5_000)}":1}`)).toEqual({ ["k".repeat(5_000)]: 1 });
  });

  it("R1 may be nested 64 levels deep, and no deeper", () => {
    const nested = (levels: number) => response({ body: `${"[".repeat(levels)}${"]".repeat(levels)}` });
    expect(nested(64).kind).toBe("completed");
    expect(nested(65)).toMatchObject({
      error: { code: "result_rejected", message: expect.stringContaining("64 levels") },
    });
  });

  it("R1 that is nested too deeply to be parsed is refused, not thrown", () => {
    const body = "[".repeat(500_000) + "]".repeat(500_000);
    expect(response({ body })).toMatchObject({ kind: "failed", retryable: false, error: { code: "result_rejected" } });
  });

  it("R1 with a key __proto__ does not throw", () => {
    expect(["completed", "failed"]).toContain(response({ body: '{"__proto__":{"a":1},"b":"\\u0000"}' }).kind);
  });

  it("R1 is, for any bytes, storable JSON or a refusal", () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      anyText().map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        const outcome = response({ body });
        if (outcome.kind === "completed") {
          const texts: string[] = [];
          JSON.parse(outcome.result_json, (name, value) => void texts.push(name, String(value)));
          expect(texts.filter((text) => !text.isWellFormed() || text.includes("\u0000"))).toEqual([]);
        } else expect(outcome).toMatchObject({ error: { code: "result_rejected" } });
      }),
      { numRuns: sizeOf(50, 1_000) },
    );
  });
});

describe("a result_schema", () => {
  const version = {
    ...VERSION,
    id: "with-schema",
    result_schema: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
  };

  it("R1 accepts a matching result", () =>
    expect(resultOf('{"id":1,"more":true}', version)).toEqual({ id: 1, more: true }));

  it.each([
    ['{"id":"1"}', "result.id"],
    ["{}", "result"],
    ["", "result"],
    ["plain text", "result"],
  ])("R1 makes %j a retryable failure that names the path", (body, location) => {
    expect(response({ body }, version)).toMatchObject({
      kind: "failed",
      retryable: true,
      error: { code: "result_invalid", message: expect.stringContaining(`${location}`) },
      http_status: 200,
    });
  });

  it("R1 does not apply to failures and 202", () => {
    expect(response({ status: 202 }, version).kind).toBe("accepted");
    expect(response({ status: 500 }, version)).toMatchObject({ error: { code: "http_500" } });
  });
});

describe("a large result", () => {
  const yieldsOf = (body: string, version = VERSION) => {
    const sent = { kind: "responded", status: 200, headers: {}, truncated: false, duration_ms: 1 } as const;
    return [...readResponse(version, { ...sent, body: Buffer.from(body) })].length;
  };
  const numbers = (count: number) => `[${"1,".repeat(count - 1)}1]`;

  it("is parsed and validated in slices, a small one at once", () => {
    const validated = { ...VERSION, id: "large", result_schema: { items: { type: "integer" } } };
    expect(yieldsOf(numbers(100_000), validated)).toBeGreaterThan(yieldsOf(numbers(100_000)));
    expect(yieldsOf(numbers(100_000))).toBeGreaterThan(2);
    expect(yieldsOf(numbers(1_000), validated)).toBe(0);
  });
});

describe("a missing response", () => {
  const failure = (reason: FailureReason, was_sent = true) =>
    readFailure({ kind: "failed", reason, message: "What happened.", was_sent, duration_ms: 5 });

  it.each<FailureReason>(["dns", "connect", "tls", "reset"])(
    "R17 %s before the request was sent means that the endpoint cannot be reached",
    (reason) => {
      const error = { code: `endpoint_${reason}`, message: "What happened." };
      expect(failure(reason, false)).toEqual({ kind: "unreachable", error, duration_ms: 5 });
    },
  );

  it("R17 is no timeout if no connection could be made in time", () => {
    expect(failure("timeout", false)).toMatchObject({ kind: "unreachable", error: { code: "endpoint_connect" } });
  });

  it("R17 of an invalid request or a refused address is a failure even though nothing was sent", () => {
    expect(failure("protocol", false)).toMatchObject({ kind: "failed", retryable: true });
    expect(failure("refused_address", false)).toMatchObject({ kind: "failed", retryable: false });
  });

  it.each<FailureReason>(["tls", "reset", "protocol"])("R1 %s is worth another try", (reason) => {
    expect(failure(reason)).toEqual({
      kind: "failed",
      retryable: true,
      error: { code: `endpoint_${reason}`, message: "What happened." },
      duration_ms: 5,
    });
  });

  it("R1 is not retried for a refused address", () => {
    expect(failure("refused_address")).toMatchObject({ retryable: false, error: { code: "endpoint_refused_address" } });
  });

  it("R1 is a timeout after timeout_secs; an abort by the service is not charged to the run", () => {
    expect(failure("timeout")).toEqual({ kind: "timed_out", duration_ms: 5 });
    expect(failure("aborted")).toEqual({ kind: "drained", duration_ms: 5 });
  });
});
