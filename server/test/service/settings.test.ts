import { createServer } from "node:net";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { refuseTakenPort } from "../../src/main/listen.ts";
import { migrateWhenReachable } from "../../src/main/start-database.ts";
import { StartError } from "../../src/main/start-error.ts";
import { parseConfig } from "../../src/platform/config.ts";
import { testServer } from "../database.ts";
import { freePort } from "../free-port.ts";
import { runService, SECRETS, serveEnv, urlOf, useServices } from "./start-service.ts";

useServices();

describe("settings that are not right", () => {
  it("are all listed at once, and no secret is repeated", async () => {
    const output = await refusal("serve", {
      ...SECRETS,
      PORT: "http",
      ROLES: "api,enginee",
      LOG_LEVEL: "loud",
      SHUTDOWN_GRACE_SECS: "-1",
      PUBLIC_URL: "millrace.example.com",
      DATABASE_URL: "mysql://someone:hidden-password@db/millrace",
      INTERNAL_SECRET: "hidden-but-short",
    });
    expect(output).toContain("The settings are not right:");
    for (const name of ["PORT", "ROLES", "LOG_LEVEL", "SHUTDOWN_GRACE_SECS", "PUBLIC_URL", "DATABASE_URL"]) {
      expect(output).toMatch(new RegExp(`^  - ${name} `, "m"));
    }
    expect(output).toMatch(/^ {2}- INTERNAL_SECRET is too short/m);
    expect(output).not.toContain("hidden");
    for (const secret of Object.values(SECRETS)) expect(output).not.toContain(secret);
  });

  it("serve refuses to start without its secrets, and names all three", () => {
    const parsed = parseConfig("serve", {}, "/");
    const mistakes = parsed.ok ? [] : parsed.mistakes;
    for (const name of Object.keys(SECRETS)) {
      expect(mistakes).toContainEqual(expect.stringMatching(new RegExp(`^${name} is missing`)));
    }
  });

  it("an unknown command names those there are", async () => {
    expect((await refusal("sevre", {})).trim()).toBe(
      'millrace: There is no command "sevre". Use: millrace dev, or millrace serve.',
    );
  });

  it("a host of another machine is named, before a database is started", async () => {
    const parsed = parseConfig("dev", { HOST: "203.0.113.7", PORT: "0" }, "/");
    if (!parsed.ok) throw new Error(parsed.mistakes.join(" "));
    await expect(refuseTakenPort(parsed.config)).rejects.toThrow("HOST=203.0.113.7 is not an address of this machine");
  });
});

describe("a database that cannot be used", () => {
  it("an unknown database is told at once", async () => {
    const url = urlOf({ ...testServer(), database: "no_such_database" });
    const output = await refusal("serve", serveEnv(url));
    expect(output).toContain('The database cannot be used: database "no_such_database" does not exist.');
  });

  it("a wrong password is told at once, and not repeated", async () => {
    const port = await serverThatRefuses("28P01", 'password authentication failed for user "someone"');
    const direct = { connectionString: `postgres://someone:hidden-password@127.0.0.1:${port}/millrace` };
    const error = await migrateWhenReachable({ work: {}, direct }, pino({ level: "silent" })).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(error.message).toContain('The database cannot be used: password authentication failed for user "someone".');
    expect(error.message).not.toContain("hidden");
  });

  it("an unreachable one is asked again, then given up with a message", async () => {
    const said: string[] = [];
    const log = pino({ level: "info" }, { write: (line) => void said.push(line) });
    const connection = { host: "127.0.0.1", port: await freePort(), user: "someone", database: "millrace" };
    // The time is over when it was asked for the fourth time.
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (said.length > 2 ? 201 : 0));
    onTestFinished(() => void clock.mockRestore());
    const waiting = migrateWhenReachable({ work: {}, direct: connection }, log, { waitMs: 200, askEveryMs: 20 });
    await expect(waiting).rejects.toThrow(/^The database cannot be reached: .*ECONNREFUSED.* Check DATABASE_URL/);
    await expect(waiting).rejects.toBeInstanceOf(StartError);
    expect(said).toHaveLength(3);
    expect(said[0]).toContain("the database cannot be reached yet; trying again");
  });
});

/** What is printed by a start that must fail: with code 1, and without a stack trace. */
async function refusal(command: string, env: Record<string, string>): Promise<string> {
  const service = runService(command, { env });
  expect(await service.exited).toEqual({ code: 1, signal: null });
  expect(service.output()).not.toMatch(/^ {4}at /m);
  return service.output();
}

/** Speaks as much of the protocol as a refusal needs. */
async function serverThatRefuses(code: string, message: string): Promise<number> {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.concat([head, fields])));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
