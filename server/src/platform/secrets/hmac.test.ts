import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { hmacKey, hmacOf } from "./hmac.ts";

const random = randomFrom(testSeed("hmac"));
const randomBytes = (length: number) => Buffer.from(Array.from({ length }, () => random() * 256));

describe("an HMAC from two hashes", () => {
  it("equals that of node:crypto for the same secret and message of any length", () => {
    for (const secretBytes of [0, 1, 32, 64]) {
      const secret = randomBytes(secretBytes);
      for (const bytes of [0, 1, 55, 56, 63, 64, 600, 16_384, 16_385, 100_000]) {
        const message = randomBytes(bytes);
        for (const prefix of ["", "1700000000."]) {
          const expected = createHmac("sha256", secret).update(prefix).update(message).digest("hex");
          expect(hmacOf(hmacKey(secret), prefix, message, "hex")).toBe(expected);
        }
      }
    }
  });

  it("treats text as UTF-8", () => {
    const secret = randomBytes(32);
    const expected = createHmac("sha256", secret).update("ü\u{1f600}").digest("base64url");
    expect(hmacOf(hmacKey(secret), "", "ü\u{1f600}", "base64url")).toBe(expected);
  });

  it("retains nothing of the previous message", () => {
    const key = hmacKey(randomBytes(32));
    const short = hmacOf(key, "", "a", "hex");
    hmacOf(key, "1.", "b".repeat(900), "hex");
    expect(hmacOf(key, "", "a", "hex")).toBe(short);
  });

  it("rejects a secret that would have to be hashed first", () => {
    expect(() => hmacKey(randomBytes(65))).toThrow("at most 64 bytes");
  });
});
