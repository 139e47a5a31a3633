import { randomBytes } from "node:crypto";
import { parseQuery } from "@millrace/contract/query-language/parse-query";
import { beforeAll, describe, expect, it } from "vitest";
import { appendRunChanges } from "../../../../test/seed/append-changes.ts";
import { type SeedRun, seedJob, seedRuns } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { newId } from "../../../platform/ids.ts";
import { conditionSql, resolveConditions } from "./run-conditions.ts";
import { findCandidates, findIndexCursor } from "./search-queries.ts";
import { searchRuns } from "./search-runs.ts";
import { payloadTerms } from "./search-terms.ts";

const BATCH = newId();
const KEY = newId();
const COUNT = 2_600; // more than are scanned before the index is used

let world: World;
let project: TestProject;
let ctx: ProjectCtx;

/** Most runs are alike, some have rare values; the last are not indexed, and the very last not even consumed. */
function makeRun(nth: number, job_id: string): SeedRun {
  const status = nth % 97 === 0 ? "canceled" : nth % 11 === 0 ? "failed" : nth % 400 === 7 ? "waiting" : "completed";
  return {
    job_id,
    status,
    payload: { nth, group: nth % 500, user: { id: nth % 2 === 0 ? nth % 700 : String(nth % 700) }, kind: "order" },
    tags: { region: nth % 3 === 0 ? "eu" : "us", ...(nth % 650 === 1 && { rare: "yes" }) },
    concurrency_key: `tenant-${nth % 300}`,
    created_by: nth % 1_000 === 5 ? "alice" : "seed",
    ...(nth % 900 === 6 && { created_by_id: KEY }),
    ...(nth % 800 === 9 && { batch_id: BATCH }),
    ...(status === "failed" && {
      error: { code: "boom", message: `failed at ${nth}` },
      is_dead_letter: nth % 22 === 0,
    }),
    ...(nth % 900 === 30 && { payload: { nth, long: randomBytes(3_000).toString("base64") } }),
    ...(nth % 1_300 === 12 && { payload: { big: Array.from({ length: 600 }, (_, n) => `${nth}-${n}`) } }),
  };
}

beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  ctx = { ...world.callerCtx(), project_id: project.id };
  const job = await seedJob(world.connection, project.id, { slug: "common" });
  const runs = Array.from({ length: COUNT }, (_, nth) => makeRun(nth, job.id));
  await seedRuns(world.connection, project.id, runs.slice(0, 2_000));
  while (await world.tick("sum-changes"));
  await seedRuns(world.connection, project.id, runs.slice(2_000, 2_450));
  while (await world.tick("sum-changes"));
  await seedRuns(world.connection, project.id, runs.slice(2_450));
}, 60_000);

async function conditionsOf(q: string) {
  const parsed = parseQuery(q);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return resolveConditions(
    ctx,
    parsed.terms.map((term) => term.condition),
  );
}

/** Checks every run one by one. */
async function expected(q: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from runs r where r.project_id = ${project.id} ${conditionSql(project.id, await conditionsOf(q))}
    order by r.id desc`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

async function pages(q: string, order: "asc" | "desc", limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = new URLSearchParams({ q, order, limit: String(limit), ...(cursor && { cursor }) });
    const { status, body } = await project.api.get(`/v1/runs?${query}`);
    expect(status).toBe(200);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
  }
  return seen;
}

const QUERIES = [
  "payload.nth:17",
  "payload.nth:2599",
  "payload.nth:930",
  "payload.nth:-1",
  "payload.group:123",
  'payload.user.id:"701"',
  "payload.user.id:4",
  'payload.user.id:"5"',
  'payload:{"kind":"order","group":12}',
  'payload:{"big":["12-599"]}',
  'payload:{"big":["1312-3"]}',
  "status:canceled",
  "status:failed",
  "status:waiting",
  "status:waiting,canceled",
  "status:pending",
  "-status:completed",
  "tag:rare",
  "tag:rare:yes",
  "tag:rare:no",
  "tag:region:eu status:canceled",
  "key:tenant-7",
  "key:tenant-7,tenant-8 status:failed",
  "by:alice",
  `by:${KEY}`,
  `-by:${KEY} status:canceled`,
  `batch:${BATCH}`,
  "is:dead",
  "is:dead payload.group:11",
  "is:ended tag:rare",
  'error:"failed at 2"',
  'error:"failed at 2","failed at 3",nothing',
  "job:common status:canceled",
  "job:common -tag:region payload.nth:1",
  "payload.kind:order",
  "status:completed payload.group:1",
];

describe("searching runs", () => {
  it.each(QUERIES)("R7 finds exactly the runs that a full scan finds: %s", async (q) => {
    const wanted = await expected(q);
    expect(await pages(q, "desc", 100)).toEqual(wanted);
    expect(await pages(q, "asc", 99)).toEqual(wanted.toReversed());
  });

  it("R7 uses a run's current status, tags and payload, even if they changed since it was indexed or consumed", async () => {
    const [waiting] = await expected("status:waiting");
    await runSql(
      world.connection,
      "update runs set status = 'canceled', prev_status = 'waiting', finished_at = clock(), tags = '{\"late\": \"1\"}' where id = $1",
      [waiting],
    );
    await runSql(
      world.connection,
      `with logged as (
         insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
         values ($1, $2, 3, 'waiting', 'canceled', 'canceled', 1, clock()) returning *
       )
       ${appendRunChanges()}`,
      [project.id, waiting],
    );
    expect(await pages("tag:late status:canceled", "desc", 10)).toEqual([waiting]);
    while (await world.tick("sum-changes"));
    expect(await pages("tag:late status:canceled", "desc", 10)).toEqual([waiting]);
    expect(await pages("status:canceled", "desc", 100)).toEqual(await expected("status:canceled"));
  });

  it("R7 works with an empty index: runs are scanned in bounded pages", async () => {
    await runSql(world.connection, "update log_cursors set consumer = 'elsewhere' where consumer = 'sum-changes'");
    expect(await pages("payload.nth:17", "desc", 10)).toEqual(await expected("payload.nth:17"));
    await runSql(world.connection, "update log_cursors set consumer = 'sum-changes' where consumer = 'elsewhere'");
  });

  it("O6 shows no run twice and skips none, even if runs are created and indexed between pages", async () => {
    const before = await expected("tag:region:eu");
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query = new URLSearchParams({ q: "tag:region:eu", limit: "90", ...(cursor && { cursor }) });
      const { body } = await project.api.get(`/v1/runs?${query}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
      await seedRuns(world.connection, project.id, [{ tags: { region: "eu" }, status: "completed" }]);
      await world.tick("sum-changes");
    }
    expect(seen).toEqual(before);
  });

  it("A2 a key bound to an environment finds only that environment's runs", async () => {
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const [id] = await seedRuns(world.connection, project.id, [
      { environment_id: staging, status: "completed", payload: { nth: 17 } },
    ]);
    while (await world.tick("sum-changes"));
    const { api } = await project.newKey({ environment_id: staging });
    const { body } = await api.get(`/v1/runs?payload_contains=${encodeURIComponent('{"nth":17}')}`);
    expect(body.data.map((run: { id: string }) => run.id)).toEqual([id]);
  });

  it("finds nothing of another project", async () => {
    const other = await world.project();
    const { body } = await other.api.get("/v1/runs?status=completed");
    expect(body.data).toEqual([]);
  });

  it("reads few runs when it looks for rare values", async () => {
    const found = await searchRuns(ctx, await conditionsOf("payload.nth:3"), { order: "desc", after_id: null }, 51);
    expect([found.rows.length, found.stopped_at]).toEqual([1, null]);
  });
});

describe("reads", () => {
  const everything = { above: "00000000-0000-0000-0000-000000000000", below: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
  const look = async (among: { statuses: string[] | null; all_of: number[] }) => {
    const { position = 0 } = (await findIndexCursor(ctx)) ?? {};
    const range = { ...everything, order: "desc" as const };
    return findCandidates(ctx, range, { position }, { ...among, any_of: [], lasting: [], blocks: 64, singles: 1_000 });
  };

  it("only the runs of a block that may match", async () => {
    const all_of = payloadTerms(project.id, { group: 123 });
    const { indexed } = await look({ statuses: ["completed"], all_of });
    const holding = await expected("payload.group:123 status:completed");
    expect(indexed).toEqual(expect.arrayContaining(holding.slice(-3)));
    const big = await expected('payload:{"big":[]}'); // these are always read
    expect(indexed.length).toBeLessThan(holding.length + big.length + 60);
  });

  it("only the live runs in a requested status", async () => {
    const [paused] = await seedRuns(world.connection, project.id, [{ status: "paused" }, { status: "pending" }]);
    while (await world.tick("sum-changes"));
    const { unindexed } = await look({ statuses: ["paused"], all_of: [] });
    expect(unindexed).toEqual([paused]);
    expect(await pages("status:paused", "desc", 10)).toEqual([paused]);
  });
});

describe("the search index", () => {
  const blocks = () =>
    runSql<{ status: string; count: number; has_terms: boolean }>(
      world.connection,
      `select status, cardinality(run_ids) as count, terms is not null as has_terms
       from run_blocks where project_id = $1 order by id`,
      [project.id],
    );

  it("groups ended runs of a status into blocks of 128, each run once", async () => {
    const all = await blocks();
    expect(all.every(({ count, has_terms }) => count === 128 || !has_terms || count >= 126)).toBe(true);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(["completed", "failed"]));
    const [twice] = await runSql<{ count: number }>(
      world.connection,
      `select count(*)::int as count from (
         select id from (select unnest(run_ids) as id from run_blocks union all select run_id from unindexed_runs) t
         group by id having count(*) > 1) twice`,
    );
    expect(twice?.count).toBe(0);
  });

  it("keeps live runs and the remainder on a list", async () => {
    const rows = await runSql<{ ended_status: string | null; count: number }>(
      world.connection,
      "select ended_status, count(*)::int as count from unindexed_runs where project_id = $1 group by 1",
      [project.id],
    );
    expect(rows.every(({ count }) => count < 128)).toBe(true);
    expect(rows.some(({ ended_status }) => ended_status === null)).toBe(true);
  });

  it("is idempotent when two instances run it at once", async () => {
    await seedRuns(
      world.connection,
      project.id,
      Array.from({ length: 300 }, (_, nth) => ({ status: "completed" as const, payload: { twice: nth } })),
    );
    await Promise.all([world.tick("sum-changes"), world.tick("sum-changes"), world.tick("sum-changes")]);
    while (await world.tick("sum-changes"));
    expect(await pages("payload.twice:299", "desc", 10)).toHaveLength(1);
    const [run] = await runSql<{ count: number }>(
      world.connection,
      "select count(*)::int as count from run_blocks, unnest(run_ids) as indexed where indexed in (select id from runs where payload ? 'twice')",
    );
    expect(run?.count).toBeLessThanOrEqual(300);
  });

  it("leaves out runs that were deleted before they filled a block", async () => {
    const other = await world.project();
    const seed = (count: number) =>
      seedRuns(
        world.connection,
        other.id,
        Array.from({ length: count }, () => ({ status: "completed" as const })),
      );
    const [deleted] = await seed(100);
    while (await world.tick("sum-changes"));
    await runSql(world.connection, "delete from runs where id = $1", [deleted]);
    await seed(28);
    while (await world.tick("sum-changes"));
    const left = await runSql(
      world.connection,
      `select cardinality(run_ids) as count, array(select run_id from unindexed_runs where project_id = $1) as listed
       from run_blocks where project_id = $1`,
      [other.id],
    );
    expect(left).toEqual([{ count: 127, listed: [] }]);
  });

  it("deletes blocks a week after RUN_RETENTION", async () => {
    const now = await world.clock.now();
    const secs = world.ctx.config.run_retention_secs + 8 * 86_400;
    await world.clock.set(new Date(Date.parse(now) + secs * 1_000).toISOString());
    while (await world.tick("remove-old-rows"));
    expect(await blocks()).toEqual([]);
  });
});

describe("an unknown slug in q", () => {
  it("is rejected with its position, as in a parameter", async () => {
    for (const [q, what] of [
      ["job:nope", "a job"],
      ["-env:nope", "an environment"],
    ] as const) {
      const { status, body } = await project.api.get(`/v1/runs?q=${encodeURIComponent(q)}`);
      const message = `${q.replace("-", "")} is not ${what} of this project`;
      expect([status, body.errors]).toEqual([422, [{ location: "query.q", message, value: "nope" }]]);
    }
    const { body } = await project.api.post("/v1/runs/bulk-cancel-all", { filter: { q: "job:nope" } });
    expect(body.errors).toMatchObject([{ location: "body.filter.q" }]);
    expect((await project.api.get("/v1/runs?q=job:common&limit=1")).status).toBe(200);
  });
});
