import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, spawnMillrace } from "../../cli/test/run-millrace.ts";
import { freePort } from "../../server/test/outside/free-port.ts";
import { urlOf, useServices } from "../../server/test/service/start-service.ts";
import { cloneDatabase } from "../../server/test/world/database.ts";
import { until } from "../../server/test/world/until.ts";
import { ROOT } from "./follow-readme.ts";
import { commandsOf, readBlocks } from "./readme-blocks.ts";
import { runOwnJob } from "./run-own-job.ts";

useServices();

/** `npm run test:soak -- first-five-minutes` also runs npm start, npm pack and npm install, from an empty folder. */
describe("the README", () => {
  it("describes a job of your own, whose worker and commands work", async () => {
    const { worker, outputOf } = await runOwnJob();
    expect(worker).toBe("serving charge and order-flow\n");
    expect(outputOf("trigger charge -d")).toMatchObject({
      code: 8,
      output: expect.stringContaining("0 cannot be charged"),
    });
    for (const part of ["runs replay", "workflows trigger order-flow", "events send", "workflow-runs list"]) {
      expect([part, outputOf(part).code]).toEqual([part, 0]);
    }
    expect(outputOf("/v1/me").output).toContain('"kind":"api_key"');
    expect(outputOf("wait_secs=10").output).toContain('"receipt":"r-A3"');
  });

  // The code of the first screen compiles in `server/test/docs`; the suite `packages` runs its commands.
  it("has no untested code block besides `npm test`, a diagram, and the production commands tested below", () => {
    const others = readBlocks(join(ROOT, "README.md")).filter(
      ({ heading }) => !["Start", "Your own job"].includes(heading),
    );
    expect(others.map(({ heading, language }) => `${heading}: ${language}`)).toEqual([
      ": sh",
      ": ts",
      "Test: sh",
      "Run it in production: sh",
      "Run it in production: sh",
      "Architecture: ",
    ]);
    expect(others.find(({ heading }) => heading === "Test")?.text).toBe("npm test\n");
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(scripts.test).toBe("node tools/test.mjs");
  });

  it("describes a production start that works, with a key that has rate limits of its own", async () => {
    const blocks = readBlocks(join(ROOT, "README.md")).filter(({ heading }) => heading === "Run it in production");
    const [init = "", serve = "", createKey = "", limits = ""] = blocks.flatMap(commandsOf);
    const cwd = newFolder();
    const env = { PORT: String(await freePort()), HOST: "127.0.0.1", DATABASE_URL: urlOf(await cloneDatabase()) };
    const { code, stdout } = await (await spawnMillrace(argumentsOf(init), { cwd })).ended;
    expect(code).toBe(0);
    const service = await spawnMillrace(argumentsOf(serve), { cwd, env });
    await until("the service to listen", 60_000, () => service.output().includes("millrace is listening"));

    const KEY = /MILLRACE_API_KEY=(\S+)/.exec(stdout)?.[1];
    const created = execFileSync("sh", ["-c", createKey.replace("8787", env.PORT)], {
      env: { ...process.env, KEY },
      encoding: "utf8",
    });
    expect(JSON.parse(created)).toMatchObject({ name: "Worker", rate_limits: { triggers_per_minute: 60_000 } });
    service.signal("SIGTERM");
    await service.ended;

    const settings = readFileSync(join(ROOT, "docs", "operate", "settings.md"), "utf8");
    const names = [...limits.matchAll(/\b([A-Z_]{6,})=/g)].map(([, name]) => name ?? "");
    expect(names.map((name) => settings.includes(`| \`${name}\``))).toEqual([true, true]);
  });
});

/** Without `npx millrace` and the comment. */
function argumentsOf(command: string): string[] {
  return command
    .replace(/\s+#.*$/, "")
    .split(" ")
    .slice(2);
}
