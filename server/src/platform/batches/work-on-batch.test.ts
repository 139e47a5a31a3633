import { beforeAll, describe, expect, it } from "vitest";
import { seedBatch } from "../../../test/seed/seed-batch.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { ProjectCtx } from "../context.ts";
import { newId } from "../ids.ts";
import type { HeldBatch } from "./claim-batch.ts";
import { workOnBatch } from "./work-on-batch.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

type Page = (ctx: ProjectCtx, batch: HeldBatch) => Promise<void>;

/** A batch of a kind of its own, so that tests do not take each other's. */
async function aBatch() {
  const kind = `kind-${newId()}`;
  const project_id = (await world.project()).id;
  const id = await seedBatch(world.connection, project_id, { kind, failed: 0 });
  return {
    id,
    project_id,
    work: (page: Page, options: { maxTimeouts?: number; idle_secs?: number } = {}) =>
      workOnBatch(world.ctx, { pages: { [kind]: page }, failure: "a page of a test failed", ...options }),
    row: async () => (await runSql(world.connection, "select * from batch_operations where id = $1", [id]))[0],
  };
}

const failing =
  (message: string, code: string): Page =>
  () =>
    Promise.reject(Object.assign(new Error(message), { code }));

describe("a pass over batches", () => {
  it("R11 processes a page of its kind on behalf of its creator, and releases the batch", async () => {
    const { id, project_id, work, row } = await aBatch();
    const seen: unknown[] = [];
    const look: Page = async ({ project_id, caller }, batch) => {
      seen.push([batch.id, project_id, caller.name, (await row())?.lease_token === batch.lease_token]);
    };
    expect(await work(look)).toBe(true);
    expect(seen).toEqual([[id, project_id, "seed", true]]);
    expect(await row()).toMatchObject({ status: "running", lease_token: null, lease_until: null });
  });

  it("R11 finds nothing while others hold all batches", async () => {
    const { work } = await aBatch();
    const inner: boolean[] = [];
    await work(async () => void inner.push(await work(failing("nobody comes here", "XX000"))));
    expect(inner).toEqual([false]);
  });

  it("R11 skips a recently touched batch, if the work requests it", async () => {
    const { work } = await aBatch();
    const done: string[] = [];
    const look: Page = async (_, { id }) => void done.push(id);
    const pass = async () => [await work(look, { idle_secs: 60 }), done.length];
    expect(await pass()).toEqual([false, 0]);
    await world.clock.pass("61s");
    expect(await pass()).toEqual([true, 1]);
    expect(await pass()).toEqual([false, 1]);
  });

  it("R11 that loses the database throws, and the batch is neither leased nor charged with a failure", async () => {
    const { work, row } = await aBatch();
    const lost = work(failing("Connection terminated", "ECONNRESET"));
    await expect(lost).rejects.toThrow("Connection terminated");
    expect(await row()).toMatchObject({ status: "running", failures: 0, lease_token: null });
  });

  it("R11 that fails is counted, and the fifth failure ends the batch, however many timeouts are allowed", async () => {
    const { work, row } = await aBatch();
    const fail = () => work(failing("broken", "22P02"), { maxTimeouts: 7 });
    for (let nth = 1; nth <= 4; nth++) expect(await fail()).toBe(false);
    expect(await row()).toMatchObject({ status: "running", failures: 4, lease_token: null });
    await fail();
    expect(await row()).toMatchObject({ status: "failed", error: "broken" });
  });

  it("R11 that times out on a busy database is retried as often as the work allows", async () => {
    const tooSlow = failing("canceling statement due to statement timeout", "57014");
    const [tolerant, plain] = [await aBatch(), await aBatch()];
    for (let nth = 1; nth <= 6; nth++) await tolerant.work(tooSlow, { maxTimeouts: 7 });
    for (let nth = 1; nth <= 5; nth++) await plain.work(tooSlow);
    expect([(await tolerant.row())?.status, (await plain.row())?.status]).toEqual(["running", "failed"]);
    await tolerant.work(tooSlow, { maxTimeouts: 7 });
    expect((await tolerant.row())?.status).toBe("failed");
  });
});
