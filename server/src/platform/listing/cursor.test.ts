import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { testSeed } from "../../../test/seed.ts";
import { openCursor, sealCursor } from "./cursor.ts";

fc.configureGlobal({ seed: testSeed("cursor") });

const SECRET = Buffer.from("a secret of the test, 32 bytes..");
const BINDING = "project-1 GET /v1/runs status=failed";
const VALUES = ["2026-01-02T03:04:05.678Z", "0190a5e4-4001-7123-9e4a-123456789012", 42, null];

it("round-trips any values", () => {
  const value = fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.maxSafeInteger(), fc.constant(null));
  fc.assert(
    fc.property(fc.string(), fc.array(value, { maxLength: 6 }), (binding, values) => {
      expect(openCursor(SECRET, binding, sealCursor(SECRET, binding, values))).toEqual(values);
    }),
  );
});

it("is the same text for the same values, and safe in a URL", () => {
  const text = sealCursor(SECRET, BINDING, VALUES);
  expect(text).toBe(sealCursor(SECRET, BINDING, VALUES));
  expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
});

describe("is rejected with", () => {
  const sealed = sealCursor(SECRET, BINDING, VALUES);

  test.each([
    ["under another binding", SECRET, `${BINDING} `],
    ["under an empty binding", SECRET, ""],
    ["with another secret", Buffer.from("another secret"), BINDING],
    ["with an empty secret", Buffer.alloc(0), BINDING],
  ])("%s", (_name, secret, binding) => {
    expect(openCursor(secret, binding, sealed)).toBeUndefined();
  });

  test.each([
    ["empty", ""],
    ["one character", "A"],
    ["a signature without content", sealed.slice(0, 21)],
    ["cut", sealed.slice(0, -1)],
    ["longer", `${sealed}A`],
    ["padded", `${sealed}=`],
    ["with a space", ` ${sealed}`],
    ["standard base64", "+/+/".repeat(10)],
    ["not ASCII", "é\u0000😀"],
    ["plain JSON", '["2026",1]'],
    ["over 1 KB", "A".repeat(1025)],
    ["huge", "A".repeat(10_000_000)],
  ])("%s", (_name, text) => {
    expect(openCursor(SECRET, BINDING, text)).toBeUndefined();
  });

  it("any single changed character", () => {
    for (let i = 0; i < sealed.length; i++) {
      for (const other of "AQgw_") {
        if (sealed[i] === other) continue;
        expect(openCursor(SECRET, BINDING, sealed.slice(0, i) + other + sealed.slice(i + 1))).toBeUndefined();
      }
    }
  });

  it("any other text", () => {
    fc.assert(fc.property(fc.string(), (text) => openCursor(SECRET, BINDING, text) === undefined));
  });
});

it("accepts 1 KB, and throws when it would be too long to open", () => {
  const long = sealCursor(SECRET, BINDING, ["x".repeat(748)]);
  expect(long.length).toBe(1024);
  expect(openCursor(SECRET, BINDING, long)).toEqual(["x".repeat(748)]);
  expect(() => sealCursor(SECRET, BINDING, ["x".repeat(749)])).toThrow("longer than 1024");
});
