import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/database.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import type { Ctx, ProjectCtx } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { newId } from "../ids.ts";
import { ackOutboxEntries, ackOutboxEntry, claimOutbox } from "./claim-outbox.ts";
import { enqueueOutbox, type OutboxEntry } from "./enqueue-outbox.ts";
import { queueDeliveries } from "./queue-deliveries.ts";
import { queueDelivery } from "./queue-delivery.ts";
import { recordAudit } from "./record-audit.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function projectCtx(): Promise<ProjectCtx> {
  return { ...world.callerCtx(), project_id: (await world.project()).id };
}

const rowsOf = (table: string, project_id: string) =>
  runSql(world.connection, `select * from ${table} where project_id = $1 order by created_at`, [project_id]);

/** Runs the work and rolls it back. */
async function rolledBack(ctx: ProjectCtx, work: (tx: ProjectCtx & { in_transaction: true }) => Promise<unknown>) {
  const undo = new Error("undo");
  const attempt = inTransaction(ctx, async (tx) => {
    await work(tx);
    throw undo;
  });
  await expect(attempt).rejects.toBe(undo);
}

describe("the audit log", () => {
  const entry = {
    action: "thing.changed",
    resource_type: "thing",
    resource_id: "7",
    before: { a: 1 },
    after: { a: 2 },
  };
  const things = async (project_id: string) =>
    (await rowsOf("audit_events", project_id)).filter(({ action }) => action === "thing.changed");

  it("A12 records who, what, before, after, from where and by which request, together with the change", async () => {
    const ctx = await projectCtx();
    await inTransaction(ctx, (tx) => recordAudit(tx, entry));
    expect(await things(ctx.project_id)).toEqual([
      {
        ...entry,
        project_id: ctx.project_id,
        id: expect.any(String),
        actor_kind: "internal_secret",
        actor_id: null,
        actor_name: "test",
        ip: "127.0.0.1",
        user_agent: "test",
        request_id: ctx.origin.request_id,
        created_at: expect.any(Date),
        chain_no: null,
        hash: null,
      },
    ]);
  });

  it("A12 records nothing for a change that was rolled back", async () => {
    const ctx = await projectCtx();
    await rolledBack(ctx, (tx) => recordAudit(tx, entry));
    expect(await things(ctx.project_id)).toEqual([]);
  });

  it("names the key that acted", async () => {
    const ctx = await projectCtx();
    const key_id = newId();
    const caller = {
      kind: "api_key",
      key_id,
      name: "CI",
      project_id: "",
      environment_id: null,
      org_id: null,
      scopes: null,
    };
    await inTransaction({ ...ctx, caller } as ProjectCtx, (tx) => recordAudit(tx, entry));
    expect((await things(ctx.project_id))[0]).toMatchObject({
      actor_kind: "api_key",
      actor_id: key_id,
      actor_name: "CI",
    });
  });
});

describe("a delivery", () => {
  const about = { url: "https://example.com/hook", event_type: "thing.happened", source_type: "thing", source_id: "7" };

  it("is queued with a final body, and is due at once", async () => {
    const ctx = await projectCtx();
    await world.clock.set("2030-01-01T00:00:00.000Z");
    const data = { text: "🦊", list: [1, 2] };
    const id = await inTransaction(ctx, (tx) => queueDelivery(tx, { project_id: ctx.project_id, ...about, data }));
    data.list.push(3);
    const [row] = await rowsOf("webhook_deliveries", ctx.project_id);
    const now = new Date("2030-01-01T00:00:00.000Z");
    expect(row).toMatchObject({
      ...about,
      id,
      status: "pending",
      prev_status: null,
      attempts: 0,
      next_attempt_at: now,
    });
    expect(JSON.parse(row?.body)).toEqual({
      type: "thing.happened",
      id,
      created_at: "2030-01-01T00:00:00.000Z",
      data: { text: "🦊", list: [1, 2] },
    });
  });

  it("is queued together with many others, each with its own body, environment and host, in order", async () => {
    const ctx = await projectCtx();
    const environment_id = newId();
    const many = Array.from({ length: 50 }, (_, nth) => ({
      ...about,
      project_id: ctx.project_id,
      ...(nth === 1 && { environment_id }),
      url: nth === 0 ? "no URL at all" : `https://hooks.example.com:${8_000 + nth}/in?nth=${nth}`,
      data: { nth },
    }));
    const ids = await inTransaction(ctx, (tx) => queueDeliveries(tx, many));
    const rows = await rowsOf("webhook_deliveries", ctx.project_id);
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect(ids.map((id) => JSON.parse(byId.get(id)?.body).data.nth)).toEqual(many.map(({ data }) => data.nth));
    expect(ids.map((id) => JSON.parse(byId.get(id)?.body).id)).toEqual(ids);
    const placeOf = (nth: number) => byId.get(ids[nth] ?? "");
    expect(placeOf(0)).toMatchObject({ host: "", environment_id: null, url: "no URL at all" });
    expect(placeOf(1)).toMatchObject({ host: "hooks.example.com:8001", environment_id });
    expect(await inTransaction(ctx, (tx) => queueDeliveries(tx, []))).toEqual([]);
  });

  it("of a change that was rolled back is not sent", async () => {
    const ctx = await projectCtx();
    await rolledBack(ctx, (tx) => queueDelivery(tx, { project_id: ctx.project_id, ...about, data: {} }));
    expect(await rowsOf("webhook_deliveries", ctx.project_id)).toEqual([]);
  });
});

describe("the outbox", () => {
  const anEntry = (project_id: string, more: Partial<OutboxEntry> = {}): OutboxEntry => ({
    project_id,
    transition_id: newId(),
    kind: "resume",
    target_id: "target",
    detail: { a: 1 },
    ...more,
  });

  it("keeps one entry when it is enqueued twice, within a list and over transactions", async () => {
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
    await rolledBack(ctx, (tx) => enqueueOutbox(tx, [anEntry(ctx.project_id)]));
    await inTransaction(ctx, (tx) => enqueueOutbox(tx, []));
    expect(await rowsOf("outbox", ctx.project_id)).toEqual([]);
  });

  const FIRST = "00000000-0000-0000-0000-000000000000";
  const NONE = { passed_over: [], most_per_project: 10, together: { kinds: ["many"], most: 50 } };
  const claim = (ctx: Ctx) => claimOutbox(ctx, { ...NONE, after: FIRST, room: 100, most: 10 });
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
    const { claimed } = await claimOutbox(loud, { ...NONE, after: before(loud.project_id), room: 2, most: 10 });
    expect(ofProject(quiet, claimed)).toHaveLength(1);
    const kinds = new Set(ofProject(loud, claimed).map(({ kind }) => kind));
    expect(kinds.size).toBe(1);
    expect(ofProject(loud, claimed)).toHaveLength(kinds.has("many") ? 50 : 10);

    // A project with two lanes in progress gets no third.
    const busy = ["one", "other"].map((kind) => ({ project_id: loud.project_id, kind, is_busy: true }));
    const next = { ...NONE, after: before(loud.project_id), room: 2, most: 10, most_per_project: 2, passed_over: busy };
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
    await rolledBack(ctx, (tx) => ackOutboxEntry(tx, entry));
    expect(await inTransaction(ctx, (tx) => ackOutboxEntry(tx, entry))).toBe(true);
  });
});

/** The greatest id before this one, approximately: ids begin with the time. */
function before(id: string): string {
  return `${id.slice(0, -12)}000000000000`;
}
