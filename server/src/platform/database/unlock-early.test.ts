import { join } from "node:path";
import { pino } from "pino";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirForFile } from "../../../test/embedded-postgres/temporary-dir.ts";
import { until } from "../../../test/world/until.ts";
import { withClient } from "../embedded-postgres/connection.ts";
import { isRunning } from "../embedded-postgres/running-process.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embedded-postgres/start-embedded-postgres.ts";
import { type Db, openDatabase } from "./db.ts";
import { sql } from "./sql.ts";
import { LONG_TIMEOUTS } from "./timeouts.ts";

/** Writes what is not waited for only every ten seconds, so that a crash before that would lose it. */
const settings = { synchronous_commit: "on", wal_writer_delay: "10s", wal_writer_flush_after: "1GB" };
const dataDir = join(temporaryDirForFile(), "data");

let server: EmbeddedPostgres;
const start = async () => {
  server = await startEmbeddedPostgres({ dataDir, settings, fsync: false, say: () => {} });
};
beforeAll(async () => {
  await start();
  await run("create table counters (name text primary key, value integer not null)");
  return () => server.stop();
});

const run = <Row extends object>(text: string) =>
  withClient(server.connection, async (client) => {
    await client.query("set synchronous_commit = off");
    return (await client.query<Row>(text)).rows;
  });

function open(): Db {
  const { db, close } = openDatabase(server.connection, server.connection, pino({ level: "silent" }), LONG_TIMEOUTS);
  onTestFinished(close);
  return db;
}

async function changed(db: Db, name: string) {
  const trx = await db.begin();
  await sql`insert into counters values (${name}, 1)`.execute(trx);
  return trx;
}

/** Commits wait for a standby that does not exist, as for a slow disk. The setting takes effect some time later. */
async function holdCommits(): Promise<() => Promise<void>> {
  await run("alter system set synchronous_standby_names = 'nobody'");
  await run("select pg_reload_conf()");
  const release = async () => {
    await run("alter system reset synchronous_standby_names");
    await run("select pg_reload_conf()");
  };
  onTestFinished(release);
  return release;
}

/** Whether a session that sent this waits for the standby. */
async function isHeld(sent: string): Promise<boolean> {
  const activity = "select query from pg_stat_activity where wait_event = 'SyncRep'";
  return (await run<{ query: string }>(activity)).some(({ query }) => query.includes(sent));
}

async function isLocked(name: string): Promise<boolean> {
  const rows = await run(`select 1 from counters where name = '${name}' for update skip locked`);
  return rows.length === 0;
}

describe("a commit that unlocks early", () => {
  it("ends its locks before it is on disk, and resolves when it is", async () => {
    const db = open();
    const release = await holdCommits();
    let others = 0;
    let ended = 0;
    await until("a commit to be held", 20_000, async () => {
      if (ended === others) void (await changed(db, `other ${others++}`)).commit().then(() => ended++);
      return isHeld("commit");
    });
    const trx = await changed(db, "early");
    let isCommitted = false;
    const committing = trx.commit({ unlocksEarly: true }).then(() => {
      isCommitted = true;
    });
    await until("its commit to be held", 20_000, () => isHeld("pg_logical_emit_message"));
    expect([await isLocked("early"), isCommitted]).toEqual([false, false]);
    await release();
    await committing;
  });

  it("survives a crash of the server", async () => {
    const trx = await changed(open(), "kept");
    await trx.commit({ unlocksEarly: true });
    process.kill(server.pid, "SIGKILL");
    await until("the server to be gone", 20_000, () => !isRunning(server.pid));
    await start();
    expect(await run("select value from counters where name = 'kept'")).toEqual([{ value: 1 }]);
  });

  it("reports the statement that failed, and changes nothing", async () => {
    const db = open();
    const trx = await changed(db, "failed");
    const failing = sql`select 1 / 0`.execute(trx);
    const committing = trx.commit({ unlocksEarly: true });
    await expect(failing).rejects.toThrow(/zero/);
    await expect(committing).rejects.toThrow(/zero/);
    await trx.rollback();
    expect(await run("select value from counters where name = 'failed'")).toEqual([]);
  });
});
