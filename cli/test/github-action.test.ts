import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { parse } from "yaml";
import { cleanEnv, newFolder, program } from "./run-millrace.ts";
import { quietService } from "./service-env.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

type Step = { run: string; env?: Record<string, string> };
type Action = { inputs: Record<string, { default?: string }>; runs: { steps: [Step, Step, Step, Step] } };

const FILE = resolve(import.meta.dirname, "../../deploy/github-action/action.yml");

/** Runs the scripts of the action as a runner does, with `npx` and `gh` replaced. */
async function runner(inputs: Record<string, string>) {
  const action: Action = parse(readFileSync(FILE, "utf8"));
  const folder = newFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const tool = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  tool("npx", `shift 2\nexec "${process.execPath}" "${await program()}" "$@"`);
  tool("gh", 'for last; do :; done\ncp "$last" comment.md');
  const given = (text: string) =>
    text
      .replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => inputs[name] ?? action.inputs[name]?.default ?? "")
      .replaceAll(/\$\{\{.*?\}\}/g, "");
  const run = async ({ run, env = {} }: Step) => {
    const values = Object.entries(env).map(([name, value]) => [name, given(value)]);
    await promisify(execFile)("bash", ["-e", "-c", run], {
      cwd: folder,
      env: {
        ...cleanEnv({
          RUNNER_TEMP: folder,
          GITHUB_OUTPUT: join(folder, "out"),
          GITHUB_STEP_SUMMARY: join(folder, "sum"),
        }),
        ...Object.fromEntries(values),
        PATH: `${bin}:${process.env.PATH}`,
      },
    });
  };
  return { folder, steps: action.runs.steps, run, read: (name: string) => readFileSync(join(folder, name), "utf8") };
}

it("comments the plan, says whether something differs, and applies it", async () => {
  const { world, project } = await quietService();
  const { folder, steps, run, read } = await runner({ "base-url": world.url, "api-key": project.key });
  const [plan, comment, , apply] = steps;
  writeFileSync(join(folder, "millrace.config.json"), JSON.stringify({ jobs: { mail: { delivery: "pull" } } }));
  await run(plan);
  await run(comment);
  expect(read("out")).toBe("changes=true\ncode=2\n");
  expect(read("comment.md")).toMatch(/^### Millrace plan: 1 change\n[\s\S]*\+ job mail\n/);
  expect(read("sum")).toBe(read("comment.md"));
  await run(apply);
  expect((await project.api.get("/v1/jobs/mail")).status).toBe(200);
  await run(plan);
  expect(read("out")).toMatch(/changes=false\ncode=0\n$/);
});
