import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { millrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { quietService, type Tried } from "./service-env.ts";
import { millraceInTerminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await quietService();
});

const run = (...args: string[]) => millrace(["jobs", ...args], { env: tried.env });

describe("millrace jobs create, edit, versions, diff and delete", () => {
  it("creates a job from options and a file", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "mail.yaml"), "timeout_secs: 60\nendpoint_url: http://127.0.0.1:9999/\n");
    const args = ["jobs", "create", "mail", "-f", "mail.yaml", "--endpoint", "http://127.0.0.1:9999/mail"];
    expect(await millrace(args, { env: tried.env, cwd })).toEqual({
      code: 0,
      stdout: "",
      stderr: "mail was created\n",
    });
    expect((await tried.project.api.get("/v1/jobs/mail")).body).toMatchObject({
      ...{ name: "mail", timeout_secs: 60, endpoint_url: "http://127.0.0.1:9999/mail" },
    });
    expect((await run("create", "report", "--pull", "--json")).stdout).toContain('"delivery": "pull"');
    expect((await run("create", "both", "--pull", "--endpoint", "http://127.0.0.1:9999/")).code).toBe(5);
  });

  it("edits with -d, lists the versions and compares them", async () => {
    await run("create", "edited", "--pull");
    expect((await run("edit", "edited", "-d", '{"timeout_secs": 60}')).stderr).toBe("edited has the new version 2\n");
    expect((await run("edit", "edited", "-d", '{"priority": 5}')).stderr).toBe("edited was changed (version 2)\n");
    expect((await run("edit", "edited", "-d", '{"timeout": 60}')).code).toBe(5);
    expect((await run("versions", "edited")).stdout).toMatch(/^2\tpull\t3\t60 s\t.+\n1\tpull\t3\t300 s\t.+\n$/);
    expect(await run("diff", "edited", "1")).toEqual({ code: 2, stdout: "timeout_secs\t300\t60\n", stderr: "" });
    expect((await run("diff", "edited", "2", "2")).code).toBe(0);
    const missing = await run("diff", "edited", "7");
    expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining("versions 2, 1.")]);
    expect((await run("diff", "edted", "1")).stderr).toContain("Did you mean edited?");
  });

  it("opens an editor, sends only what changed, and keeps the text if it cannot be saved", async () => {
    await run("create", "opened", "--pull");
    const edit = (editor: string) =>
      millraceInTerminal(["jobs", "edit", "opened"], { env: { ...tried.env, EDITOR: editor } });
    const saved = await edit("sed -i 's/timeout_secs: 300/timeout_secs: 77/'");
    expect([await saved.ended, saved.text()]).toEqual([0, "opened has the new version 2\n"]);
    const unchanged = await edit("true");
    expect([await unchanged.ended, unchanged.text()]).toEqual([0, "Nothing was changed.\n"]);
    const refused = await edit("sed -i 's/timeout_secs: 77/timeout_secs: 0/'");
    expect([await refused.ended, refused.text()]).toEqual([5, expect.stringContaining("is kept in")]);
    const piped = await run("edit", "opened");
    expect([piped.code, piped.stderr]).toEqual([5, expect.stringContaining("An editor needs a terminal.")]);
  });

  it("deletes after a confirmation", async () => {
    await run("create", "gone", "--pull");
    expect((await run("delete", "gone")).code).toBe(5);
    expect((await run("delete", "gone", "--yes")).stderr).toBe("gone was deleted\n");
    expect((await run("get", "gone")).code).toBe(4);
  });
});

describe("--template, --no-input and --quiet", () => {
  it("prints each object with its fields", async () => {
    await run("create", "templated", "--pull");
    const args = ["list", "--template", "{{slug}} v{{version}}\\t{{tags}}{{cron}} {{ no.such.field }}."];
    expect((await run(...args)).stdout).toContain("templated v1\t{} .\n");
    expect((await run("get", "templated", "--template", "{{slug}}")).stdout).toBe("templated\n");
    expect((await millrace(["whoami", "--template", "{{permissions.0}}"], { env: tried.env })).stdout).toMatch(/^\w/);
  });

  it("refuses a template without fields, with --json, and for a command that prints no objects", async () => {
    for (const args of [
      ["jobs", "list", "--template", "slug"],
      ["jobs", "list", "--json", "--template", "{{slug}}"],
      ["completion", "bash", "--template", "{{slug}}"],
    ]) {
      const { code, stdout, stderr } = await millrace(args, { env: tried.env });
      expect([code, stdout, stderr]).toEqual([5, "", expect.stringContaining("emplate")]);
    }
    const failed = await run("get", "nowhere", "--template", "{{slug}}");
    expect([failed.code, failed.stderr]).toEqual([4, expect.stringMatching(/^✗ Job "nowhere" does not exist\./)]);
  });

  it("asks nothing with --no-input, not even in a terminal", async () => {
    await run("create", "kept", "--pull");
    const asked = await millraceInTerminal(["jobs", "delete", "kept", "--no-input"], { env: tried.env });
    expect([await asked.ended, asked.text()]).toEqual([5, expect.stringContaining("Pass --yes")]);
    const login = await millraceInTerminal(["login", "--base-url", tried.world.url, "--no-input"]);
    expect([await login.ended, login.text()]).toEqual([5, expect.stringContaining("No API key was given.")]);
  });

  it("draws no progress bar with --quiet", async () => {
    const args = ["export", "--json"];
    const drawn = await millrace(args, { env: tried.env, columns: 100 });
    expect(drawn.stderr).toContain("reading the project");
    const quiet = await millrace([...args, "--quiet"], { env: tried.env, columns: 100 });
    expect([quiet.code, quiet.stderr]).toEqual([0, ""]);
  });
});
