import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { openEncryption } from "./encryption.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("encryption at rest", () => {
  it.each(["", "text", "🦊\u0000é", "x".repeat(100_000)])("decrypts to the original (%#)", async (text) => {
    const { id } = await world.project();
    const { encryption, db } = world.ctx;
    const encrypted = await encryption.encryptText(db, id, "place", text);
    expect(await encryption.decryptText(db, id, "place", encrypted)).toBe(text);
    expect(encrypted.equals(await encryption.encryptText(db, id, "place", text))).toBe(false);
  });

  it("decrypts only for the same project and purpose", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { encryption, db } = world.ctx;
    const encrypted = await encryption.encryptText(db, mine.id, "here", "secret");
    await expect(encryption.decryptText(db, mine.id, "there", encrypted)).rejects.toThrow();
    await expect(encryption.decryptText(db, other.id, "here", encrypted)).rejects.toThrow();
  });

  it("does not decrypt when any byte was changed, or the end is missing", async () => {
    const { id } = await world.project();
    const { encryption, db } = world.ctx;
    const encrypted = await encryption.encryptText(db, id, "place", "secret");
    for (let index = 0; index < encrypted.length; index++) {
      const changed = Buffer.from(encrypted);
      changed[index] = (changed[index] as number) ^ 1;
      await expect(encryption.decryptText(db, id, "place", changed)).rejects.toThrow();
    }
    for (let length = 0; length < encrypted.length; length++) {
      await expect(encryption.decryptText(db, id, "place", encrypted.subarray(0, length))).rejects.toThrow();
    }
  });

  it("does not decrypt with a truncated tag, which would be easier to guess", async () => {
    const { id } = await world.project();
    const { encryption, db } = world.ctx;
    const encrypted = await encryption.encryptText(db, id, "place", "");
    await expect(encryption.decryptText(db, id, "place", encrypted.subarray(0, 1 + 12 + 4))).rejects.toThrow();
  });

  it("stores every project's key wrapped, and different for each project", async () => {
    const { encryption } = world.ctx;
    const [one, two] = [encryption.newDataKey(), encryption.newDataKey()];
    expect(one.dataKey.equals(two.dataKey)).toBe(false);
    expect(one.wrapped.includes(one.dataKey)).toBe(false);
    expect(one.wrapped.subarray(0, 4).equals(encryption.wrappingKeyId)).toBe(true);
  });

  it("refuses to decrypt without a key", () => {
    expect(() => openEncryption([])).toThrow("ENCRYPTION_KEY is empty");
  });
});
