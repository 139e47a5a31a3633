import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { packPackages } from "../../../../tools/build-packages.mjs";
import { freePort } from "../../outside/free-port.ts";
import { until } from "../../world/until.ts";
import { buildImage, type Image } from "./build-image.ts";
import { whyNot } from "./clean-root.ts";
import { type Container, firstProcessOf, newVolume, runBeside, startContainer } from "./run-image.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 1_800_000 });

const ROOT = resolve(import.meta.dirname, "../../../..");
const reason = whyNot();
if (reason) console.warn(`the suite \`image\` is skipped: it ${reason}`);

describe.skipIf(reason !== undefined)("the image, built by the steps of its Dockerfile in a clean root", () => {
  let folder: string;
  let image: Image;
  beforeAll(async () => {
    folder = mkdtempSync("/tmp/millrace-image-");
    await packPackages();
    const dockerfile = readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8");
    image = buildImage(dockerfile, { context: join(ROOT, "dist/tarballs"), folder });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("initializes, serves and stops on a read-only file system, without privileges, and keeps its data", async () => {
    const volume = newVolume(image, folder);
    const settings = await initialize(volume);
    const started = await serve(volume, settings);
    const status = readFileSync(`/proc/${firstProcessOf(started.process)}/status`, "utf8");
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(image.user.split(":")[0]);
    expect(/^CapEff:\s+(\w+)$/m.exec(status)?.[1]).toBe("0000000000000000");
    expect(healthOf(settings)).toBe(0);
    const headers = { authorization: `Bearer ${settings.MILLRACE_API_KEY}`, "content-type": "application/json" };
    const jobs = `http://127.0.0.1:${settings.PORT}/v1/jobs`;
    const body = JSON.stringify({ name: "Kept", slug: "kept", endpoint_url: "https://example.com/job" });
    expect((await fetch(jobs, { method: "POST", headers, body })).status).toBe(201);
    expect(await started.stop()).toBe(0);
    expect(healthOf(settings)).not.toBe(0);

    const again = await serve(volume, settings);
    expect((await fetch(`${jobs}/kept`, { headers })).status).toBe(200);
    for (const path of ["/", "/docs", "/openapi.json"]) {
      expect([path, (await fetch(`http://127.0.0.1:${settings.PORT}${path}`)).status]).toEqual([path, 200]);
    }
    expect(await again.stop()).toBe(0);
  });

  it("does not keep the tarball", () => {
    expect(readdirSync(join(image.root, "opt/millrace")).filter((name) => name.endsWith(".tgz"))).toEqual([]);
  });

  type Settings = Record<string, string>;

  /** `docker run … init --production --folder …`, then the .env that it wrote. */
  async function initialize(volume: string): Promise<Settings> {
    const run = startContainer(image, volume, {}, ["init", "--production", "--folder", "."]);
    await until("init --production to end", 120_000, () => run.process.exitCode !== null);
    expect([run.process.exitCode, run.output()]).toEqual([0, expect.stringContaining("MILLRACE_API_KEY=svc_")]);
    const lines = readFileSync(join(volume, ".env"), "utf8").split("\n");
    const pairs = lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2));
    const key = /MILLRACE_API_KEY=(\S+)/.exec(run.output())?.[1] ?? "";
    return { ...Object.fromEntries(pairs), MILLRACE_API_KEY: key, PORT: String(await freePort()) };
  }

  async function serve(volume: string, { MILLRACE_API_KEY, ...settings }: Settings): Promise<Container> {
    const container = startContainer(image, volume, settings);
    await until("the service to be healthy", 180_000, () => {
      if (container.process.exitCode !== null) throw new Error(`serve exited:\n${container.output()}`);
      return healthOf(settings) === 0;
    });
    return container;
  }

  const healthOf = (settings: Settings) => runBeside(image, settings, image.healthcheck).status;
});
