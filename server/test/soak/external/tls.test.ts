import { join } from "node:path";
import { pino } from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import { migrateWhenReachable } from "../../../src/main/start-database.ts";
import { connectionOf } from "../../../src/platform/database/connection.ts";
import { parseDatabaseUrl } from "../../../src/platform/database/database-url.ts";
import { StartError } from "../../../src/platform/start-error.ts";
import {
  addressOf,
  type InstalledServer,
  makeCertificates,
  needTools,
  queryOnce,
  startInstalledServer,
} from "../../outside/installed-postgres.ts";

const silent = pino({ level: "silent" });

let secure: InstalledServer;
let plain: InstalledServer;
beforeAll(async () => {
  const tools = await needTools();
  secure = await startInstalledServer(tools, {
    files: makeCertificates,
    settings: { ssl: "on", ssl_ca_file: "ca.crt" },
    hba: ["hostssl all certified all cert", "hostssl all all all trust"],
  });
  await queryOnce(secure.connection, "create role certified login superuser");
  plain = await startInstalledServer(tools, { hba: ["host all all all trust"] });
});

const inPlace = (name: string) => join(secure.place, name);

async function startWith(server: InstalledServer, parameters: string, host?: string): Promise<{ tls: boolean }> {
  const connection = connectionOf(addressOf(server, parameters, host));
  await migrateWhenReachable({ work: connection, direct: connection }, silent);
  const [row] = await queryOnce<{ ssl: boolean }>(
    connection,
    "select ssl from pg_stat_ssl where pid = pg_backend_pid()",
  );
  return { tls: row?.ssl ?? false };
}

async function refusal(server: InstalledServer, parameters: string, host?: string): Promise<string> {
  const error = await startWith(server, parameters, host).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  return error.message;
}

describe("a server with the certificate of a private authority for localhost", () => {
  it.each([
    ["require, without checking anything", "127.0.0.1", () => "?sslmode=require"],
    ["require with the authority, without checking the name", "127.0.0.1", ca("require")],
    ["verify-ca, without checking the name", "127.0.0.1", ca("verify-ca")],
    ["verify-full by its name", "localhost", ca("verify-full")],
    ["sslrootcert alone, which means verify-full", "localhost", () => `?sslrootcert=${inPlace("ca.crt")}`],
  ])("is used with sslmode=%s", async (_, host, parameters) => {
    expect(await startWith(secure, parameters(), host)).toEqual({ tls: true });
  });

  it.each<[string, string, () => string, RegExp]>([
    ["verify-full by another name", "127.0.0.1", ca("verify-full"), /issued for another name: .*sslmode=verify-ca/],
    [
      "verify-full without the authority",
      "localhost",
      () => "?sslmode=verify-full",
      /not trusted: .* sslrootcert=<file>/,
    ],
    [
      "require with another authority",
      "localhost",
      () => `?sslmode=require&sslrootcert=${inPlace("server.crt")}`,
      /sslrootcert/,
    ],
    ["no TLS at all", "localhost", () => "", /no encryption.* add sslmode=verify-full to DATABASE_URL/],
  ])("is refused with %s, naming the parameter", async (_, host, parameters, message) => {
    expect(await refusal(secure, parameters(), host)).toMatch(message);
  });

  it("asks for sslcert and sslkey if it wants a certificate of the client, and is used with them", async () => {
    const certified = "sslmode=require&user=certified";
    expect(await refusal(secure, `?${certified}`)).toMatch(/Add sslcert=<file> and sslkey=<file> to DATABASE_URL/);
    const files = `sslcert=${inPlace("client.crt")}&sslkey=${inPlace("client.key")}`;
    expect(await startWith(secure, `?${certified}&${files}`)).toEqual({ tls: true });
  });
});

describe("a server without TLS", () => {
  it("is refused with sslmode=require, naming it", async () => {
    expect(await refusal(plain, "?sslmode=require")).toMatch(/has no TLS, and DATABASE_URL requires it.* sslmode/);
  });

  it("is used without sslmode", async () => {
    expect(await startWith(plain, "")).toEqual({ tls: false });
  });
});

describe("a file that is missing or no certificate", () => {
  it.each([
    ["/no/such/file", /sslrootcert=\/no\/such\/file, which cannot be read \(ENOENT\)/],
    [import.meta.filename, /not a PEM certificate/],
  ])("is an invalid setting: %s", (path, mistake) => {
    const parsed = parseDatabaseUrl(`postgres://h/d?sslrootcert=${path}`);
    expect(parsed).toEqual({ ok: false, mistake: expect.stringMatching(mistake) });
  });
});

function ca(mode: string): () => string {
  return () => `?sslmode=${mode}&sslrootcert=${inPlace("ca.crt")}`;
}
