import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { makeClient } from "../client.ts";
import { isGroupAlive, processesIn, type ReadyService, runService, startService, temporaryDir, until } from "./start-service.ts";

describe("millrace dev", () => {
  it("shows the way in, and the same key on the next start", async () => {
    const dataDir = temporaryDir();
    const first = await startDev(dataDir);
    const key = keyOf(first);
    expect(first.output()).toMatch(/Stop +Ctrl-C/);
    expect(first.output()).toContain("bringing the database schema up to date");
    const api = makeClient(first.url, { authorization: `Bearer ${key}` });
    expect((await api.get("/v1/me")).status).toBe(200);
    const environment = await api.post("/v1/environments", { name: "Kept", slug: "kept" });
    expect(environment.status).toBe(201);
    await signsInOnce(first);
    expect(statSync(join(dataDir, "secrets.json")).mode & 0o777).toBe(0o600);
    expect(await first.stop()).toEqual({ code: 0, signal: null });

    const second = await startDev(dataDir);
    expect(keyOf(second)).toBe(key);
    expect(linesBeforeBanner(second)).toEqual([]);
    const again = makeClient(second.url, { authorization: `Bearer ${key}` });
    expect((await again.get(`/v1/environments/${environment.body.id}`)).body.name).toBe("Kept");
    await signsInOnce(second);
    await second.stop();
  });

  it("stops cleanly on a Ctrl-C, which arrives twice", async () => {
    const dataDir = temporaryDir();
    const service = await startDev(dataDir);
    expect(processesIn(dataDir).length).toBeGreaterThan(2);

    service.signal("SIGINT");
    await pause(50);
    service.signal("SIGINT");
    expect(await service.exited).toEqual({ code: 0, signal: null });

    expect(processesIn(dataDir)).toEqual([]);
    expect(isGroupAlive(service.pid)).toBe(false);
    expect(await isListening(service.port)).toBe(false);
    expect(service.output()).not.toMatch(/^ {4}at /m);

    const secrets = readFileSync(join(dataDir, "secrets.json"), "utf8");
    expect(JSON.parse(secrets).first_api_key).toBe(keyOf(service));
  });

  it("leaves nothing behind when it is interrupted while it starts, and starts the next time", async () => {
    const dataDir = temporaryDir();
    const service = runService("dev", { env: { MILLRACE_DATA_DIR: dataDir } });
    await until("the database to be made", 5_000, () => processesIn(dataDir).length > 0);
    service.signal("SIGINT");
    const { code, signal } = await service.exited;
    expect([code, signal]).toContainEqual(code === null ? "SIGINT" : 130);
    await until("every process to end", 5_000, () => processesIn(dataDir).length === 0);

    const next = await startDev(dataDir);
    expect(await next.stop()).toEqual({ code: 0, signal: null });
  });
});

function startDev(dataDir: string): Promise<ReadyService> {
  return startService("dev", { env: { MILLRACE_DATA_DIR: dataDir } });
}

function keyOf(service: ReadyService): string {
  const key = /API key +(svc_\S+)/.exec(service.output())?.[1];
  if (!key) throw new Error(`no key in:\n${service.output()}`);
  return key;
}

async function signsInOnce(service: ReadyService): Promise<void> {
  const code = /\?code=(\S+)/.exec(service.output())?.[1];
  const anonymous = makeClient(service.url, {});
  const signedIn = await anonymous.post("/v1/session", { code });
  expect(signedIn.status).toBe(201);
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect((await anonymous.get("/v1/session", { headers: { cookie } })).body.kind).toBe("internal_secret");
  expect((await anonymous.post("/v1/session", { code })).status).toBe(401);
}

function linesBeforeBanner(service: ReadyService): string[] {
  const [before = ""] = service.output().split("  millrace dev ");
  return before.split("\n").filter((line) => line.trim() !== "");
}

function isListening(port: number): Promise<boolean> {
  return new Promise((tell) => {
    const socket = connect(port, "127.0.0.1", () => tell(true)).once("error", () => tell(false));
    socket.once("connect", () => socket.destroy());
  });
}
