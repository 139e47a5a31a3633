import { beforeAll, describe, expect, it } from "vitest";
import { appendRunChanges } from "../../../test/seed/append-changes.ts";
import { type SeedRun, seedRuns } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { findCandidates, findIndexCursor } from "./search/search-queries.ts";
import { payloadTerms } from "./search/search-terms.ts";

let world: World;
let project: TestProject;
let ctx: ProjectCtx;
let ids: string[];

const WAITING = 300; // more than one pass describes
const run = (nth: number): SeedRun => ({
  status: nth % 3 === 0 ? "paused" : "waiting",
  payload: { nth, half: nth % 2, ...(nth === 8 && { big: Array.from({ length: 600 }, (_, n) => `${n}`) }) },
  tags: { region: nth % 2 === 0 ? "eu" : "us" },
});

beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  ctx = { ...world.callerCtx(), project_id: project.id };
  ids = await seedRuns(
    world.connection,
    project.id,
    Array.from({ length: WAITING }, (_, nth) => run(nth)),
  );
  while (await world.tick("sum-changes"));
}, 60_000);

const EVERYTHING = { above: "00000000-0000-0000-0000-000000000000", below: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

async function findListed(contained: unknown): Promise<string[]> {
  const cursor = await findIndexCursor(ctx);
  if (!cursor) throw new Error("nothing is indexed");
  const all_of = payloadTerms(project.id, contained);
  const lasting = all_of.map((term) => [term]);
  const among = { statuses: null, all_of, any_of: [], lasting, blocks: 64, singles: 1_000 };
  return (await findCandidates(ctx, { ...EVERYTHING, order: "desc" }, cursor, among)).unindexed;
}

async function found(q: string): Promise<string[]> {
  const { body } = await project.api.get(`/v1/runs?${new URLSearchParams({ q, limit: "100" })}`);
  return body.data.map(({ id }: { id: string }) => id);
}

const undescribed = async () => {
  const [row] = await runSql<{ count: number }>(
    world.connection,
    "select count(*)::int as count from unindexed_runs where terms is null and project_id = $1",
    [project.id],
  );
  return row?.count;
};

const id = (nth: number) => ids[nth] ?? "";

describe("describe-waiting-runs", () => {
  it("skips runs that have waited only briefly: they may continue soon", async () => {
    await world.tick("describe-waiting-runs");
    expect(await undescribed()).toBe(WAITING);
    expect(await findListed({ nth: 17 })).toHaveLength(WAITING);
  });

  it("then records the terms of each, so that a search skips runs that lack one", async () => {
    await world.clock.pass("11m");
    while (await world.tick("describe-waiting-runs"));
    expect(await undescribed()).toBe(0);
    // The run with too many terms is always read.
    expect(new Set(await findListed({ nth: 17 }))).toEqual(new Set([id(17), id(8)]));
    expect(await findListed({ half: 1 })).toHaveLength(WAITING / 2 + 1);
  });

  it("R7 keeps waiting runs searchable", async () => {
    expect(await found("payload.nth:17")).toEqual([id(17)]);
    expect(await found('payload:{"big":["599"]}')).toEqual([id(8)]);
    expect(await found("status:paused payload.nth:3")).toEqual([id(3)]);
    expect(await found("status:paused payload.nth:4")).toEqual([]);
    expect(await found("payload.half:1 tag:region:us")).toHaveLength(100);
  });

  it("R7 finds them by tags they got since", async () => {
    await runSql(world.connection, 'update runs set tags = \'{"late": "1"}\' where id = $1', [id(20)]);
    expect(await found("tag:late payload.nth:20")).toEqual([id(20)]);
  });

  it("deletes the terms of a run once its status changes", async () => {
    await runSql(
      world.connection,
      `with logged as (
         insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
         values ($1, $2, 3, 'waiting', 'waiting', 'resumed', 1, clock()) returning *
       )
       ${appendRunChanges()}`,
      [project.id, id(22)],
    );
    await runSql(world.connection, "update runs set payload = '{\"nth\": 1000}' where id = $1", [id(22)]);
    while (await world.tick("sum-changes"));
    expect(await undescribed()).toBe(1);
    expect(await found("payload.nth:1000")).toEqual([id(22)]);
  });

  it("records nothing for a run that was deleted, and does not try again", async () => {
    await runSql(world.connection, "delete from runs where id = $1", [id(22)]);
    expect(await world.tick("describe-waiting-runs")).toBe(false);
    expect(await undescribed()).toBe(0);
  });
});

describe("GET /v1/runs among very many waiting runs", () => {
  it("R7 skips a bounded number at a time, and continues after them", async () => {
    await runSql(
      world.connection,
      `insert into unindexed_runs (project_id, run_id, living_status, terms)
       select $1, ('00' || substr(gen_random_uuid()::text, 3))::uuid, 'waiting', '{1}' from generate_series(1, 20500)`,
      [project.id],
    );
    const oldest = "00000000-0000-7000-8000-000000000001";
    await seedRuns(world.connection, project.id, [{ id: oldest, status: "waiting", payload: { oldest: true } }]);
    while (await world.tick("sum-changes"));
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query = new URLSearchParams({ q: "payload.oldest:true", ...(cursor && { cursor }) });
      const { body } = await project.api.get(`/v1/runs?${query}`);
      seen.push(...body.data.map((each: { id: string }) => each.id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual([oldest]);
  });
});
