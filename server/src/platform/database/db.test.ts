import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, dropDatabase, type TestConnection } from "../../../test/database.ts";
import { openDatabase } from "./db.ts";

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

async function settingsOf(own: { lock_timeout?: number } = {}) {
  const { db, close } = openDatabase({ ...connection, ...own }, connection, pino({ level: "silent" }));
  const { rows } = await sql<{ lock: string; statement: string }>`
    select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`.execute(db);
  await close();
  return rows[0];
}

describe("a session of the service", () => {
  it("waits two seconds for a lock and five for a statement", async () => {
    expect(await settingsOf()).toEqual({ lock: "2s", statement: "5s" });
  });

  it("waits for a lock as long as its connection says", async () => {
    expect(await settingsOf({ lock_timeout: 700 })).toEqual({ lock: "700ms", statement: "5s" });
    expect(await settingsOf({ lock_timeout: 0 })).toEqual({ lock: "0", statement: "5s" });
  });
});
