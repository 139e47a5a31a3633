import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { cloneDatabase, emptyDatabase, runSql, type TestConnection } from "../../test/world/database.ts";
import { migrationNames } from "../platform/database/migrate.ts";
import { StartError } from "../platform/start-error.ts";
import { migrateWhenReachable } from "./start-database.ts";

const silent = pino({ level: "silent" });

const start = (connection: TestConnection) => migrateWhenReachable({ work: connection, direct: connection }, silent);

async function tablesOf(connection: TestConnection): Promise<string[]> {
  const rows = await runSql<{ name: string }>(
    connection,
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  );
  return rows.map(({ name }) => name);
}

describe("a start", () => {
  it("refuses the schema of a version from before the first release, and changes nothing", async () => {
    const connection = await emptyDatabase();
    await runSql(
      connection,
      `create table migrations (id serial primary key, name text not null, run_on timestamp not null);
       insert into migrations (name, run_on) values ('0001_clock', now()), ('0064_limits_of_waiting_runs', now());
       create table projects (id uuid primary key);`,
    );
    const error = await start(connection).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(error.message).toMatch(
      /^The database cannot be upgraded: its schema \(0064_limits_of_waiting_runs\) was created by a development version from before the first release, .* Nothing was changed\. Start with an empty database .* \/docs\/operate\/upgrade explains upgrades\.$/,
    );
    expect(await tablesOf(connection)).toEqual(["migrations", "projects"]);
  });

  it("applies only what is pending", async () => {
    const connection = await cloneDatabase();
    await runSql(connection, "delete from migrations where name = '0015_statistics'");
    await start(connection);
    const rows = await runSql<{ name: string }>(connection, "select name from migrations order by name");
    expect(rows.map(({ name }) => name)).toEqual(migrationNames());
  });

  it("accepts the schema of a newer version", async () => {
    const connection = await cloneDatabase();
    await runSql(connection, "insert into migrations (name, run_on) values ('9999_of_a_newer_version', now())");
    await start(connection);
    const rows = await runSql(connection, "select count(*)::int as count from migrations");
    expect(rows).toEqual([{ count: migrationNames().length + 1 }]);
  });
});
