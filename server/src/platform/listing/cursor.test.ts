import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { testSeed } from "../../../test/seed/seed.ts";
import { decodeCursor, encodeCursor } from "./page.ts";

fc.configureGlobal({ seed: testSeed("cursor") });

const SECRET = Buffer.from("a secret of the test, 32 bytes..");
const BINDING = "project-1 GET /v1/runs status=failed";
const VALUES = ["2026-01-02T03:04:05.678Z", "0190a5e4-4001-7123-9e4a-123456789012", 42, null];

it("round-trips any values", () => {
  const value = fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.maxSafeInteger(), fc.constant(null));
  fc.assert(
    fc.property(fc.string(), fc.array(value, { maxLength: 6 }), (binding, values) => {
      expect(decodeCursor(SECRET, binding, encodeCursor(SECRET, binding, values))).toEqual(values);
    }),
  );
});

it("is the same text for the same values, and safe in a URL", () => {
  const text = encodeCursor(SECRET, BINDING, VALUES);
  expect(text).toBe(encodeCursor(SECRET, BINDING, VALUES));
  expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
});

describe("is rejected with", () => {
  const cursor = encodeCursor(SECRET, BINDING, VALUES);

  test.each([
    ["under another binding", SECRET, `${BINDING} `],
    ["under an empty binding", SECRET, ""],
    ["with another secret", Buffer.from("another secret"), BINDING],
    ["with an empty secret", Buffer.alloc(0), BINDING],
  ])("%s", (_name, secret, binding) => {
    expect(decodeCursor(secret, binding, cursor)).toBeUndefined();
  });

  test.each([
    ["empty", ""],
    ["one character", "A"],
    ["a signature without content", cursor.slice(0, 21)],
    ["cut", cursor.slice(0, -1)],
    ["longer", `${cursor}A`],
    ["padded", `${cursor}=`],
    ["with a space", ` ${cursor}`],
    ["standard base64", "+/+/".repeat(10)],
    ["not ASCII", "é\u0000😀"],
    ["plain JSON", '["2026",1]'],
    ["over 1 KB", "A".repeat(1025)],
    ["huge", "A".repeat(10_000_000)],
  ])("%s", (_name, text) => {
    expect(decodeCursor(SECRET, BINDING, text)).toBeUndefined();
  });

  it("any single changed character", () => {
    for (let i = 0; i < cursor.length; i++) {
      for (const other of "AQgw_") {
        if (cursor[i] === other) continue;
        expect(decodeCursor(SECRET, BINDING, cursor.slice(0, i) + other + cursor.slice(i + 1))).toBeUndefined();
      }
    }
  });

  it("any other text", () => {
    fc.assert(fc.property(fc.string(), (text) => decodeCursor(SECRET, BINDING, text) === undefined));
  });
});

it("accepts 1 KB, and throws when it would be too long to open", () => {
  const long = encodeCursor(SECRET, BINDING, ["x".repeat(748)]);
  expect(long.length).toBe(1024);
  expect(decodeCursor(SECRET, BINDING, long)).toEqual(["x".repeat(748)]);
  expect(() => encodeCursor(SECRET, BINDING, ["x".repeat(749)])).toThrow("longer than 1024");
});
