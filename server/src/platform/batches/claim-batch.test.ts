import { beforeAll, describe, expect, it } from "vitest";
import { seedBatch } from "../../../test/seed/seed-batch.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { inTransaction } from "../database/transaction.ts";
import { newId } from "../ids.ts";
import { advanceBatch } from "./advance-batch.ts";
import { claimBatch, type HeldBatch, lockBatch, releaseBatch } from "./claim-batch.ts";
import { cancelBatch, recordBatchFailure } from "./end-batch.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** A kind of its own, so that tests do not claim each other's batches. */
async function aKind() {
  const kind = `kind-${newId()}`;
  const project_id = (await world.project()).id;
  const claim = (idle_secs = 0) => claimBatch(world.ctx, { kinds: [kind], idle_secs });
  return {
    kind,
    project_id,
    claim,
    seed: (batch = {}) => seedBatch(world.connection, project_id, { kind, failed: 0, ...batch }),
  };
}

const lock = (batch: HeldBatch) => inTransaction(world.ctx, (tx) => lockBatch(tx, batch));

function held(batch: HeldBatch | undefined): HeldBatch {
  if (!batch) throw new Error("nothing was claimed");
  return batch;
}

async function rowOf(id: string) {
  const [row] = await runSql(world.connection, "select * from batch_operations where id = $1", [id]);
  return row;
}

describe("leasing a batch", () => {
  it("R11 is exclusive to one instance until it is released; a pending batch is running from then on", async () => {
    const { seed, claim } = await aKind();
    const id = await seed({ status: "pending" });
    const mine = held(await claim());
    expect(mine.id).toBe(id);
    expect(await rowOf(id)).toMatchObject({ status: "running", prev_status: "pending" });
    expect(await claim()).toBeUndefined();
    await releaseBatch(world.ctx, mine);
    expect((await claim())?.id).toBe(id);
  });

  it("R11 claims the one that was idle the longest, and no ended one", async () => {
    const { seed, claim } = await aKind();
    await seed({ status: "canceled" });
    const first = await seed();
    await world.clock.pass("1s");
    const second = await seed();
    await world.clock.pass("1s");
    const claimed: string[] = [];
    for (let pass = 0; pass < 4; pass++) {
      const mine = held(await claim());
      claimed.push(mine.id);
      await world.clock.pass("1s");
      await releaseBatch(world.ctx, mine);
    }
    expect(claimed).toEqual([first, second, first, second]);
  });

  it("rotates between projects, however many batches one has", async () => {
    const { kind, seed, claim } = await aKind();
    const loud = [await seed(), await seed(), await seed()];
    await world.clock.pass("1s");
    const quiet = await seedBatch(world.connection, (await world.project()).id, { kind, failed: 0 });
    const claimed: string[] = [];
    for (let pass = 0; pass < 6; pass++) {
      await world.clock.pass("1s");
      const mine = held(await claim());
      claimed.push(loud.includes(mine.id) ? "loud" : mine.id === quiet ? "quiet" : "");
      await releaseBatch(world.ctx, mine);
    }
    expect(claimed).toEqual(["loud", "quiet", "loud", "quiet", "loud", "quiet"]);
  });

  it("R11 gives concurrent workers different batches", async () => {
    const { seed, claim } = await aKind();
    const ids = [await seed(), await seed(), await seed()];
    const claimed = await Promise.all(Array.from({ length: 6 }, () => claim()));
    expect(claimed.flatMap((each) => each?.id ?? []).toSorted()).toEqual(ids.toSorted());
  });

  it("R11 can skip a batch that was worked on just now", async () => {
    const { seed, claim } = await aKind();
    const id = await seed();
    expect(await claim(60)).toBeUndefined();
    await world.clock.pass("60s");
    expect((await claim(60))?.id).toBe(id);
  });

  it("R11 lets another instance claim it after the lease has expired, and the first may no longer act on it", async () => {
    const { seed, claim } = await aKind();
    await seed();
    const late = held(await claim());
    await world.clock.pass("59s");
    expect(await claim()).toBeUndefined();
    expect(await lock(late)).toEqual({ processed: 0, walk: null });
    await world.clock.pass("59s");
    expect(await claim()).toBeUndefined();
    await world.clock.pass("2s");
    const next = held(await claim());
    expect(await lock(late)).toBeUndefined();
    await releaseBatch(world.ctx, late);
    expect(await lock(next)).toEqual({ processed: 0, walk: null });
  });
});

describe("the end of a leased batch", () => {
  it("R11 with its last item releases the lease", async () => {
    const { seed, claim, project_id } = await aKind();
    const batch_id = await seed({ total: 1 });
    const mine = held(await claim());
    const item = { item_index: 0, target_id: null, status: "succeeded" } as const;
    await inTransaction(world.ctx, (tx) => advanceBatch(tx, { project_id, batch_id }, [item]));
    expect(await rowOf(batch_id)).toMatchObject({ status: "completed", lease_token: null });
    expect(await lock(mine)).toBeUndefined();
  });

  it("R11 by a cancel stops the holder from acting on it", async () => {
    const { seed, claim, project_id } = await aKind();
    const batch_id = await seed();
    const mine = held(await claim());
    expect(await inTransaction(world.ctx, (tx) => cancelBatch(tx, { project_id, batch_id }))).toBe(true);
    expect(await lock(mine)).toBeUndefined();
    expect(await inTransaction(world.ctx, (tx) => cancelBatch(tx, { project_id, batch_id }))).toBe(false);
  });

  it("R11 with its walk sets the total to the items found, which grows when more are found than were counted", async () => {
    const { seed, project_id } = await aKind();
    const batch_id = await seed({ total: 2 });
    const advance = (indexes: number[], is_over: boolean) =>
      inTransaction(world.ctx, (tx) =>
        advanceBatch(
          tx,
          { project_id, batch_id },
          indexes.map((item_index) => ({ item_index, target_id: null, status: "succeeded" })),
          { cursor: { at: indexes.length }, is_over },
        ),
      );
    await advance([0, 1], false);
    expect(await rowOf(batch_id)).toMatchObject({ status: "running", total: 2, processed: 2, walk: { at: 2 } });
    await advance([2], false);
    expect(await rowOf(batch_id)).toMatchObject({ status: "running", total: 3, processed: 3 });
    await runSql(world.connection, "update batch_operations set prev_status = status, total = 9 where id = $1", [
      batch_id,
    ]);
    await advance([], true);
    expect(await rowOf(batch_id)).toMatchObject({ status: "completed", total: 3, processed: 3 });
  });

  it("R11 comes with the fifth failure in a row; a successful page resets the count", async () => {
    const { seed, claim, project_id } = await aKind();
    const batch_id = await seed({ total: 9 });
    const failTimes = async (times: number) => {
      for (let n = 0; n < times; n++) await recordBatchFailure(world.ctx, held(await claim()), "broken");
    };
    await failTimes(4);
    const item = { item_index: 0, target_id: null, status: "failed" } as const;
    await inTransaction(world.ctx, (tx) => advanceBatch(tx, { project_id, batch_id }, [item]));
    await failTimes(4);
    expect(await rowOf(batch_id)).toMatchObject({ status: "running", error: null });
    await failTimes(1);
    expect(await rowOf(batch_id)).toMatchObject({ status: "failed", error: "broken", finished_at: expect.any(Date) });
  });
});
