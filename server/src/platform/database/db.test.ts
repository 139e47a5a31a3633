import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakePooler } from "../../../test/outside/fake-pooler.ts";
import { cloneDatabase, dropDatabase, type TestConnection } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { type Db, openDatabase } from "./db.ts";
import { sql } from "./sql.ts";
import { LONG_TIMEOUTS, TIMEOUTS, type Timeouts } from "./timeouts.ts";

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

const log = pino({ level: "silent" });

async function settingsOf(timeouts: Timeouts) {
  const { db, close } = openDatabase(connection, connection, log, timeouts);
  const settings = await readSettings(db);
  await close();
  return settings;
}

async function readSettings(db: Db) {
  const { rows } = await sql<{ lock: string; statement: string; jit: string; seqscan: string }>`
    select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
      current_setting('jit') as jit, current_setting('enable_seqscan') as seqscan`.execute(db);
  return rows[0];
}

/** Changes a default of the database, as its operator might have done. */
async function byDefault(setting: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`alter database ${connection.database} set ${setting}`);
  await client.end();
}

describe("a session of the service", () => {
  it("waits two seconds for a lock and five for a statement, and uses no JIT, regardless of the server's defaults", async () => {
    await byDefault("jit = on");
    expect(await settingsOf(TIMEOUTS)).toEqual({ lock: "2s", statement: "5s", jit: "off", seqscan: "off" });
  });

  it("keeps the first plan of a marked statement, and plans the others with their values", async () => {
    const { db, close } = openDatabase({ ...connection, max: 1 }, connection, log, LONG_TIMEOUTS);
    const marked = (on: Pick<Db, "query">, text: string) =>
      sql`
      /* prepared */
      select ${text}::text as text, current_setting('plan_cache_mode') as mode`.execute(on);
    const other = (on: Pick<Db, "query">, text: string) =>
      sql<{ mode: string }>`
      select ${text}::text, current_setting('plan_cache_mode') as mode`.execute(on);
    const modes = async (on: Pick<Db, "query">) =>
      (await Promise.all([other(on, "a"), marked(on, "b"), marked(on, "c"), other(on, "d")])).map(
        ({ rows }) => (rows[0] as { mode: string }).mode,
      );
    const chosen = ["auto", "force_generic_plan", "force_generic_plan", "auto"];
    const trx = await db.begin();
    expect(await modes(trx)).toEqual(chosen);
    await marked(trx, "e");
    await expect(sql`select ${"1"}::int / 0`.execute(trx)).rejects.toThrow(/zero/);
    await trx.rollback();
    const again = await db.begin();
    expect(await modes(again)).toEqual(chosen);
    const { rows } = await sql`
      select generic_plans::int, custom_plans::int from pg_prepared_statements where statement like '%as text%'`.execute(
      again,
    );
    expect(rows).toEqual([{ generic_plans: 5, custom_plans: 0 }]);
    await again.commit();
    await close();
  });

  it("waits for a lock as long as for a statement in tests", async () => {
    expect(await settingsOf(LONG_TIMEOUTS)).toMatchObject({ lock: "0", statement: "5s" });
  });

  it("behind a pooler is opened without settings: each transaction sets its own and leaves none behind", async () => {
    await byDefault("jit = on");
    const pooled = { connectionString: await fakePooler(connection), max: 1 };
    const { db, close } = openDatabase(pooled, connection, log, TIMEOUTS);
    const trx = await db.begin();
    expect(await readSettings(trx)).toEqual({ lock: "2s", statement: "5s", jit: "off", seqscan: "on" });
    await trx.commit();
    expect(await readSettings(db)).toEqual({ lock: "0", statement: "0", jit: "on", seqscan: "on" });
    await close();
  });
});

describe("statements that are sent together", () => {
  const pidOn = (db: Db) => sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.02)`.executeTogether(db);
  const pidsOn = async (db: Db, count: number) =>
    (await Promise.all(Array.from({ length: count }, () => pidOn(db)))).map(({ rows }) => rows[0]?.pid);

  it("share a connection, and return it", async () => {
    const { db, readPool, close } = openDatabase(connection, connection, log, LONG_TIMEOUTS);
    expect(new Set(await pidsOn(db, 10)).size).toBe(1);
    expect(new Set(await pidsOn(db, 10)).size).toBe(1);
    expect(readPool()).toEqual({ busy: 0, idle: 1, waiting: 0 });
    await close();
  });

  it("do not fail with one of them", async () => {
    const { db, readPool, close } = openDatabase(connection, connection, log, LONG_TIMEOUTS);
    const [before, failing, after] = [pidOn(db), sql`select 1 / 0`.executeTogether(db), pidOn(db)];
    await expect(failing).rejects.toThrow("division by zero");
    expect((await after).rows).toEqual((await before).rows);
    expect(await pidsOn(db, 2)).toHaveLength(2);
    expect(readPool().busy).toBe(0);
    await close();
  });

  it("get another connection after theirs is lost", async () => {
    const { db, readPool, close } = openDatabase(connection, connection, log, LONG_TIMEOUTS);
    const lost = [pidOn(db), sql`select pg_terminate_backend(pg_backend_pid())`.executeTogether(db), pidOn(db)];
    expect((await Promise.allSettled(lost)).slice(1).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    // The pool learns of it when the socket is closed.
    const pids = await until("another connection", 20_000, () => pidsOn(db, 3).catch(() => undefined));
    expect(new Set(pids).size).toBe(1);
    expect(readPool().busy).toBe(0);
    await close();
  });
});
