import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, dropDatabase, type TestConnection } from "../../../test/database.ts";
import { openDatabase } from "./db.ts";
import { LONG_PATIENCE, PATIENCE, type Patience } from "./patience.ts";

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

async function settingsOf(patience: Patience) {
  const { db, close } = openDatabase(connection, connection, pino({ level: "silent" }), patience);
  const { rows } = await sql<{ lock: string; statement: string }>`
    select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`.execute(db);
  await close();
  return rows[0];
}

describe("a session of the service", () => {
  it("waits two seconds for a lock and five for a statement", async () => {
    expect(await settingsOf(PATIENCE)).toEqual({ lock: "2s", statement: "5s" });
  });

  it("waits for a lock as long as for a statement where tests are made with it", async () => {
    expect(await settingsOf(LONG_PATIENCE)).toEqual({ lock: "0", statement: "5s" });
  });
});
