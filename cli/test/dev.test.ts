import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type AnyJob, defineJob } from "@millrace/sdk";
import { listen } from "@millrace/sdk/node";
import { describe, expect, it, vi } from "vitest";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import { until } from "../../server/test/world/until.ts";
import { millrace } from "./millrace.ts";
import { newFolder, spawnMillrace } from "./run-millrace.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe("millrace dev", () => {
  it("starts the service, writes .env.local, registers the jobs of --url, and lets other commands find it", async () => {
    const cwd = projectFolder();
    const jobs: AnyJob[] = [
      defineJob({ id: "hello", run: ({ name }: { name: string }) => ({ hello: name }) }) as AnyJob,
    ];
    const options = {
      jobs,
      signingSecret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
      baseUrl: "",
      onError: () => {},
    };
    const server = await listen(options, 0, "127.0.0.1");
    whenFileEnds(async () => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/millrace`;

    const dev = await spawnMillrace(["dev", "--port", "0", "--url", url], {
      cwd,
      env: { MILLRACE_DATA_DIR: join(cwd, "data") },
    });
    await until("the banner", 120_000, () => /Stop +Ctrl-C/.test(dev.output()));
    await until("the key", 20_000, () => dev.output().includes("URL and API key were written to .env.local."));
    const file = readFileSync(join(cwd, ".env.local"), "utf8");
    expect(statSync(join(cwd, ".env.local")).mode & 0o777).toBe(0o600);
    expect(file).toMatch(/^KEPT=1\nMILLRACE_BASE_URL=http:\/\/localhost:\d+\nMILLRACE_API_KEY=svc_\S+\n/);

    await until("the rejected signature", 20_000, () => dev.output().includes("set MILLRACE_SIGNING_SECRET there"));
    options.signingSecret = /^MILLRACE_SIGNING_SECRET=(\S+)$/m.exec(file)?.[1] ?? "";
    options.baseUrl = /^MILLRACE_BASE_URL=(\S+)$/m.exec(file)?.[1] ?? "";
    await until("the jobs", 20_000, () => dev.output().includes(`1 job (hello created) at ${url}, signature ok`));
    const ran = await millrace(["trigger", "hello", "-d", '{"name":"Ada"}', "--wait"], { cwd });
    expect([ran.code, ran.stdout]).toEqual([0, `${JSON.stringify({ hello: "Ada" }, null, 2)}\n`]);
    jobs.push(defineJob({ id: "second", run: () => ({}) }) as AnyJob);
    await until("the change", 20_000, () => dev.output().includes("hello unchanged, second created"));

    dev.signal("SIGINT");
    expect((await dev.ended).code).toBe(0);
  });

  it("rejects an invalid --port and invalid settings before anything starts", async () => {
    const cwd = projectFolder();
    expect((await millrace(["dev", "--port", "http"], { cwd })).code).toBe(5);
    const wrong = await spawnMillrace(["dev", "--port", "99999"], {
      cwd,
      env: { MILLRACE_DATA_DIR: join(cwd, "data") },
    });
    const { code, stderr } = await wrong.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('  - PORT is "99999"')]);
  });
});

/** PostgreSQL does not run as root, so another user must be able to reach the data directory. */
function projectFolder(): string {
  const folder = newFolder();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, ".env.local"), "KEPT=1\n");
  return folder;
}
