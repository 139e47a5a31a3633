import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { readDockerfile } from "../image/read-dockerfile.ts";
import { programIn, unpackPackages } from "./debian-packages.ts";

vi.setConfig({ testTimeout: 60_000 });

const DEPLOY = resolve(import.meta.dirname, "../../../../deploy");
const UNIT = join(DEPLOY, "systemd/millrace.service");

const run = (program: string, args: string[], input = "") => {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  return { status, text: `${stdout}${stderr}` };
};

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
if (!hasSystemd) console.warn("the systemd unit is not verified: this needs systemd-analyze");

describe.skipIf(!hasSystemd)("systemd-analyze", () => {
  it("finds nothing to say about the unit", () => {
    expect(run("systemd-analyze", ["verify", "--man=no", UNIT])).toEqual({ status: 0, text: "" });
  });

  it("rates its exposure below 2 of 10", () => {
    expect(run("systemd-analyze", ["security", "--offline=yes", "--threshold=20", UNIT]).status).toBe(0);
  });
});

const shellcheck = unpackPackages(["shellcheck"]);
if ("reason" in shellcheck) console.warn(`the commands of the images are not checked: this ${shellcheck.reason}`);

describe.skipIf("reason" in shellcheck)("shellcheck", () => {
  it.each(["Dockerfile", "compose/demo-worker/Dockerfile"])("finds nothing in the commands of %s", (path) => {
    const program = programIn("root" in shellcheck ? shellcheck.root : "", "shellcheck");
    const instructions = readDockerfile(readFileSync(join(DEPLOY, path), "utf8")).flatMap(
      (stage) => stage.instructions,
    );
    const commands = instructions.filter(({ name }) => name === "RUN").map(({ text }) => text);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands)
      expect(run(program, ["--shell=dash", "--severity=style", "-"], command)).toEqual({ status: 0, text: "" });
  });
});
