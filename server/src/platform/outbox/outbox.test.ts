import { beforeAll, describe, expect, it } from "vitest";
import { rollBack } from "../../../test/statements/roll-back.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { Ctx, ProjectCtx } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { newId } from "../ids.ts";
import { ackOutboxEntries, ackOutboxEntry, claimOutbox } from "./claim-outbox.ts";
import { enqueueOutbox, type OutboxEntry } from "./enqueue-outbox.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function projectCtx(): Promise<ProjectCtx> {
  return { ...world.callerCtx(), project_id: (await world.project()).id };
}

const rowsOf = (table: string, project_id: string) =>
  runSql(world.connection, `select * from ${table} where project_id = $1 order by created_at`, [project_id]);

describe("the outbox", () => {
  const anEntry = (project_id: string, more: Partial<OutboxEntry> = {}): OutboxEntry => ({
    project_id,
    transition_id: newId(),
    kind: "resume",
    target_id: "target",
    detail: { a: 1 },
    ...more,
  });

  it("keeps one entry when it is enqueued twice, within a list or across transactions", async () => {
    const ctx = await projectCtx();
    const entry = anEntry(ctx.project_id);
    const other = { ...entry, kind: "emit" };
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, [entry, entry, other]));
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, [{ ...entry, detail: { a: 2 } }]));
    await Promise.all(Array.from({ length: 10 }, () => inTransaction(ctx, (tx) => enqueueOutbox(tx, [entry]))));
    const rows = await rowsOf("outbox", ctx.project_id);
    expect(rows.map(({ kind, detail }) => [kind, detail]).toSorted()).toEqual([
      ["emit", { a: 1 }],
      ["resume", { a: 1 }],
    ]);
  });

  it("keeps no entries of a transition that was rolled back, and accepts an empty list", async () => {
    const ctx = await projectCtx();
    await rollBack(ctx, (tx) => enqueueOutbox(tx, [anEntry(ctx.project_id)]));
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, []));
    expect(await rowsOf("outbox", ctx.project_id)).toEqual([]);
  });

  const START = "00000000-0000-0000-0000-000000000000";
  const NONE = { skipped_lanes: [], max_per_project: 10, batched: { kinds: ["many"], max: 50 } };
  const claim = (ctx: Ctx) => claimOutbox(ctx, { ...NONE, after: START, room: 100, max: 10 });
  const ofProject = ({ project_id }: ProjectCtx, claimed: OutboxEntry[]) =>
    claimed.filter((entry) => entry.project_id === project_id);

  it("entries are claimed oldest first, by one instance, and acked by one of twenty concurrent workers", async () => {
    const ctx = await projectCtx();
    const [early, late] = [anEntry(ctx.project_id), anEntry(ctx.project_id)];
    await world.clock.set("2029-01-01T00:00:00.000Z");
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, [early]));
    await world.clock.pass("1s");
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, [late]));
    const other = { ...ctx, instance_id: newId() };
    const claims = await Promise.all([ctx, other, { ...ctx, instance_id: newId() }].map((each) => claim(each)));
    const shares = claims.map(({ claimed }) => ofProject(ctx, claimed)).filter((share) => share.length > 0);
    expect(shares).toEqual([[early, late]]);

    await world.clock.pass("29s");
    expect(ofProject(ctx, (await claim({ ...ctx, instance_id: newId() })).claimed)).toEqual([]);
    await world.clock.pass("2s");
    expect(ofProject(ctx, (await claim(other)).claimed)).toEqual([early, late]);
    expect(await inTransaction(ctx, (tx) => ackOutboxEntry(tx, early))).toBe(false);
    const strikes = Array.from({ length: 20 }, () => inTransaction(other, (tx) => ackOutboxEntry(tx, early)));
    expect((await Promise.all(strikes)).filter(Boolean)).toHaveLength(1);
    expect(await rowsOf("outbox", ctx.project_id)).toHaveLength(1);
  });

  it("entries are claimed from the projects in rotation, however many another project enqueued before", async () => {
    const [loud, quiet] = [await projectCtx(), await projectCtx()];
    const many = ["one", "many"].flatMap((kind) =>
      Array.from({ length: 300 }, () => anEntry(loud.project_id, { kind })),
    );
    await inTransaction(loud, (tx) => enqueueOutbox(tx, many));
    await world.clock.pass("1s");
    await inTransaction(quiet, (tx) => enqueueOutbox(tx, [anEntry(quiet.project_id)]));
    const { claimed } = await claimOutbox(loud, { ...NONE, after: before(loud.project_id), room: 2, max: 10 });
    expect(ofProject(quiet, claimed)).toHaveLength(1);
    const kinds = new Set(ofProject(loud, claimed).map(({ kind }) => kind));
    expect(kinds.size).toBe(1);
    expect(ofProject(loud, claimed)).toHaveLength(kinds.has("many") ? 50 : 10);

    // A project with two lanes in progress gets no third.
    const busy = ["one", "other"].map((kind) => ({ project_id: loud.project_id, kind, is_busy: true }));
    const next = { ...NONE, after: before(loud.project_id), room: 2, max: 10, max_per_project: 2, skipped_lanes: busy };
    expect(ofProject(loud, (await claimOutbox(loud, next)).claimed)).toEqual([]);
  });

  it("entries enqueued again while they are processed are not acked with the old ones", async () => {
    const ctx = await projectCtx();
    const entry = anEntry(ctx.project_id);
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, [entry]));
    await claim(ctx);
    await runSql(world.connection, "delete from outbox where project_id = $1", [ctx.project_id]);
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, [entry]));
    expect(await ackOutboxEntries(ctx, [entry])).toBe(0);
    expect(await rowsOf("outbox", ctx.project_id)).toHaveLength(1);
  });

  it("entries acked in a transaction that was rolled back stay in the outbox", async () => {
    const ctx = await projectCtx();
    const entry = anEntry(ctx.project_id);
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, [entry]));
    await claim(ctx);
    await rollBack(ctx, (tx) => ackOutboxEntry(tx, entry));
    expect(await inTransaction(ctx, (tx) => ackOutboxEntry(tx, entry))).toBe(true);
  });
});

/** The greatest id before this one, approximately: ids begin with the time. */
function before(id: string): string {
  return `${id.slice(0, -12)}000000000000`;
}
