import { expect, it } from "vitest";
import { findTotpStep, fromBase32, toBase32, totpAt } from "./totp.ts";

const SECRET = Buffer.from("12345678901234567890");

it.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("A15 the code at %i s is that of RFC 6238", (secs, code) => {
  expect(totpAt(SECRET, Math.floor(secs / 30), 8)).toBe(code);
});

it("A15 a code works one step early or late, and once", () => {
  const at = (step: number, last: number | null = null) => findTotpStep(SECRET, totpAt(SECRET, step), 3_000_000, last);
  expect([98, 99, 100, 101, 102].map((step) => at(step))).toEqual([undefined, 99, 100, 101, undefined]);
  expect([at(100, 100), at(99, 100), at(101, 100)]).toEqual([undefined, undefined, 101]);
  for (const wrong of ["", "00000", "0000000", "abcdef", "é".repeat(6)])
    expect(findTotpStep(SECRET, wrong, 3_000_000, null)).toBeUndefined();
});

it("A15 secrets survive base32", () => {
  expect(toBase32(SECRET)).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  expect(fromBase32(toBase32(SECRET))).toEqual(SECRET);
});
