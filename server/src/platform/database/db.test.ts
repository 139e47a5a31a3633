import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakePooler } from "../../../test/outside/fake-pooler.ts";
import { cloneDatabase, dropDatabase, type TestConnection } from "../../../test/world/database.ts";
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
