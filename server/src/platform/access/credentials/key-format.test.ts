import { describe, expect, it, test } from "vitest";
import { hashKey, isWellFormedKey, keyPrefix, newKey } from "./key-format.ts";

// Computed independently: python3 zlib.crc32(b"0" * 34) = 662668069, in base62.
const KNOWN = `svc_${"0".repeat(34)}0iqUEf`;

describe("newKey", () => {
  it("has the documented shape and a valid checksum", () => {
    for (let i = 0; i < 200; i++) {
      const key = newKey();
      expect(key).toMatch(/^svc_[0-9A-Za-z]{40}$/);
      expect(isWellFormedKey(key)).toBe(true);
    }
  });

  it("does not repeat, and uses every letter about equally", () => {
    const keys = Array.from({ length: 4_000 }, newKey);
    expect(new Set(keys).size).toBe(keys.length);

    const counts = new Map<string, number>();
    for (const letter of keys.flatMap((key) => key.slice(4, 38).split("")))
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const mean = (4_000 * 34) / 62;
    expect(counts.size).toBe(62);
    // 6.5 standard deviations: with modulo bias the first 8 letters would be 25 % above the mean.
    for (const count of counts.values()) expect(Math.abs(count - mean)).toBeLessThan(6.5 * Math.sqrt(mean));
  });
});

describe("isWellFormedKey", () => {
  it("accepts a checksum computed elsewhere", () => {
    expect(isWellFormedKey(KNOWN)).toBe(true);
  });

  it("rejects any single changed character", () => {
    for (let i = 0; i < KNOWN.length; i++) {
      const other = KNOWN[i] === "x" ? "y" : "x";
      expect(isWellFormedKey(KNOWN.slice(0, i) + other + KNOWN.slice(i + 1))).toBe(false);
    }
  });

  test.each([
    ["empty", ""],
    ["prefix alone", "svc_"],
    ["too short", KNOWN.slice(0, -1)],
    ["too long", `${KNOWN}0`],
    ["another prefix", `SVC_${KNOWN.slice(4)}`],
    ["a line end", `${KNOWN}\n`],
    ["not base62", KNOWN.replace("0", "-")],
    ["very long", `svc_${"0".repeat(1_000_000)}`],
  ])("refuses: %s", (_name, text) => {
    expect(isWellFormedKey(text)).toBe(false);
  });
});

it("keyPrefix is the first 12 characters", () => {
  expect(keyPrefix(KNOWN)).toBe("svc_00000000");
});

it("hashKey is SHA-256 of the whole key", () => {
  expect(hashKey("abc").toString("hex")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

it("hashKey and isWellFormedKey return the same result when called again", () => {
  const [key, other] = [newKey(), newKey()];
  const hashes = [key, other, key, other].map((each) => hashKey(each).toString("hex"));
  expect(hashes.slice(2)).toEqual(hashes.slice(0, 2));
  expect(new Set(hashes).size).toBe(2);
  expect(isWellFormedKey(key)).toBe(true);
  hashKey("svc_junk");
  expect(isWellFormedKey("svc_junk")).toBe(false);
});
