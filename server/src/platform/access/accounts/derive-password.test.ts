import { describe, expect, it } from "vitest";
import { derivePassword, PASSWORD_COST } from "./derive-password.ts";

const salt = Buffer.from("a salt of a test");

describe("a password", () => {
  it("A15 is derived with OWASP's parameters, so that stored ones stay valid", async () => {
    const { password_hash, totp_key } = await derivePassword("correct horse", salt, PASSWORD_COST);
    const expected =
      "94334190c61ab9f5a9a6e715abcaaac63472599d49b815d13f5e639a7173bd85" + // password_hash
      "3dd695af557afef22664e0864e05d92bd2e969381f84193f292af15200eb0c67"; // totp_key
    expect(Buffer.concat([password_hash, totp_key]).toString("hex")).toBe(expected);
  });

  it("A15 is the same however its letters are composed", async () => {
    const [one, other] = await Promise.all(["é", "e\u0301"].map((each) => derivePassword(each, salt, 2)));
    expect(one).toEqual(other);
  });

  it("A15 is refused if many others wait to be derived: an attack must not pile up work", async () => {
    const derive = () => derivePassword("x", salt, 2);
    const all = await Promise.allSettled(Array.from({ length: 60 }, derive));
    const refused = all.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    expect(refused).toEqual(Array(8).fill("service_unavailable"));
    expect((await derive()).password_hash).toHaveLength(32);
  });
});
