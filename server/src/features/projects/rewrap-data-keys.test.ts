import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { ENCRYPTION_KEY } from "../../../test/world/encryption-key.ts";
import { type Instance, makeWorld, type World } from "../../../test/world/world.ts";
import { openEncryption } from "../../platform/secrets/encryption.ts";
import { holdsEncryptionKey } from "./encryption-check.ts";
import { rewrapDataKeys } from "./rewrap-data-keys.ts";

const OLD = ENCRYPTION_KEY;
const NEXT = "the-next-encryption-key-0123456789abcdef";

let world: World;
beforeAll(async () => {
  world = await makeWorld({ config: { encryption_keys: [OLD] } });
});

async function wrappedOf(id: string): Promise<Buffer> {
  const [row] = await runSql<{ key: Buffer }>(
    world.connection,
    "select wrapped_data_key as key from projects where id = $1",
    [id],
  );
  if (!row) throw new Error("no project");
  return row.key;
}

const isUnder = (wrapped: Buffer, secret: string) =>
  wrapped.subarray(0, 4).equals(openEncryption([secret]).wrappingKeyId);

describe("the check of ENCRYPTION_KEY at start", () => {
  const withKeys = async (...encryption_keys: string[]) => (await world.anotherInstance({ encryption_keys })).ctx;
  const forget = () => runSql(world.connection, "delete from encryption_check");

  it("accepts the key of the first start, and no other from then on", async () => {
    expect(await holdsEncryptionKey(await withKeys(OLD))).toBe(true);
    expect(await holdsEncryptionKey(await withKeys(NEXT))).toBe(false);
    expect(await holdsEncryptionKey(await withKeys(NEXT, OLD))).toBe(true);
    expect(await holdsEncryptionKey(await withKeys(OLD))).toBe(true);
  });

  it("admits one of two instances that start first at the same time with different keys", async () => {
    await forget();
    const both = [await withKeys(OLD), await withKeys(NEXT)];
    expect((await Promise.all(both.map(holdsEncryptionKey))).sort()).toEqual([false, true]);
  });

  it("is created for a database without one if the key decrypts its data", async () => {
    await forget();
    await world.project();
    expect(await holdsEncryptionKey(await withKeys(NEXT))).toBe(false);
    expect(await runSql(world.connection, "select 1 from encryption_check")).toEqual([]);
    expect(await holdsEncryptionKey(await withKeys(OLD))).toBe(true);
    expect(await holdsEncryptionKey(await withKeys(NEXT))).toBe(false);
  });

  it("moves with a rotation, with or without projects, and then rejects the old key", async () => {
    expect(await holdsEncryptionKey(await withKeys(OLD))).toBe(true);
    await rewrapDataKeys(await withKeys(NEXT, OLD));
    expect(await holdsEncryptionKey(await withKeys(NEXT))).toBe(true);
    expect(await holdsEncryptionKey(await withKeys(OLD))).toBe(false);
    await forget();
  });
});

describe("the rotation of ENCRYPTION_KEY", () => {
  it("reads with the old of two values, and moves everything to the first one in the task", async () => {
    const { id, api } = await world.project();
    const environment = (await api.post("/v1/environments", { name: "Kept", variables: { A: "kept" } })).body.id;
    const variables = async ({ admin }: Instance) =>
      (await admin.get(`/v1/environments/${environment}`)).body.variables;
    const rotating = await world.anotherInstance({ encryption_keys: [NEXT, OLD] });
    expect(await variables(rotating)).toEqual({ A: "kept" });
    expect(isUnder(await wrappedOf(id), OLD)).toBe(true);

    expect(await rewrapDataKeys(rotating.ctx)).toBe(false);
    const wrapped = await wrappedOf(id);
    expect(isUnder(wrapped, NEXT)).toBe(true);
    await rewrapDataKeys(rotating.ctx);
    expect((await wrappedOf(id)).equals(wrapped)).toBe(true);

    const after = await world.anotherInstance({ encryption_keys: [NEXT] });
    expect(await variables(after)).toEqual({ A: "kept" });
  });

  it("skips keys already wrapped with the first value", async () => {
    const { id } = await world.project();
    const before = await wrappedOf(id);
    expect(await world.tick("rewrap-data-keys")).toBe(false);
    expect((await wrappedOf(id)).equals(before)).toBe(true);
  });

  it("reports a missing value by name only to the operator, and keeps the data key until it is back", async () => {
    const { id } = await world.project();
    const before = await wrappedOf(id);
    const without = await world.anotherInstance({ encryption_keys: [NEXT] });
    expect(await rewrapDataKeys(without.ctx)).toBe(false);
    expect((await wrappedOf(id)).equals(before)).toBe(true);
    const { encryption, db } = without.ctx;
    await expect(encryption.encryptText(db, id, "place", "x")).rejects.toThrow(
      "no value of ENCRYPTION_KEY decrypts this project's data: add the one it was encrypted with",
    );
    const response = await without.admin.get(`/v1/environments?project_id=${id}`);
    expect([response.status, response.text.includes("ENCRYPTION_KEY")]).toEqual([500, false]);
  });
});
