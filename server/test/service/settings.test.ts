import { createServer } from "node:net";
import type pg from "pg";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { refuseTakenPort } from "../../src/main/listen.ts";
import { migrateWhenReachable } from "../../src/main/start-database.ts";
import { openEncryption } from "../../src/platform/secrets/encryption.ts";
import { parseConfig } from "../../src/platform/settings/config.ts";
import { StartError } from "../../src/platform/start-error.ts";
import { errorResponse, fakePooler } from "../outside/fake-pooler.ts";
import { freePort } from "../outside/free-port.ts";
import { cloneDatabase, emptyDatabase, runSql, testServer } from "../world/database.ts";
import { runService, SECRETS, serveEnv, urlOf, useServices } from "./start-service.ts";

useServices();

describe("invalid settings", () => {
  it("are all reported at once, without repeating a secret", async () => {
    const output = await failedStart("serve", {
      ...SECRETS,
      PORT: "http",
      ROLES: "api,enginee",
      LOG_LEVEL: "loud",
      SHUTDOWN_GRACE_SECS: "-1",
      PUBLIC_URL: "millrace.example.com",
      DATABASE_URL: "mysql://someone:hidden-password@db/millrace",
      INTERNAL_SECRET: "hidden-but-short",
    });
    expect(output).toContain("The settings are invalid:");
    for (const name of ["PORT", "ROLES", "LOG_LEVEL", "SHUTDOWN_GRACE_SECS", "PUBLIC_URL", "DATABASE_URL"]) {
      expect(output).toMatch(new RegExp(`^  - ${name} `, "m"));
    }
    expect(output).toMatch(/^ {2}- INTERNAL_SECRET is too short/m);
    expect(output).not.toContain("hidden");
    expect(output).not.toContain("millrace init");
    for (const secret of Object.values(SECRETS)) expect(output).not.toContain(secret);
  });

  it("say how to make the secrets when they are missing", async () => {
    expect(await failedStart("serve", {})).toMatch(/^`millrace init --production` writes all of them to \.env/m);
  });

  it("make serve fail without its secrets, and name all three", () => {
    const parsed = parseConfig("serve", {}, "/");
    const mistakes = parsed.ok ? [] : parsed.mistakes;
    for (const name of Object.keys(SECRETS)) {
      expect(mistakes).toContainEqual(expect.stringMatching(new RegExp(`^${name} is missing`)));
    }
  });

  it("include an unknown command: the valid ones are listed", async () => {
    expect((await failedStart("sevre", {})).trim()).toBe(
      'millrace: There is no command "sevre". Use: millrace dev, or millrace serve.',
    );
  });

  it("include a host of another machine, reported before a database is started", async () => {
    const parsed = parseConfig("dev", { HOST: "203.0.113.7", PORT: "0" }, "/");
    if (!parsed.ok) throw new Error(parsed.mistakes.join(" "));
    await expect(refuseTakenPort(parsed.config)).rejects.toThrow("HOST=203.0.113.7 is not an address of this machine");
  });
});

describe("an unusable database", () => {
  it("that does not exist is reported at once, on the console and in the log", async () => {
    const url = urlOf({ ...testServer(), database: "no_such_database" });
    const output = await failedStart("serve", serveEnv(url));
    const sentence = /The server at .+ has no database "no_such_database"\. Create it \(createdb no_such_database\)/;
    expect(output).toMatch(new RegExp(`^millrace: ${sentence.source}`, "m"));
    expect(output).toMatch(new RegExp(`^\\{"level":60.*"msg":"${sentence.source.replaceAll('"', '\\\\"')}`, "m"));
  });

  const wrong: [code: string, message: string, expected: RegExp][] = [
    [
      "28P01",
      "password authentication failed",
      /does not accept the password of the user "someone"\. Correct the user or/,
    ],
    ["28000", "no pg_hba.conf entry for host, no encryption", /rejects the user "someone".* sslmode=verify-full/],
    ["28000", 'role "someone" does not exist', /rejects the user "someone": role "someone" does not exist\./],
    ["3D000", "no such database", /has no database "millrace"\. Create it/],
    ["42501", "permission denied for schema public", /may not set up the database "millrace".* owner to "someone"\./],
    [
      "08P01",
      "unsupported startup parameter: statement_timeout",
      /points to a connection pooler.* DATABASE_DIRECT_URL/,
    ],
    ["XX000", "something else", /reported: something else\. Check DATABASE_URL/],
  ];
  it.each(wrong)(
    "%s %s is reported at once in a plain sentence, without the password",
    async (code, message, expected) => {
      const error = await startError({ connectionString: await serverThatRefuses(code, message) });
      expect(error.message).toMatch(expected);
      expect(error.message).not.toMatch(/hidden|\n/);
    },
  );

  it("whose user may not create tables is reported at once, with how to grant it", async () => {
    const connection = await emptyDatabase();
    const user = `of_${connection.database}`;
    await runSql(connection, `create role ${user} login`);
    onTestFinished(async () => {
      await runSql(testServer(), `drop role ${user}`);
    });
    const { message } = await startError({ ...connection, user });
    expect(message).toBe(
      `The user "${user}" may not set up the database "${connection.database}": permission denied to create tables in ` +
        `the schema public. Allow it: alter database "${connection.database}" owner to "${user}".`,
    );
  });

  it("behind a pooler without a direct connection is reported at once", async () => {
    const pooler = { connectionString: await fakePooler(testServer()) };
    const error = await startError(pooler);
    expect(error.message).toMatch(/points to a connection pooler at 127\.0\.0\.1:\d+, .*Set DATABASE_DIRECT_URL/);
  });

  it("behind a pooler with a direct connection gets jit=off as the default of its user, once", async () => {
    const connection = await emptyDatabase();
    await runSql(connection, `alter database ${connection.database} set jit = on`);
    const work = { connectionString: await fakePooler(connection) };
    for (let start = 0; start < 2; start++) await migrateWhenReachable({ work, direct: connection }, silent);
    const rows = await runSql(
      connection,
      `select setconfig from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
       where d.datname = current_database() and setrole <> 0`,
    );
    expect(rows).toEqual([{ setconfig: ["jit=off"] }]);
  });

  it("without TLS is reported at once", async () => {
    const url = await serverThatRefuses("XX000", "");
    const error = await startError({ connectionString: `${url}?sslmode=verify-full` });
    expect(error.message).toMatch(/has no TLS, and DATABASE_URL requires it\. Switch TLS on there/);
  });

  it.each([
    ["ENOTFOUND", "no-such-host.invalid", /^The host of the database at no-such-host\.invalid:5432 was not found\./],
    ["ECONNREFUSED", "127.0.0.1", /^Nothing is listening at 127\.0\.0\.1:\d+: .* Start PostgreSQL there/],
  ])("that is unreachable (%s) is retried, then reported", async (_code, host, expected) => {
    const logged: string[] = [];
    const log = pino({ level: "info" }, { write: (line) => void logged.push(line) });
    const port = host === "127.0.0.1" ? await freePort() : 5432;
    const connection = { host, port, user: "someone", database: "millrace", password: "hidden" };
    // The timeout has passed after three log messages.
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (logged.length > 2 ? 201 : 0));
    onTestFinished(() => void clock.mockRestore());
    const timeouts = { waitMs: 200, retryEveryMs: 20 };
    const waiting = migrateWhenReachable({ work: connection, direct: connection }, log, timeouts);
    await expect(waiting).rejects.toThrow(expected);
    await expect(waiting).rejects.toBeInstanceOf(StartError);
    expect(logged).toHaveLength(3);
    expect(logged[0]).toContain("the database cannot be reached yet; trying again");
    expect(logged.join()).not.toContain("hidden");
  });
});

describe("an ENCRYPTION_KEY that does not match the database", () => {
  it("is rejected before anything is served, and is not repeated", async () => {
    const connection = await cloneDatabase();
    const wrapped = openEncryption(["the-key-of-an-earlier-start-0123456789"]).newDataKey().wrapped;
    await runSql(connection, "insert into encryption_check (wrapped_key, updated_at) values ($1, clock())", [wrapped]);
    const output = await failedStart("serve", serveEnv(urlOf(connection)));
    expect(output).toMatch(/^millrace: ENCRYPTION_KEY is not the one that the secrets in this database/m);
    expect(output).not.toMatch(new RegExp(`millrace is listening|${SECRETS.ENCRYPTION_KEY}`));
  });
});

const silent = pino({ level: "silent" });

async function startError(connection: pg.ClientConfig): Promise<Error> {
  const error = await migrateWhenReachable({ work: connection, direct: connection }, silent).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  return error;
}

/** The output of a start that must fail: with exit code 1 and without a stack trace. */
async function failedStart(command: string, env: Record<string, string>): Promise<string> {
  const service = runService(command, { env });
  expect(await service.exited).toEqual({ code: 1, signal: null });
  expect(service.output()).not.toMatch(/^ {4}at /m);
  return service.output();
}

/** Implements as much of the protocol as a rejection needs. */
async function serverThatRefuses(code: string, message: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    // A TLS request gets a single-byte response.
    socket.once("data", (request) => socket.end(request.length === 8 ? "N" : errorResponse(code, message)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return `postgres://someone:hidden-password@127.0.0.1:${port}/millrace`;
}
