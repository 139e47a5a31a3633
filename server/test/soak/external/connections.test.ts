import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { migrateWhenReachable } from "../../../src/main/start-database.ts";
import { connectionOf, type DatabaseConnection } from "../../../src/platform/database/connection.ts";
import { openDatabase } from "../../../src/platform/database/db.ts";
import { sql } from "../../../src/platform/database/sql.ts";
import { TIMEOUTS } from "../../../src/platform/database/timeouts.ts";
import { StartError } from "../../../src/platform/start-error.ts";
import {
  addressOf,
  type InstalledServer,
  needTools,
  type PostgresTools,
  queryOnce,
  startInstalledServer,
} from "../../outside/installed-postgres.ts";
import { type ReadyService, runService, serveEnv, startService, useServices } from "../../service/start-service.ts";
import { type Client, makeClient } from "../../world/client.ts";
import { until } from "../../world/until.ts";

useServices();

const silent = pino({ level: "silent" });

let tools: PostgresTools;
let server: InstalledServer;
beforeAll(async () => {
  tools = await needTools();
  // As Debian and the managed services leave it, and with costs at which every statement would be compiled.
  server = await startInstalledServer(tools, { settings: { jit: "on", jit_above_cost: "0" } });
});

async function anotherDatabase(name: string, owner = server.connection.user): Promise<InstalledServer> {
  await queryOnce(server.connection, `create database ${name} owner ${owner}`);
  return { ...server, connection: { ...server.connection, database: name } };
}

/** A project with a key that may do everything, and one job whose runs nobody dispatches. */
async function projectOf({ admin, url }: ReadyService): Promise<Client> {
  const { body: project } = await admin.post("/v1/projects", { name: "external" });
  const { body } = await admin.post("/v1/api-keys", { name: "all", project_id: project.id });
  return makeClient(url, { authorization: `Bearer ${body.key}` });
}

async function trigger(api: Client): Promise<number> {
  const job = await api.post("/v1/jobs", { name: "Pulled", delivery: "pull" });
  return (await api.post(`/v1/jobs/${job.body.id}/trigger`, { payload: {} })).status;
}

describe("JIT", () => {
  it("is off in every session, also when the address has options of its own", async () => {
    const work = connectionOf(addressOf(server, "?options=-c%20work_mem%3D9MB%20-c%20jit%3Don"));
    const database = openDatabase(work, work, silent, TIMEOUTS);
    onTestFinished(() => database.close());
    const settings = sql<{ jit: string; work_mem: string }>`
      select current_setting('jit') as jit, current_setting('work_mem') as work_mem`;
    const { rows } = await settings.execute(database.db);
    expect(rows).toEqual([{ jit: "off", work_mem: "9MB" }]);
    const trx = await database.db.begin();
    expect((await settings.execute(trx)).rows).toEqual([{ jit: "off", work_mem: "9MB" }]);
    await trx.rollback();
    const health = await database.healthPool.query("select current_setting('jit') as jit");
    expect(health.rows).toEqual([{ jit: "off" }]);
  });
});

describe("the socket of a server", () => {
  it.each([
    ["host=", (place: string, port: number) => `postgres://millrace@/millrace?host=${place}&port=${port}`],
    [
      "an encoded host",
      (place: string, port: number) => `postgres://millrace@${encodeURIComponent(place)}:${port}/millrace`,
    ],
  ])("is found by %s", async (_, url) => {
    const service = await startService("serve", { env: serveEnv(url(server.place, server.port)) });
    expect(await trigger(await projectOf(service))).toBe(201);
    expect(service.output()).toContain(`PostgreSQL at the socket in ${server.place}`);
  });
});

describe("several hosts with target_session_attrs=read-write", () => {
  it("lead to the primary, whichever it is, also after a failover", async () => {
    const primary = await startInstalledServer(tools);
    const standby = await primary.standby("second");
    await standby.start();
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
    const url = `postgres://millrace@${hosts}/millrace?target_session_attrs=read-write`;
    const service = await startService("serve", { env: serveEnv(url) });
    const api = await projectOf(service);
    expect(await trigger(api)).toBe(201);
    await until("the standby to have it all", 20_000, async () => {
      const [row] = await queryOnce<{ same: boolean }>(
        primary.connection,
        "select coalesce(bool_and(replay_lsn = pg_current_wal_lsn()), false) as same from pg_stat_replication",
      );
      return row?.same;
    });
    await primary.stop("SIGQUIT");
    await standby.promote();
    await until("the first good write", 60_000, async () => (await trigger(api)) === 201);
  });

  it("are all refused when none accepts writes, with what to do", async () => {
    const primary = await startInstalledServer(tools);
    const standby = await primary.standby("second");
    await standby.start();
    const url = `postgres://millrace@127.0.0.1:${standby.port}/millrace?target_session_attrs=read-write`;
    const connection = connectionOf(url);
    const started = migrateWhenReachable(both(connection), silent, { waitMs: 100, retryEveryMs: 50 });
    const error = await started.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(error.message).toMatch(/None of the databases at 127\.0\.0\.1:\d+ accepts writes\. Promote one of them/);
  });
});

const both = (connection: DatabaseConnection) => ({ work: connection, direct: connection });

describe("a server that only reads", () => {
  it("is refused at the start, with what to do", async () => {
    const primary = await startInstalledServer(tools);
    const standby = await primary.standby("second");
    await standby.start();
    const service = runService("serve", { env: serveEnv(addressOf(standby)) });
    expect(await service.exited).toMatchObject({ code: 1 });
    expect(service.output()).toMatch(
      /^millrace: The database at .* is read-only: it is a standby.*Point DATABASE_URL/m,
    );
  });

  it("makes a running service not ready, which reads but accepts no trigger, and says it once", async () => {
    const database = await anotherDatabase("becomes_read_only");
    // Limits by address are counted in the database, so that with them reads are refused, too.
    const env = serveEnv(addressOf(database), { RATE_LIMIT_API_PER_MINUTE: "0", RATE_LIMIT_TRIGGER_PER_MINUTE: "0" });
    const service = await startService("serve", { env });
    const api = await projectOf(service);
    const readiness = async () => (await service.admin.get("/health/ready")).body.checks.database;
    const set = async (value: string) => {
      await queryOnce(server.connection, `alter system set default_transaction_read_only = ${value}`);
      await queryOnce(server.connection, "select pg_reload_conf()");
    };
    onTestFinished(() => set("off"));
    expect(await readiness()).toBe("ok");
    await set("on");
    await until("the service to notice", 20_000, async () => (await readiness()) === "read-only");
    expect((await service.admin.get("/health/ready")).status).toBe(503);
    expect((await api.get("/v1/jobs")).status).toBe(200);
    expect((await api.post("/v1/jobs", { name: "New", delivery: "pull" })).status).toBe(503);
    await set("off");
    await until("the service to notice", 20_000, async () => (await readiness()) === "ok");
    expect(await trigger(api)).toBe(201);
    expect(service.output().match(/the database is read-only/g)).toHaveLength(1);
  });
});

describe("DATABASE_SCHEMA", () => {
  it("holds everything, for a user without rights on public or on the database", async () => {
    await queryOnce(server.connection, "create role tenant login");
    const database = await anotherDatabase("shared");
    for (const statement of [
      "revoke all on schema public from public",
      "revoke all on database shared from public",
      "grant connect on database shared to tenant",
      "create schema jobs authorization tenant",
    ])
      await queryOnce(database.connection, statement);
    const url = addressOf({ ...database, connection: { ...database.connection, user: "tenant" } });
    const env = { ...serveEnv(url), DATABASE_SCHEMA: "jobs" };
    const service = await startService("serve", { env });
    expect(await trigger(await projectOf(service))).toBe(201);
    const tables = await queryOnce(
      database.connection,
      `select schemaname, count(*) > 50 as all_of_them, bool_or(tablename = 'migrations') as with_migrations from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') group by 1`,
    );
    expect(tables).toEqual([{ schemaname: "jobs", all_of_them: true, with_migrations: true }]);
  });

  it("is created if the user may, and a backup of one is restored into another", async () => {
    const database = await anotherDatabase("two_schemas");
    const connectionIn = (schema: string): DatabaseConnection => {
      const connection = connectionOf(addressOf(database), schema);
      return { ...connection, options: `-c search_path=${schema}` };
    };
    const { createBackup } = await import("../../../src/main/backup/create-backup.ts");
    const { restoreBackup } = await import("../../../src/main/backup/restore-backup.ts");
    await migrateWhenReachable(both(connectionIn("first")), silent);
    await queryOnce(connectionIn("first"), "insert into ip_counters values ('x', 'y', '{1}', 1)");
    const folder = mkdtempSync("/tmp/millrace-tests-");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const written = await createBackup(connectionIn("first"), join(folder, "backup"));
    expect(await restoreBackup(connectionIn("second"), join(folder, "backup"))).toEqual(written);
  });

  it("that does not exist is refused if the user may not create it, with what to do", async () => {
    await queryOnce(server.connection, "create role nobody_special login");
    const database = await anotherDatabase("without_rights");
    const user = { ...database, connection: { ...database.connection, user: "nobody_special" } };
    const service = runService("serve", { env: { ...serveEnv(addressOf(user)), DATABASE_SCHEMA: "jobs" } });
    expect(await service.exited).toMatchObject({ code: 1 });
    expect(service.output()).toMatch(/^millrace: .*permission denied for database without_rights/m);
  });
});

describe("an ENCRYPTION_KEY of another installation", () => {
  it("is refused at the start, with what to do", async () => {
    const database = await anotherDatabase("encrypted");
    const first = await startService("serve", { env: serveEnv(addressOf(database)) });
    await projectOf(first);
    await first.stop();
    const env = { ...serveEnv(addressOf(database)), ENCRYPTION_KEY: "another-key-of-another-installation-0123" };
    const second = runService("serve", { env });
    expect(await second.exited).toMatchObject({ code: 1 });
    expect(second.output()).toMatch(/^millrace: ENCRYPTION_KEY is not the one.*Set it to that one/m);
  });
});
