import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { testSeed } from "../../../test/seed/seed.ts";
import { parseJson } from "./parse-json.ts";

fc.configureGlobal({ seed: testSeed("parse-json") });

describe("what JSON.parse accepts and we keep", () => {
  test.each([
    ["{}"],
    ["null"],
    [' [1, 2.5, -0, "a", true, null] '],
    ['{"a":{"b":[1],"c":"b\\":1"},"b":[{"a":1},{"a":2}],"\\\\":1,"\\"":2}'],
    ['"\\ud83d\\ude00 \\\\u0000 \\u00e9"'],
    ['{"constructor":1,"hasOwnProperty":2,"toString":3}'],
    ['{"id":"0190a5e4-4001-7123-9e4a-123456789012","zero":0}'],
    ['"1234567890123456789012345"'],
    ['"a: 1234567890123456789012345"'],
    ['{"note":"see page ........................ 12", "n":12}'],
    ['["1e400", "x: 1e-400", 0]'],
  ])("%s", (text) => {
    expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
    expect(parseJson(Buffer.from(text))).toEqual({ ok: true, value: JSON.parse(text) });
  });
});

describe("malformed", () => {
  test.each([
    ["", "is empty, JSON was expected"],
    [" \n", "is empty, JSON was expected"],
    ['{"a":}', 'is not valid JSON: expected value, found "}" (line 1, column 6)'],
    ['{\n  "a": 1,\n  b: 2}', 'is not valid JSON: expected key, found "b" (line 3, column 3)'],
    ["[1,]", 'is not valid JSON: expected value, found "]" (line 1, column 4)'],
    ["[1 2]", 'is not valid JSON: expected a comma or closing bracket, found "2" (line 1, column 4)'],
    ['{"a" 1}', 'is not valid JSON: expected :, found "1" (line 1, column 6)'],
    ["[01]", 'is not valid JSON: expected a comma or closing bracket, found "1" (line 1, column 3)'],
    ["nul", 'is not valid JSON: expected value, found "n" (line 1, column 1)'],
    ["[NaN]", 'is not valid JSON: expected value or ], found "N" (line 1, column 2)'],
    ["{} {}", 'is not valid JSON: expected end, found "{" (line 1, column 4)'],
    ["[[1]", "is not valid JSON: expected a comma or closing bracket, the text ends here (line 1, column 5)"],
    ['["\\x"]', "is not valid JSON: unterminated string, bad escape or control character (line 1, column 2)"],
    ['["a\u0000b"]', "is not valid JSON: unterminated string, bad escape or control character (line 1, column 2)"],
    ["\ufeff{}", "starts with a byte order mark (line 1, column 1)"],
  ])("%j", (text, message) => {
    const refused = { ok: false, problem: { kind: "malformed", location: "body", message } };
    expect(parseJson(text)).toEqual(refused);
    expect(parseJson(Buffer.from(text))).toEqual(refused);
  });

  test.each([
    ["a stray byte", [0x22, 0x61, 0xff, 0x22], 2],
    ["an overlong form", [0x22, 0xc0, 0x80, 0x22], 1],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    ["a cut character", [0x22, 0xe2, 0x82], 1],
    ["after a sent U+FFFD", [0x22, 0xef, 0xbf, 0xbd, 0xfe, 0x22], 4],
  ])("invalid UTF-8: %s", (_name, bytes, position) => {
    expect(parseJson(Buffer.from(bytes))).toMatchObject({
      problem: { kind: "malformed", message: `is not valid UTF-8 (byte ${position})` },
    });
  });
});

describe("text", () => {
  test.each([
    ['{"a":["x","b\\u0000"]}', "body.a[1]", "contains the character U+0000 at position 1"],
    ['"\\ud800"', "body", "contains a lone surrogate at position 0"],
    ['{"a":"x\\uDC00y"}', "body.a", "contains a lone surrogate at position 1"],
    ['{"k\\u0000":1}', 'body["k\\u0000"]', "has a key that contains the character U+0000 at position 1"],
    ['{"a":{"\\ud83d":1}}', 'body.a["\\ud83d"]', "has a key that contains a lone surrogate at position 0"],
    ['{"a b":"\\u0000"}', 'body["a b"]', "contains the character U+0000 at position 0"],
    ['"\ud800"', "body", "contains a lone surrogate at position 0"],
  ])("%j", (text, location, message) => {
    expect(parseJson(text)).toEqual({ ok: false, problem: { kind: "text", location, message } });
  });
});

describe("number", () => {
  test.each([
    ["9007199254740991"],
    ["-9007199254740991"],
    ["1.0"],
    ["1e2"],
    ["-0.0"],
    ["0e999"],
    ["1.50000000000000000000"],
    ["0.30000000000000004"],
    ["[22.990000000000002]"],
    ["5e-324"],
    ["1e300"],
    ["1e21"],
    ["1.7976931348623157e308"],
    ["0.1e1"],
    ["123456789012345000e-3"],
  ])("%s is kept", (text) => {
    expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test.each([
    ['{"items":[1,2,3,{"amount":9007199254740992}]}', "body.items[3].amount", "9007199254740992", "integer beyond"],
    ['{"a":[],"b":-9007199254740993}', "body.b", "-9007199254740993", "integer beyond"],
    ["1e20", "body", "1e20", "integer beyond"],
    ["9007199254740993.0", "body", "9007199254740993.0", "integer beyond"],
    ["[1e400]", "body[0]", "1e400", "too large"],
    ["-1e309", "body", "-1e309", "too large"],
    ['{"a b":1e-400}', 'body["a b"]', "1e-400", "would be rounded"],
    ["[0,1E-0400]", "body[1]", "1E-0400", "would be rounded"],
    ["123456e-328", "body", "123456e-328", "would be rounded"],
    ["0.1234567890123456789", "body", "0.1234567890123456789", "would be rounded"],
    ["[ -0.10000000000000000001 ]", "body[0]", "-0.10000000000000000001", "would be rounded"],
    ['{"a":\n1.00000000000000000001}', "body.a", "1.00000000000000000001", "would be rounded"],
    ['{"\\u0061":{"x":[{},[0.1234567890123456789]]}}', "body.a.x[1][0]", "0.1234567890123456789", "would be rounded"],
  ])("%s is refused", (text, location, value, message) => {
    const problem = { kind: "number", location, value, message: expect.stringContaining(message) };
    expect(parseJson(text)).toMatchObject({ ok: false, problem });
    expect(parseJson(text)).toMatchObject({ problem: { message: expect.stringContaining("send it as a string") } });
  });

  it("keeps every number that JSON.stringify writes, up to the safe integers", () => {
    const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    const kept = (n: number) => Math.abs(n) <= Number.MAX_SAFE_INTEGER || Math.abs(n) >= 1e21;
    fc.assert(fc.property(number, (n) => parseJson(JSON.stringify([n])).ok === kept(n)));
  });

  it("finds a rounded number at any position", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(40), (value, spaces) => {
        const around = JSON.stringify([value]);
        if (!parseJson(around).ok) return;
        const text = `{"around":${around},${" ".repeat(spaces)}"bad":3.14159265358979323846}`;
        expect(parseJson(text)).toMatchObject({ problem: { kind: "number", location: "body.bad" } });
      }),
    );
  });

  it("finds it after a row of dots, too", () => {
    const parsed = parseJson(`{"note":"${".".repeat(40)}","bad":3.14159265358979323846}`);
    expect(parsed).toMatchObject({ problem: { kind: "number", location: "body.bad" } });
  });

  it("finds it next to a long number that is exact", () => {
    const parsed = parseJson("[0.1250000000000000,3.14159265358979323846]");
    expect(parsed).toMatchObject({ problem: { kind: "number", location: "body[1]" } });
  });
});

describe("shape", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

  it("accepts 64 levels and refuses 65, with the location", () => {
    expect(parseJson(nested(64)).ok).toBe(true);
    expect(parseJson(nested(65))).toEqual({
      ok: false,
      problem: { kind: "shape", location: `body${"[0]".repeat(64)}`, message: "is nested more than 64 levels deep" },
    });
  });

  test("refuses a large text by the limit it exceeds, or in V8's words", () => {
    const problemOf = (text: string) => parseJson(text) as { problem?: { kind: string; message: string } };
    const names = Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`);
    expect(problemOf(`{${names}}`).problem).toMatchObject({ kind: "shape", message: "has more than 50000 values" });
    expect(parseJson(JSON.stringify(["[{,".repeat(60_000)])).ok).toBe(true);
    expect(problemOf(`["${"x".repeat(200_000)}",,]`).problem).toMatchObject({
      kind: "malformed",
      message: expect.stringMatching(/^is not valid JSON: Unexpected token/),
    });
  });

  test.each([10_000, 400_000])("survives %i levels", (depth) => {
    expect(parseJson(nested(depth))).toMatchObject({ problem: { kind: "shape" } });
    // A large text is not parsed once it is too deep.
    const kind = depth > 100_000 ? "shape" : "malformed";
    expect(parseJson('{"a":'.repeat(depth))).toMatchObject({ problem: { kind } });
  });

  it("accepts 50,000 values and refuses one more", () => {
    const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1));
    expect(parseJson(list(49_999)).ok).toBe(true);
    expect(parseJson(list(50_000))).toEqual({
      ok: false,
      problem: { kind: "shape", location: "body", message: "has more than 50000 values" },
    });
  });

  it("accepts keys of 256 bytes and refuses 257", () => {
    const key = (text: string) => parseJson(JSON.stringify({ a: { [text]: 1 } }));
    expect(key("k".repeat(256)).ok).toBe(true);
    expect(key("é".repeat(128)).ok).toBe(true);
    expect(key("k".repeat(257))).toMatchObject({ problem: { kind: "shape", location: "body.a" } });
    expect(key(`${"é".repeat(128)}k`)).toMatchObject({ problem: { message: "has a key longer than 256 bytes" } });
  });

  test.each(['{"__proto__":{"polluted":true}}', '{"\\u005f_proto__":1}'])("%s is refused", (text) => {
    expect(parseJson(text)).toMatchObject({ problem: { kind: "shape", location: "body.__proto__" } });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("finds nesting that a later duplicate key hides from the parsed value", () => {
    const text = `{"a":${nested(2_000)},"a":1,"b":0.1234567890123456789}`;
    expect(parseJson(text, { unique_keys: false })).toMatchObject({ problem: { kind: "shape" } });
    expect(parseJson(text)).toMatchObject({ problem: { kind: "repeated", location: "body.a" } });
  });

  it("accepts other limits and another root location", () => {
    expect(parseJson("[[1]]", { root: "payload", depth: 1 })).toMatchObject({ problem: { location: "payload[0]" } });
    expect(parseJson("[1,2]", { nodes: 2 }).ok).toBe(false);
    expect(parseJson('{"abc":1}', { key_bytes: 2 }).ok).toBe(false);
  });
});

describe("a duplicate key", () => {
  test.each([
    ['{"a":1,"a":1}', "body.a"],
    ['{"a":{"b":1},"a":{"c":{"d":1,"e":2}}}', "body.a"],
    ['{ "items" : [ {}, [ { "x" : 1 , "y" : 2, "x" : 3 } ] ] }', "body.items[1][0].x"],
    ['{"a":1,"b":2,"\\u0061":3}', "body.a"],
    ['{"a b":1,"c":"\\\\","a b":2}', 'body["a b"]'],
    ['{"":1,"":2}', 'body[""]'],
    ['{"a":1,"a":1e400}', "body.a"],
    [`{"a":${JSON.stringify("x".repeat(200_000))},"b":1,"b":2}`, "body.b"],
  ])("%.60s is refused with its location", (text, location) => {
    const problem = { kind: "repeated", location, message: "is a duplicate key" };
    expect(parseJson(text)).toEqual({ ok: false, problem });
    expect(parseJson(text, { unique_keys: false })).not.toMatchObject({ problem: { kind: "repeated" } });
  });

  it("is found in any object, without false positives", () => {
    const entries = fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.json({ maxDepth: 2 })), { maxLength: 6 });
    fc.assert(
      fc.property(entries, (list) => {
        const text = `[{${list.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(",")}}]`;
        const isRepeated = new Set(list.map(([key]) => key)).size < list.length;
        const parsed = parseJson(text);
        expect(!parsed.ok && parsed.problem.kind === "repeated").toBe(isRepeated);
      }),
      { numRuns: 300 },
    );
  });
});

it("agrees with JSON.parse on any text: same value, or both refuse", () => {
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.json().map((t) => t.slice(0, -1)),
  );
  fc.assert(
    fc.property(text, (t) => {
      const parsed = parseJson(t);
      if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(t));
      else if (parsed.problem.kind === "malformed") expect(() => JSON.parse(t)).toThrow();
    }),
    { numRuns: 500 },
  );
});
