import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { nextSteps } from "../../../tools/release/next-steps.mjs";

it("the first command of a release pushes the commit and the tag", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const identity = ["author", "committer"].flatMap((who) => [
    [`GIT_${who.toUpperCase()}_NAME`, "a"],
    [`GIT_${who.toUpperCase()}_EMAIL`, "a@example.com"],
  ]);
  const env = { PATH: process.env.PATH, HOME: folder, ...Object.fromEntries(identity) };
  const run = (command: string) =>
    execFileSync("sh", ["-c", command], { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
  run("git init -q --bare -b main remote && git init -q -b main . && git remote add origin remote");
  writeFileSync(join(folder, "version"), "7.8.8");
  run("git add version && git commit -qm first && git push -qu origin main");
  writeFileSync(join(folder, "version"), "7.8.9");

  run(nextSteps("7.8.9", [])[0] ?? "");
  expect(run("git -C remote show v7.8.9:version && git -C remote show main:version")).toBe("7.8.97.8.9");
});

it("a version before a release gets neither the tags nor the channel that users follow", () => {
  const steps = nextSteps("1.0.0-rc.1", ["millrace.tgz"]).join("\n");
  expect(steps).toContain("npm publish --tag next millrace.tgz");
  expect(steps.match(/-t \S+/g)).toEqual(["-t ghcr.io/millrace/millrace:1.0.0-rc.1"]);
  expect(
    nextSteps("1.2.3", [])
      .join("\n")
      .match(/-t \S+:\S+/g),
  ).toHaveLength(4);
});
