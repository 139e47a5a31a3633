import { statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import {
  isGroupAlive,
  processesIn,
  type ReadyService,
  ROOT,
  startService,
  temporaryDir,
  useServices,
} from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";

useServices();

// The tests of this file reuse one data directory in sequence: creating a database takes two seconds.
let dataDir = "";
let first = { key: "", environment_id: "" };

beforeAll(() => {
  dataDir = temporaryDir();
});

describe("millrace dev", () => {
  it("prints the address, a sign-in link that works once, a key that works, and how to stop", async () => {
    const service = await startDev();
    const key = keyOf(service);
    expect(service.output()).toMatch(/Stop +Ctrl-C/);
    expect(service.output()).toContain("bringing the database schema up to date");
    const api = makeClient(service.url, { authorization: `Bearer ${key}` });
    expect((await api.get("/v1/me")).status).toBe(200);
    await signsInOnce(service);

    const { body } = await api.post("/v1/environments", { name: "Kept", slug: "kept" });
    first = { key, environment_id: body.id };
    expect(statSync(join(dataDir, "secrets.json")).mode & 0o777).toBe(0o600);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    nothingIsLeftOf(service);
  });

  it("prints the same key on a later start, keeps the data, and mentions no migrations", async () => {
    const service = await startDev();
    expect(keyOf(service)).toBe(first.key);
    // Each start here has another port, so nothing responds to the demo's earlier runs.
    expect(linesBeforeBanner(service).filter((line) => !/a host (is failing|cannot be reached)/.test(line))).toEqual(
      [],
    );
    const api = makeClient(service.url, { authorization: `Bearer ${first.key}` });
    expect((await api.get(`/v1/environments/${first.environment_id}`)).body.name).toBe("Kept");
    await signsInOnce(service);
    service.signal("SIGINT");
    await service.exited;
  });

  it("stops cleanly on a Ctrl-C, which arrives twice: from the terminal, and passed on by npm", async () => {
    const { service, exit } = await pressOnce();
    expect(exit).toEqual({ code: 0, signal: null });
    nothingIsLeftOf(service);
    expect(await isListening(service.port)).toBe(false);
    expect(service.output()).not.toMatch(/^ {4}at /m);
  });
});

/** If this process is blocked between the two, they count as two key presses: then try again. */
async function pressOnce() {
  for (;;) {
    const service = await startDev();
    expect(processesIn(dataDir).length).toBeGreaterThan(2);
    const firstAt = performance.now();
    service.signal("SIGINT");
    await pause(50);
    service.signal("SIGINT");
    const gapMs = performance.now() - firstAt;
    const exit = await service.exited;
    if (gapMs < 1_000) return { service, exit };
  }
}

function startDev(): Promise<ReadyService> {
  return startService("dev", { root: ROOT, env: { MILLRACE_DATA_DIR: dataDir } });
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

function nothingIsLeftOf(service: ReadyService): void {
  expect(processesIn(dataDir)).toEqual([]);
  expect(isGroupAlive(service.pid)).toBe(false);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
