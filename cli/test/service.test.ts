import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../../server/test/outside/free-port.ts";
import { makeJob } from "../../server/test/seed/make-workflow.ts";
import { millrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { quietService, serviceEnv, type Tried } from "./service-env.ts";
import { millraceInTerminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await serviceEnv();
  await makeJob(tried.project, { slug: "send-mail", tags: { team: "growth" } });
});

describe("millrace jobs", () => {
  it("lists, shows, pauses and resumes jobs", async () => {
    const { env } = tried;
    expect((await millrace(["jobs", "pause", "send-mail"], { env })).stderr).toBe("send-mail is paused\n");
    expect((await millrace(["jobs", "list"], { env })).stdout).toBe(
      "send-mail\tpaused\t1\t\thttps://jobs.example.com/\n",
    );
    expect((await millrace(["jobs", "resume", "send-mail"], { env })).code).toBe(0);
    const { stdout } = await millrace(["jobs", "get", "send-mail"], { env });
    expect(stdout).toMatch(/^state +active$/m);
    expect(stdout).toMatch(/^tags +team=growth$/m);
    expect((await millrace(["jobs", "get", "send-mal"], { env })).stderr).toContain("Did you mean send-mail?");
  });
});

describe("millrace api", () => {
  it("prints the response and exits with the code for its status", async () => {
    const { env } = tried;
    const { stdout } = await millrace(["api", "get", "/v1/jobs/send-mail"], { env });
    expect(JSON.parse(stdout)).toMatchObject({ slug: "send-mail" });
    const created = await millrace(["api", "POST", "/v1/environments", "-d", "-"], {
      env,
      stdin: '{"name":"Blue","slug":"blue"}',
    });
    expect([created.code, JSON.parse(created.stdout).slug]).toEqual([0, "blue"]);
    const again = await millrace(["api", "POST", "/v1/environments", "-d", '{"name":"Blue","slug":"blue"}'], { env });
    expect(again.code).toBe(6);
    const wrong = await millrace(["api", "POST", "/v1/jobs", "-d", '{"nmae":"x"}'], { env });
    expect(wrong.code).toBe(5);
    expect(wrong.stderr).toContain("body.nmae");
    expect(wrong.stderr).toMatch(/\(422\) · request \S+/);
  });
});

describe("requests that fail", () => {
  it("exits with 3 without a key or with a wrong one, and says where the key came from", async () => {
    const { MILLRACE_BASE_URL = "" } = tried.env;
    const none = await millrace(["runs", "list"], { env: { MILLRACE_BASE_URL } });
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("No API key was found")]);
    const wrong = await millrace(["runs", "list"], { env: { MILLRACE_BASE_URL, MILLRACE_API_KEY: "svc_wrong" } });
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining("The API key comes from: environment.")]);
    const { key } = await tried.project.newKey({ scopes: ["jobs:read"] });
    expect((await millrace(["runs", "list"], { env: { MILLRACE_BASE_URL, MILLRACE_API_KEY: key } })).code).toBe(3);
  });

  it("exits with 1 if the service is unreachable, and says how to start one", async () => {
    const port = await freePort();
    const { code, stderr } = await millrace(["runs", "list", "--base-url", `http://127.0.0.1:${port}`], {
      env: tried.env,
    });
    expect(code).toBe(1);
    expect(stderr).toContain(`The service at http://127.0.0.1:${port} cannot be reached (ECONNREFUSED).`);
    expect(stderr).toContain("The URL comes from: flag. Start a service with `millrace dev`");
  });

  it("exits with 7 when rate limited, and says when to retry", async () => {
    const { project, env } = await quietService({ config: { rate_limits: { api: 0, trigger: 1, bulk_trigger: 0 } } });
    await makeJob(project, { slug: "send-mail" });
    expect((await millrace(["trigger", "send-mail"], { env })).code).toBe(0);
    const { code, stderr } = await millrace(["trigger", "send-mail"], { env });
    expect([code, stderr]).toEqual([7, expect.stringMatching(/^ {2}Retry in \d+ s\.$/m)]);
  });
});

describe("settings", () => {
  it("prefers flags over the environment, .env.local and the profile, in this order", async () => {
    const { world, project } = tried;
    const home = newFolder();
    const cwd = newFolder();
    const keys = await Promise.all(["profile", "file", "environment", "flag"].map((name) => project.newKey({ name })));
    const [profile, file, environment, flag] = keys.map(({ key }) => key);
    const signedIn = await millrace(["login", "--base-url", world.url], { env: { HOME: home }, stdin: `${profile}\n` });
    expect([signedIn.code, signedIn.stderr]).toEqual([
      0,
      expect.stringContaining('as profile. Saved as profile "default"'),
    ]);
    expect(statSync(join(home, ".config", "millrace", "config.json")).mode & 0o777).toBe(0o600);

    const whoami = async (args: string[] = [], env = {}) =>
      JSON.parse((await millrace(["whoami", "--json", ...args], { env: { HOME: home, ...env }, cwd })).stdout);
    expect(await whoami()).toMatchObject({ name: "profile", key_from: "profile", base_url: world.url });
    writeFileSync(join(cwd, ".env.local"), `# mine\nexport MILLRACE_API_KEY="${file}"\n`);
    expect(await whoami()).toMatchObject({ name: "file", key_from: ".env.local" });
    const env = { MILLRACE_API_KEY: environment ?? "" };
    expect(await whoami([], env)).toMatchObject({ name: "environment", key_from: "environment" });
    expect(await whoami(["--api-key", flag ?? ""], env)).toMatchObject({ name: "flag", key_from: "flag" });
    expect(await whoami(["--profile", "default"], env)).toMatchObject({ name: "profile", key_from: "profile" });
  });

  it("warns about misspelled variables and suggests the right ones; ignores others", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, ".env.local"), "MILRACE_BASE_URL=http://x\n");
    const env = { ...tried.env, MILLRACE_API_KYE: "x", MILLRACE_OF_MY_PROGRAM: "x", DATABASE_URI: "x" };
    const { code, stdout, stderr } = await millrace(["whoami", "--json"], { env, cwd });
    expect([code, JSON.parse(stdout).base_url]).toEqual([0, tried.world.url]);
    expect(stderr.trim().split("\n")).toEqual([
      "MILRACE_BASE_URL is ignored. Did you mean MILLRACE_BASE_URL?",
      "MILLRACE_API_KYE is ignored. Did you mean MILLRACE_API_KEY?",
    ]);
  });

  it("prompts for the key without showing it", async () => {
    const home = newFolder();
    const terminal = await millraceInTerminal(["login", "--base-url", tried.world.url, "--profile", "work"], {
      env: { HOME: home },
    });
    await terminal.shows(`API key for ${tried.world.url}`);
    terminal.type(`${tried.project.key}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).not.toContain(tried.project.key);
    expect((await millrace(["whoami", "--profile", "work"], { env: { HOME: home } })).code).toBe(0);
  });

  it("exits with 5 for a missing profile and for one that others can read", async () => {
    const home = newFolder();
    await millrace(["login", "--base-url", tried.world.url], { env: { HOME: home }, stdin: tried.project.key });
    const missing = await millrace(["whoami", "--profile", "prod"], { env: { HOME: home } });
    expect([missing.code, missing.stderr]).toEqual([5, expect.stringContaining('Profile "prod" does not exist.')]);
    chmodSync(join(home, ".config", "millrace", "config.json"), 0o644);
    const open = await millrace(["whoami"], { env: { HOME: home } });
    expect([open.code, open.stderr]).toEqual([5, expect.stringContaining("chmod 600")]);
  });

  it("reports an unwritable home folder, and suggests the environment variable", async () => {
    const home = join(newFolder(), "file");
    writeFileSync(home, "");
    const failed = await millrace(["login", "--base-url", tried.world.url], {
      env: { HOME: home },
      stdin: tried.project.key,
    });
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("config.json could not be written")]);
    expect(failed.stderr).toContain("MILLRACE_API_KEY");
    expect(failed.stderr).not.toContain("Unexpected error in millrace");
  });
});
