import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../server/src/platform/settings/config.ts";
import { systemdSteps } from "../src/production/systemd-steps.ts";
import { readEnvFile } from "../src/settings/env-file.ts";
import { millrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";

const DEPLOY = resolve(import.meta.dirname, "../../deploy");

describe("millrace init --production", () => {
  it("writes settings that the service accepts, readable by the owner only, and prints the first key", async () => {
    const cwd = newFolder();
    const { code, stdout } = await millrace(["init", "--production"], { cwd });
    const env = readEnvFile(join(cwd, ".env"));
    expect(parseConfig("serve", env, cwd)).toMatchObject({ ok: true, warnings: [] });
    expect(new Set([env.INTERNAL_SECRET, env.JWT_SIGNING_KEY, env.ENCRYPTION_KEY]).size).toBe(3);
    expect([code, stdout]).toEqual([
      0,
      `MILLRACE_API_KEY=${env.FIRST_API_KEY}\nMILLRACE_SIGNING_SECRET=${env.FIRST_SIGNING_SECRET}\n`,
    ]);
    expect(statSync(join(cwd, ".env")).mode & 0o777).toBe(0o600);
  });

  it("writes the compose file of deploy/, without its build", async () => {
    const cwd = newFolder();
    expect((await millrace(["init", "--production", "compose", "--folder", "a/b"], { cwd })).code).toBe(0);
    const minimal = readFileSync(join(DEPLOY, "compose", "minimal.yaml"), "utf8");
    const expected = minimal.replace(/^#.*\n/gm, "").replace(/ {4}build:\n(?: {6}.*\n)+/, "");
    expect(readFileSync(join(cwd, "a", "b", "compose.yaml"), "utf8")).toBe(expected);
    expect(existsSync(join(cwd, "a", "b", ".env"))).toBe(true);
  });

  it("writes the systemd unit of deploy/", async () => {
    const cwd = newFolder();
    expect((await millrace(["init", "--production", "systemd"], { cwd })).code).toBe(0);
    const unit = readFileSync(join(DEPLOY, "systemd", "millrace.service"), "utf8");
    expect(readFileSync(join(cwd, "millrace.service"), "utf8")).toBe(unit);
  });

  it.each([
    [[], ["millrace serve --settings .env"]],
    [["--folder", "a/b"], ["millrace serve --settings a/b/.env"]],
    [["--folder", "my files"], ["millrace serve --settings 'my files/.env'"]],
    [["compose", "--folder", "a"], ["docker compose --file a/compose.yaml up --detach"]],
    [
      ["systemd", "--folder", "a"],
      ["npm install --global millrace\n", "0600 a/millrace.env /etc", "0644 a/millrace.service /etc"],
    ],
  ])("%j prints the next commands with the paths of the files", async (args, expected) => {
    const { stderr } = await millrace(["init", "--production", ...args]);
    for (const part of expected) expect(stderr).toContain(part);
  });

  it("asks for no copy of settings that are where the unit reads them", () => {
    const next = systemdSteps((name) => `/etc/millrace/${name}`);
    expect(next.filter((line) => line.includes("millrace.env"))).toEqual([]);
    expect(next).toContain("install -m 0644 /etc/millrace/millrace.service /etc/systemd/system/millrace.service");
  });

  it.runIf(process.platform === "linux")("fails where no folder can be created", async () => {
    // Node's own recursive mkdir loops forever in /proc.
    const { code, stderr } = await millrace(["init", "--production", "--folder", "/proc/a/b"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/could not be written to \/proc\/a\/b: ENOENT.*--folder/s),
    ]);
  });

  it("never overwrites a file, and then writes none", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "compose.yaml"), "mine");
    const { code, stderr } = await millrace(["init", "--production", "compose"], { cwd });
    expect([code, stderr]).toEqual([5, expect.stringContaining("compose.yaml already exists")]);
    expect([existsSync(join(cwd, ".env")), readFileSync(join(cwd, "compose.yaml"), "utf8")]).toEqual([false, "mine"]);
  });

  it.each([
    [["init"], "npm create millrace-app"],
    [["init", "--production", "heroku"], "Use env, compose or systemd."],
    [["serve", "--settings", "missing.env"], "missing.env could not be read: it does not exist."],
    [["serve", "--settings", "missing.env"], "millrace init --production"],
    [["serve", "--settings", "."], "could not be read: it is a folder."],
  ])("%j exits with 5 and a hint", async (args, hint) => {
    const { code, stderr } = await millrace(args);
    expect([code, stderr]).toEqual([5, expect.stringContaining(hint)]);
  });
});
