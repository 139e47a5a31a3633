import { parseQuery } from "@millrace/contract/query-language/parse-query";
import { printQuery } from "@millrace/contract/query-language/print";
import { IS_VALUES, OPERATORS, type RunCondition, WORD_KEYS } from "@millrace/contract/query-language/types";
import { RUN_STATUSES, TRIGGER_TYPES } from "@millrace/contract/runs/runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../seed/any-text.ts";
import { testSeed } from "../seed/seed.ts";
import { sizeOf } from "../world/size.ts";

fc.configureGlobal({ seed: testSeed("query-language") });

const ID = "0190a5e4-4001-7123-9e4a-123456789012";

function read(text: string): RunCondition[] {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.terms.map(({ condition }) => condition);
}

const firstOf = (text: string) => read(text)[0];

function issuesOf(text: string): [string, string][] {
  const parsed = parseQuery(text);
  if (parsed.ok) throw new Error(`${text} was accepted`);
  return parsed.issues.map(({ start, end, message }) => [text.slice(start, end), message]);
}

describe("the query language", () => {
  it('R7 parses every key of a query and joins the terms by "and"', () => {
    const text =
      "status:failed,timed_out -tag:noise job:send-mail version:12 key:tenant_42 by:alice trigger:cron " +
      'payload.user.id:42 payload:{"a": 1} duration:>30s attempts:>1 since:24h until:2026-11-01 ' +
      'error:"ECONNRESET" is:unhandled';
    expect(read(text)).toEqual([
      { key: "status", negated: false, values: ["failed", "timed_out"] },
      { key: "tag", negated: true, values: ["noise"] },
      { key: "job", negated: false, values: ["send-mail"] },
      { key: "version", negated: false, values: ["12"] },
      { key: "key", negated: false, values: ["tenant_42"] },
      { key: "by", negated: false, values: ["alice"] },
      { key: "trigger", negated: false, values: ["cron"] },
      { key: "payload", negated: false, path: ["user", "id"], value: 42 },
      { key: "payload", negated: false, path: [], value: { a: 1 } },
      { key: "duration", negated: false, operator: ">", amount: 30_000 },
      { key: "attempts", negated: false, operator: ">", amount: 1 },
      { key: "since", ago_ms: 86_400_000 },
      { key: "until", at: "2026-11-01T00:00:00.000Z" },
      { key: "error", negated: false, text: "ECONNRESET" },
      { key: "is", negated: false, value: "unhandled" },
    ]);
  });

  it.each([
    ["42", 42],
    ['"42"', "42"],
    ["alice", "alice"],
    ["-1.50", -1.5],
    ["1e3", 1_000],
    ["true", true],
    ["null", null],
    ["0042", "0042"],
    ["http://x/?a=b", "http://x/?a=b"],
    ['"two words, a comma"', "two words, a comma"],
    ['{"b": [1, "x y"]}', { b: [1, "x y"] }],
    ['["}"]', ["}"]],
  ])("R7 keeps the JSON type of the payload value %s", (text, value) => {
    expect(firstOf(`payload.a:${text}`)).toEqual({ key: "payload", negated: false, path: ["a"], value });
  });

  it("accepts quoted names with dots, colons, quotes and spaces in payload paths", () => {
    expect(firstOf(String.raw`payload."a.b".c."d: \"e\"":1`)).toMatchObject({ path: ["a.b", "c", 'd: "e"'], value: 1 });
    expect(firstOf('payload."a {b":1')).toMatchObject({ path: ["a {b"] });
  });

  it("treats words without a key and quoted strings as text search", () => {
    expect(read('refused "http: 503" -timeout -"a b"')).toEqual([
      { key: "text", negated: false, text: "refused" },
      { key: "text", negated: false, text: "http: 503" },
      { key: "text", negated: true, text: "timeout" },
      { key: "text", negated: true, text: "a b" },
    ]);
    expect([read(""), read("  \n\t ")]).toEqual([[], []]);
    expect(firstOf("-")).toMatchObject({ text: "-" });
  });

  it('treats commas as "or", keeps commas and spaces in quotes, and allows colons in values', () => {
    expect(firstOf('by:alice,"Bob, the builder",c')).toMatchObject({ values: ["alice", "Bob, the builder", "c"] });
    expect(firstOf('error:timeout,"boom, twice",x')).toEqual({
      ...{ key: "error", negated: false, text: "timeout", or: ["boom, twice", "x"] },
    });
    expect(firstOf('error:"boom, twice"')).toEqual({ key: "error", negated: false, text: "boom, twice" });
    expect(firstOf("tag:region:eu")).toMatchObject({ values: ["region:eu"] });
    expect(firstOf(`batch:${ID}`)).toMatchObject({ values: [ID] });
  });

  it.each([
    ["since:90m", { ago_ms: 5_400_000 }],
    ["since:1w2d", { ago_ms: 777_600_000 }],
    ["until:2026-11-01T10:00", { at: "2026-11-01T10:00:00.000Z" }],
    ["until:2026-11-01T10:00:00.5+02:00", { at: "2026-11-01T08:00:00.500Z" }],
    ["duration:<=1h30m", { operator: "<=", amount: 5_400_000 }],
    ["duration:>250ms", { operator: ">", amount: 250 }],
    ["attempts:3", { operator: "=", amount: 3 }],
  ])("parses %s", (text, condition) => {
    expect(firstOf(text)).toMatchObject(condition);
  });

  it.each([
    ["statsu:failed", "statsu", "unknown key"],
    ["status:failed,done", "done", "must be one of pending"],
    ["status:", "status:", "a value is missing"],
    ["job:x constructor:1", "constructor", "unknown key"],
    ["status:failed,", ",", "a value is missing"],
    [":x", ":", "unknown key"],
    ["trigger:magic", "magic", "must be one of cron"],
    ["is:odd", "odd", "must be one of dead"],
    ["batch:7", "7", "must be an id"],
    ["version:zero", "zero", "version number"],
    ["job:a by:", "by:", "a value is missing"],
    ["duration:30s", "30s", "needs an operator"],
    ["duration:>soon", ">soon", "must be a duration"],
    ["attempts:>x", ">x", "whole number"],
    ["since:yesterday", "yesterday", "must be a duration"],
    ["since:2026-02-30", "2026-02-30", "must be a date"],
    ["since:999999999d", "999999999d", "100 years"],
    ["-since:1h", "-since:1h", "cannot be negated"],
    ["error:boom,", ",", "a value is missing"],
    ['error:"open', '"open', "the quote is not closed"],
    ['payload:{"a":1', 'payload:{"a":1', "the JSON is not closed"],
    ["payload:{a:1}", "{a:1}", "is not valid JSON"],
    ["payload.a:1,2", "1,2", "put text in quotes"],
    ["payload.a:12345678901234567890", "12345678901234567890", "write it in quotes"],
    ["payload.a:1e999", "1e999", "too large"],
    ["payload..a:1", "..a", "is not a path"],
    [String.raw`by:"\u0000"`, String.raw`"\u0000"`, "cannot be stored"],
    [String.raw`payload.a:"\ud800"`, String.raw`"\ud800"`, "cannot be stored"],
  ])("R7 reports the message and position of the issue in %s", (text, part, message) => {
    const [[reported, why]] = issuesOf(text) as [[string, string]];
    expect([reported, why]).toEqual([part, expect.stringContaining(message)]);
  });

  it("rejects queries, values and lists that are too long", () => {
    expect(issuesOf(`tag:${"x".repeat(386)}`)).toEqual([["x".repeat(386), "is too long"]]);
    const texts = Array.from({ length: 21 }, (_, nth) => `e${nth}`);
    expect(read(`error:${texts.slice(1).join(",")}`)).toHaveLength(1);
    expect(issuesOf(`error:${texts.join(",")}`)).toEqual([["e20", "exceeds the limit of 20 values"]]);
    expect(issuesOf("x".repeat(2_001))).toEqual([["x", "the query is too long"]]);
  });

  it("R7 reports all issues at once, in text order", () => {
    expect(issuesOf("status:a job:x shade:red duration:1").map(([part]) => part)).toEqual(["a", "shade", "1"]);
  });
});

const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => !/\p{Surrogate}|\0/u.test(text));
const isExact = (value: unknown): boolean => {
  if (typeof value === "number")
    return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21;
  return typeof value !== "object" || value === null || Object.values(value).every(isExact);
};
const negated = fc.boolean();
const ms = fc.integer({ min: 0, max: 10 ** 12 });
const at = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
const json = fc
  .jsonValue({ depthSize: "small" })
  .filter((value) => !/\\u0000|\p{Surrogate}/u.test(JSON.stringify(value)) && isExact(value));
const anyId = fc.uuid({ version: 7 });

const wordCondition = fc.constantFrom(...WORD_KEYS).chain((key) => {
  const isId = ["batch", "workflow", "parent", "replay", "schedule", "version"].includes(key);
  return fc.record({
    key: fc.constant(key),
    negated,
    values: fc.array(isId ? anyId : word, { minLength: 1, maxLength: 3 }),
  });
});

const condition: fc.Arbitrary<RunCondition> = fc.oneof(
  wordCondition,
  fc.record({ key: fc.constant("status" as const), negated, values: fc.subarray([...RUN_STATUSES], { minLength: 1 }) }),
  fc.record({
    key: fc.constant("trigger" as const),
    negated,
    values: fc.subarray([...TRIGGER_TYPES], { minLength: 1 }),
  }),
  fc.record({ key: fc.constant("payload" as const), negated, path: fc.array(word, { maxLength: 3 }), value: json }),
  fc.record({ key: fc.constant("duration" as const), negated, operator: fc.constantFrom(...OPERATORS), amount: ms }),
  fc.record({
    key: fc.constant("attempts" as const),
    negated,
    operator: fc.constantFrom(...OPERATORS),
    amount: fc.nat(999_999_999),
  }),
  fc.record({ key: fc.constantFrom("since" as const, "until" as const), ago_ms: ms }),
  fc.record({ key: fc.constantFrom("since" as const, "until" as const), at: at.map((date) => date.toISOString()) }),
  fc.record({ key: fc.constantFrom("error" as const, "text" as const), negated, text: word }),
  fc.record({
    ...{ key: fc.constant("error" as const), negated, text: word },
    or: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key: fc.constant("is" as const), negated, value: fc.constantFrom(...IS_VALUES) }),
);

/** Almost valid queries: fragments of the language in any order. */
const nearly = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'status:failed payload. payload: " \\ { } [ ] , : - > 1h since: error: tag: is: "a b" \t'.split(" "),
        " ",
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));

describe("printing a query", () => {
  it("R7 round-trips conditions through text", () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 6 }), (conditions) => {
        const text = printQuery(conditions);
        if (text.length <= 2_000) expect(read(text)).toEqual(JSON.parse(JSON.stringify(conditions)));
      }),
      { numRuns: sizeOf(150, 1_000) },
    );
  });

  it("round-trips parsed queries", () => {
    fc.assert(
      fc.property(nearly, (text) => {
        const parsed = parseQuery(text);
        if (!parsed.ok) return;
        const conditions = parsed.terms.map((term) => term.condition);
        expect(read(printQuery(conditions))).toEqual(conditions);
      }),
      { numRuns: sizeOf(150, 2_000) },
    );
  });

  it("R7 never throws: every text is parsed, or rejected with spans of the text", () => {
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string(), anyText()), (text) => {
        const parsed = parseQuery(text);
        const spans = parsed.ok ? parsed.terms : parsed.issues;
        for (const { start, end } of spans) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(start).toBeLessThanOrEqual(text.length);
        }
        if (!parsed.ok) expect(parsed.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: sizeOf(150, 2_000) },
    );
  });
});
