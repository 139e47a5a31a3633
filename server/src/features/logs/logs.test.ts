import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { parseConfig } from "../../platform/settings/config.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
});

async function found(query: string, client = project.api): Promise<string[]> {
  const { status, body } = await client.get(`/v1/logs${query}`);
  expect(status).toBe(200);
  return body.data.map((line: { message: string }) => line.message);
}

describe("GET /v1/logs", () => {
  it("R13 finds lines of all runs by text, level, job, run and time, newest first", async () => {
    const job = await seedJob(world.connection, project.id, { slug: "talkative" });
    const one = await runningRun(world, project, { job_id: job.id });
    const two = await runningRun(world, project, { timeout_secs: 7_200 });
    await one.sdk.post("/log", { message: "Payment refused: 100%", level: "error" });
    await world.clock.pass("1h");
    await two.sdk.post("/log", { message: "payment taken" });
    const [first, second] = ["Payment refused: 100%", "payment taken"];
    expect(await found("")).toEqual([second, first]);
    expect(await found("?order=asc")).toEqual([first, second]);
    expect(await found("?q=PAYMENT")).toEqual([second, first]);
    expect(await found("?level=error")).toEqual([first]);
    expect(await found(`?job_id=${job.id}`)).toEqual([first]);
    expect(await found("?job_id=talkative")).toEqual([first]);
    expect(await found(`?run_id=${two.run_id}`)).toEqual([second]);
    expect(await found("?from=2030-01-01T01:00:00Z")).toEqual([second]);
    expect(await found("?to=2030-01-01T01:00:00Z")).toEqual([first]);
  });

  it("R13 filters by several levels, by a minimum level, and by workflow run", async () => {
    const mine = await world.project();
    const workflow_run_id = await seedWorkflowRun(world.connection, mine.id);
    const run = await runningRun(world, mine);
    await runSql(world.connection, "update runs set workflow_run_id = $2 where id = $1", [run.run_id, workflow_run_id]);
    for (const level of ["debug", "info", "warn", "error"]) await run.sdk.post("/log", { message: level, level });
    await (await runningRun(world, mine)).sdk.post("/log", { message: "elsewhere" });
    const ask = (query: string) => found(`?order=asc&${query}`, mine.api);
    expect(await ask("level=debug,error")).toEqual(["debug", "error"]);
    expect(await ask("min_level=warn")).toEqual(["warn", "error"]);
    expect(await ask("min_level=debug")).toHaveLength(5);
    expect(await ask(`workflow_run_id=${workflow_run_id}`)).toEqual(["debug", "info", "warn", "error"]);
    expect(await ask(`workflow_run_id=${workflow_run_id}&min_level=error`)).toEqual(["error"]);
    expect(await ask(`workflow_run_id=${run.run_id}`)).toEqual([]);
  });

  it("O6 pages through sparse matches with neither gaps nor repeats, in bounded steps", async () => {
    const mine = await world.project();
    const { run_id } = await runningRun(world, mine);
    await runSql(
      world.connection,
      `insert into run_logs (project_id, run_id, id, job_id, attempt, level, message, logged_at, created_at)
       select $1, $2, lpad(to_hex(n), 32, '0')::uuid, $2, 1, 'info', 'line ' || n || case when n % 9000 = 1 then ' needle' else '' end,
         (select clock()), (select clock()) + (n / 7) * interval '1 ms'
       from generate_series(1, 27000) n`,
      [mine.id, run_id],
    );
    for (const order of ["asc", "desc"]) {
      const shown: string[] = [];
      let pages = 0;
      for (let cursor: string | null = ""; cursor !== null; pages++) {
        const response = await mine.api.get(`/v1/logs?q=NEEDLE&limit=2&order=${order}${cursor && `&cursor=${cursor}`}`);
        shown.push(...response.body.data.map((line: { message: string }) => line.message));
        cursor = response.body.next_cursor;
      }
      const wanted = [1, 9001, 18001].map((n) => `line ${n} needle`);
      expect(shown).toEqual(order === "asc" ? wanted : wanted.toReversed());
      expect(pages).toBeLessThanOrEqual(4);
    }
    await runSql(world.connection, "delete from run_logs where run_id = $1", [run_id]);
  });

  it.each([
    ["100%25", 1],
    ["1_0", 0],
    ["%25", 1],
    ["refused:%20", 1],
  ])("R13 matches the text literally: %s", async (q, count) => {
    expect(await found(`?q=${q}`)).toHaveLength(count);
  });

  it("R13 pages with a cursor that is bound to the filters", async () => {
    const one = (await project.api.get("/v1/logs?limit=1")).body;
    expect((await project.api.get(`/v1/logs?limit=1&cursor=${one.next_cursor}`)).body.data).toHaveLength(1);
    const other = await project.api.get(`/v1/logs?q=x&cursor=${one.next_cursor}`);
    expect([other.status, other.body.code]).toEqual([400, "invalid_cursor"]);
  });

  it("A2 R13 shows no line of another project, nor of an environment other than the key's or the requested one", async () => {
    const other = await world.project();
    expect(await found("", other.api)).toEqual([]);
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const bound = await project.newKey({ environment_id: staging });
    expect(await found("", bound.api)).toEqual([]);
    const inStaging = await runningRun(world, project, { environment_id: staging });
    await inStaging.sdk.post("/log", { message: "staged" });
    expect(await found("", bound.api)).toEqual(["staged"]);
    expect(await found("?environment_id=staging")).toEqual(["staged"]);
    expect(await found(`?environment_id=${staging}&q=stag`)).toEqual(["staged"]);
    expect(await found("?environment_id=production")).not.toContain("staged");
    expect((await project.api.get("/v1/logs?environment_id=nowhere")).status).toBe(422);
  });

  it("A11 403 without runs:read", async () => {
    const { api } = await project.newKey({ scopes: ["jobs:read"] });
    expect((await api.get("/v1/logs")).body.code).toBe("scope_missing");
  });

  it.each([
    "?q=",
    "?level=loud",
    "?level=info,",
    "?min_level=loud",
    "?workflow_run_id=x",
    "?run_id=x",
    "?from=soon",
    "?from=0000-01-01T00:00:00Z",
    "?text=x",
  ])("422 for %s", async (query) => {
    expect((await project.api.get(`/v1/logs${query}`)).status).toBe(422);
  });
});

describe("keep-partitions", () => {
  const partitionsOf = async (table: string) => {
    const rows = await runSql<{ name: string }>(
      world.connection,
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1",
      [table],
    );
    return rows.map(({ name }) => name);
  };
  const whereIs = async (message: string) => {
    const [row] = await runSql<{ partition: string }>(
      world.connection,
      "select tableoid::regclass::text as partition from run_logs where message = $1",
      [message],
    );
    return row?.partition;
  };

  it("uses the same statistics sample size for a new partition as for the table", async () => {
    await keepPartitions();
    for (const table of ["run_logs", "run_transitions", "workflow_decisions"]) {
      const samples = await runSql<{ table: string; targets: string }>(
        world.connection,
        `select a.attrelid::regclass::text as table, string_agg(a.attname || '=' || a.attstattarget, ' ' order by a.attname) as targets
         from pg_attribute a
         where a.attnum > 0 and a.attstattarget is not null and (a.attrelid = $1::regclass
           or a.attrelid in (select inhrelid from pg_inherits where inhparent = $1::regclass))
         group by a.attrelid`,
        [table],
      );
      expect(samples.map((sample) => sample.table).toSorted()).toEqual(
        [table, ...(await partitionsOf(table))].toSorted(),
      );
      expect(new Set(samples.map(({ targets }) => targets)).size).toBe(1);
      expect(samples[0]?.targets).toContain(table === "run_logs" ? "fields=0" : "detail=0");
    }
  });

  it("creates partitions where dropped columns still have a sample size, as on PostgreSQL 15 and 16", async () => {
    await world.clock.set("2034-06-01T00:00:00Z");
    await runSql(world.connection, "alter table run_logs add column dropped int");
    await runSql(world.connection, "alter table run_logs drop column dropped");
    const dropped = await runSql(
      world.connection,
      `update pg_attribute set attstattarget = 0
       where attrelid = 'run_logs'::regclass and attisdropped returning attname`,
    );
    expect(dropped).toHaveLength(1);
    await world.tick("keep-partitions");
    expect(await partitionsOf("run_logs")).toContain("run_logs_20340601");
  });

  it("creates the partitions of today and the next three days, and moves earlier rows into them", async () => {
    await world.clock.set("2035-03-30T10:00:00Z");
    const { sdk } = await runningRun(world, project);
    await sdk.post("/log", { message: "early" });
    expect(await whereIs("early")).toBe("run_logs_rest");
    expect(await keepPartitions()).toBe(false);
    const days = ["20350330", "20350331", "20350401", "20350402"];
    for (const table of ["run_logs", "run_transitions"]) {
      expect(await partitionsOf(table)).toEqual([...days.map((day) => `${table}_${day}`), `${table}_rest`]);
    }
    expect(await whereIs("early")).toBe("run_logs_20350330");
    await world.clock.set("2035-04-02T23:59:59.999Z");
    await (await runningRun(world, project)).sdk.post("/log", { message: "late" });
    expect(await whereIs("late")).toBe("run_logs_20350402");
    expect(await found("?q=early")).toEqual(["early"]);
  });

  it("is idempotent, also under concurrent passes", async () => {
    await world.clock.set("2035-05-01T00:00:00Z");
    await Promise.all(Array.from({ length: 8 }, keepPartitions));
    const once = await partitionsOf("run_logs");
    await keepPartitions();
    expect(await partitionsOf("run_logs")).toEqual(once);
    expect(once).toContain("run_logs_20350504");
  });

  it("waits for a concurrent drop of the same day, and then finds it gone", async () => {
    await world.clock.set("2037-03-01T00:00:00Z");
    await keepPartitions();
    // On a busy machine it may exceed its lock timeout: then it is tried once more.
    const waitedFor = await until("both to drop the day", 20_000, () => dropTogether().catch(() => undefined));
    expect(waitedFor).toEqual(['lock table only "run_logs" in access exclusive mode']);
    expect(await partitionsOf("run_logs")).not.toContain("run_logs_20370101");
  });

  /** Returns the statement at which the second one waits while the first has dropped the day but not committed yet. */
  async function dropTogether(): Promise<string[]> {
    await runSql(
      world.connection,
      `create table if not exists run_logs_20370101 partition of run_logs
       for values from ('2037-01-01T00:00:00Z') to ('2037-01-02T00:00:00Z')`,
    );
    // `pg_stat_activity` samples a statement and its wait at two moments: once it is known to wait, its statement is
    // read.
    const waiting = () =>
      runSql<{ query: string }>(
        world.connection,
        "select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
    const [rows, second] = await inTransaction(world.ctx, async (tx) => {
      await sql`lock table only run_logs in access exclusive mode`.execute(tx.db);
      await sql`drop table run_logs_20370101`.execute(tx.db);
      const ending = Promise.allSettled([world.tick("keep-partitions")]);
      await until("the second to wait", 20_000, async () => (await waiting()).length > 0 || undefined);
      return [await waiting(), ending] as const;
    });
    const [ended] = await second;
    if (ended.status === "rejected") throw ended.reason;
    return rows.map(({ query }) => query);
  }

  it("loses no line while runs are logging", async () => {
    await world.clock.set("2036-01-01T00:00:00Z");
    const { run_id, sdk } = await runningRun(world, project);
    const [, ...responses] = await Promise.all([
      keepPartitions(),
      ...Array.from({ length: 60 }, (_, n) => sdk.post("/log", { message: `busy ${n}` })),
    ]);
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await found(`?run_id=${run_id}&limit=100`)).toHaveLength(60);
  });

  it("drops lines by whole days after LOG_RETENTION, and transitions after RUN_RETENTION", async () => {
    await world.clock.set("2040-01-01T12:00:00Z");
    const { run_id, sdk } = await runningRun(world, project);
    await keepPartitions();
    await sdk.post("/log", { message: "kept for 30 days" });
    await world.clock.set("2040-01-31T23:59:59Z");
    await keepPartitions();
    expect(await partitionsOf("run_logs")).toContain("run_logs_20400101");
    await world.clock.set("2040-02-01T00:00:00Z");
    await keepPartitions();
    expect(await partitionsOf("run_logs")).not.toContain("run_logs_20400101");
    expect(await found(`?run_id=${run_id}`)).toEqual([]);
    expect(await partitionsOf("run_transitions")).toContain("run_transitions_20400101");
    await world.clock.set("2040-04-01T00:00:00Z");
    await keepPartitions();
    expect(await partitionsOf("run_transitions")).not.toContain("run_transitions_20400101");
  });

  it("deletes rows that never reached a partition by age, too", async () => {
    await world.clock.set("2045-01-01T00:00:00Z");
    await (await runningRun(world, project)).sdk.post("/log", { message: "left over" });
    await world.clock.set("2045-02-01T00:00:00Z");
    expect(await whereIs("left over")).toBe("run_logs_rest");
    await keepPartitions();
    expect(await whereIs("left over")).toBeUndefined();
  });
});

/** A vacuum or other transactions may hold a table for longer than the task waits: then the next pass tries again. */
async function keepPartitions(): Promise<boolean> {
  const pass = () => world.tick("keep-partitions").then((hasMore) => ({ hasMore }));
  return (await until("the tables to be free", 20_000, () => pass().catch(() => undefined))).hasMore;
}

describe("LOG_RETENTION and RUN_RETENTION", () => {
  const read = (env: Record<string, string>) => parseConfig("dev", env, "/srv/app");

  it("default to 30 and 90 days, and accept other durations", () => {
    expect(read({})).toMatchObject({ config: { log_retention_secs: 2_592_000, run_retention_secs: 7_776_000 } });
    const set = read({ LOG_RETENTION: "48h", RUN_RETENTION: "1h30m" });
    expect(set).toMatchObject({ config: { log_retention_secs: 172_800, run_retention_secs: 5_400 } });
  });

  it.each(["30 days", "0h", "-1h"])("are rejected as %j, by name", (text) => {
    const mistakes = ["LOG_RETENTION", "RUN_RETENTION"].map((name) => expect.stringContaining(`${name} is "${text}"`));
    expect(read({ LOG_RETENTION: text, RUN_RETENTION: text })).toEqual({ ok: false, mistakes });
  });
});
