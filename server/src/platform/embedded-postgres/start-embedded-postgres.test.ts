import { chownSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirForFile } from "../../../test/embedded-postgres/temporary-dir.ts";
import { until } from "../../../test/world/until.ts";
import { adoptEmbeddedPostgres } from "./adopt-embedded-postgres.ts";
import { withClient } from "./connection.ts";
import { isRunning } from "./running-process.ts";
import { type StartOptions, startEmbeddedPostgres } from "./start-embedded-postgres.ts";
import { isSupervised } from "./supervisor.ts";

const dataDir = join(temporaryDirForFile(), "data");

describe("startEmbeddedPostgres", () => {
  test("creates a database, and starts it again with its data", async () => {
    const first = await start({ dataDir });
    await withClient(first.connection, (client) => client.query("create table kept as select 42 as answer"));
    await first.stop();

    const second = await start({ dataDir });
    const { rows } = await withClient(second.connection, (client) => client.query("select answer from kept"));

    expect(rows).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  test("is a stable PostgreSQL, regardless of the suffix of its npm package's version", async () => {
    const database = await start({ dataDir, fsync: false });
    const { rows } = await withClient(database.connection, (client) => client.query("select version()"));

    // Betas, release candidates and development builds are 19beta1, 19rc1 and 19devel.
    expect(rows).toEqual([{ version: expect.stringMatching(/^PostgreSQL \d+\.\d+ /) }]);
    await database.stop();
  });

  test("is durable, in UTF-8, with checksums, in UTC, and without a network", async () => {
    const database = await start({ dataDir });
    const settings = await withClient(database.connection, async (client) => {
      const names = [
        "fsync",
        "synchronous_commit",
        "data_checksums",
        "server_encoding",
        "TimeZone",
        "listen_addresses",
      ];
      const { rows } = await client.query("select name, setting from pg_settings where name = any($1)", [names]);
      return Object.fromEntries(rows.map((row) => [row.name, row.setting]));
    });
    expect(settings).toEqual({
      fsync: "on",
      synchronous_commit: "on",
      data_checksums: "on",
      server_encoding: "UTF8",
      TimeZone: "UTC",
      listen_addresses: "",
    });

    const { rows } = await withClient(database.connection, (client) =>
      client.query("select datlocprovider, datlocale from pg_database where datname = current_database()"),
    );
    expect(rows).toEqual([{ datlocprovider: "b", datlocale: "C.UTF-8" }]);
    await database.stop();
  });

  test("has a short socket path for its user only, and the URL points to it", async () => {
    const { connection, url, stop } = await start({ dataDir, fsync: false });
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("select current_user, current_database(), inet_server_addr() as address");
    await client.end();

    expect(rows).toEqual([{ current_user: "millrace", current_database: "millrace", address: null }]);
    expect(statSync(connection.host).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, "postgres")).mode & 0o777).toBe(0o700);
    expect(join(connection.host, ".s.PGSQL.5432").length).toBeLessThanOrEqual(107);
    await stop();
  });

  test("leaves no process, supervisor or socket after stop, even when stopped twice", async () => {
    const { pid, connection, stop } = await start({ dataDir, fsync: false });
    const open = new Client(connection);
    open.on("error", () => {});
    await open.connect();
    expect(isSupervised(join(dataDir, "postgres"))).toBe(true);

    await Promise.all([stop(), stop()]);

    expect(isRunning(pid)).toBe(false);
    expect(isSupervised(join(dataDir, "postgres"))).toBe(false);
    expect(readdirSync(connection.host)).toEqual([]);
  });

  test("reports why a server cannot start, and leaves no process", async () => {
    const failing = start({ dataDir, fsync: false, settings: { shared_buffers: "much" } });

    await expect(failing).rejects.toThrow(/invalid value for parameter "shared_buffers"[\s\S]*set DATABASE_URL$/);
    await until("the supervisor to end", 20_000, () => !isSupervised(join(dataDir, "postgres")));
  });

  // Only root can change a directory's owner.
  test.runIf(process.getuid?.() === 0)("refuses a socket directory of another user", async () => {
    const { connection, stop } = await start({ dataDir, fsync: false });
    await stop();
    const { uid, gid } = statSync(connection.host);
    chownSync(connection.host, 12_345, 12_345);
    onTestFinished(() => chownSync(connection.host, uid, gid));

    await expect(start({ dataDir })).rejects.toThrow("owned by uid 12345");
  });
});

describe("adoptEmbeddedPostgres", () => {
  test("returns the running database to a command, and undefined when none runs", async () => {
    expect(await adoptEmbeddedPostgres({ dataDir: `${dataDir}-missing` })).toBeUndefined();
    const database = await start({ dataDir, fsync: false });

    const adopted = await adoptEmbeddedPostgres({ dataDir });
    expect(adopted).toEqual({ connection: database.connection, url: database.url, pid: database.pid });

    await database.stop();
    expect(existsSync(dataDir)).toBe(true);
    expect(await adoptEmbeddedPostgres({ dataDir })).toBeUndefined();
  });
});

async function start(options: Omit<StartOptions, "say">) {
  const database = await startEmbeddedPostgres({ ...options, say: () => {} });
  onTestFinished(() => database.stop());
  return database;
}
