import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../test/world.ts";
import { openSeal } from "./seal.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("encryption at rest", () => {
  it.each(["", "text", "🦊\u0000é", "x".repeat(100_000)])("decrypts to the original (%#)", async (text) => {
    const { id } = await world.project();
    const { seal, db } = world.ctx;
    const sealed = await seal.sealText(db, id, "place", text);
    expect(await seal.openText(db, id, "place", sealed)).toBe(text);
    expect(sealed.equals(await seal.sealText(db, id, "place", text))).toBe(false);
  });

  it("decrypts only for the same project and purpose", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { seal, db } = world.ctx;
    const sealed = await seal.sealText(db, mine.id, "here", "secret");
    await expect(seal.openText(db, mine.id, "there", sealed)).rejects.toThrow();
    await expect(seal.openText(db, other.id, "here", sealed)).rejects.toThrow();
  });

  it("does not decrypt when any byte was changed, or the end is missing", async () => {
    const { id } = await world.project();
    const { seal, db } = world.ctx;
    const sealed = await seal.sealText(db, id, "place", "secret");
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] as number) ^ 1;
      await expect(seal.openText(db, id, "place", changed)).rejects.toThrow();
    }
    for (let length = 0; length < sealed.length; length++) {
      await expect(seal.openText(db, id, "place", sealed.subarray(0, length))).rejects.toThrow();
    }
  });

  it("does not decrypt with a truncated tag, which would be easier to guess", async () => {
    const { id } = await world.project();
    const { seal, db } = world.ctx;
    const sealed = await seal.sealText(db, id, "place", "");
    await expect(seal.openText(db, id, "place", sealed.subarray(0, 1 + 12 + 4))).rejects.toThrow();
  });

  it("stores every project's key wrapped, and different for each project", async () => {
    const { seal } = world.ctx;
    const [one, two] = [seal.newDataKey(), seal.newDataKey()];
    expect(one.dataKey.equals(two.dataKey)).toBe(false);
    expect(one.wrapped.includes(one.dataKey)).toBe(false);
    expect(one.wrapped.subarray(0, 4).equals(seal.wrappingKeyId)).toBe(true);
  });

  it("refuses to decrypt without a key", () => {
    expect(() => openSeal([])).toThrow("ENCRYPTION_KEY is empty");
  });
});
