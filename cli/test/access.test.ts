import { beforeAll, describe, expect, it, vi } from "vitest";
import { until } from "../../server/test/world/until.ts";
import { millrace } from "./millrace.ts";
import { newFolder, spawnMillrace } from "./run-millrace.ts";
import { envOf, serviceEnv, type Tried } from "./service-env.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await serviceEnv();
});

const run = (...args: string[]) => millrace(args, { env: tried.env });

describe("millrace roles", () => {
  it("creates, lists, shows, changes and deletes a role by its name", async () => {
    const created = await run("roles", "create", "support", "--parent", "viewer", "--permission", "runs:write");
    expect([created.code, created.stderr]).toEqual([0, "support was created\n"]);
    expect((await run("roles", "list")).stdout).toMatch(/^support\tcustom\tviewer\truns:write\t$/m);
    expect((await run("roles", "get", "support")).stdout).toMatch(/^permissions +.*runs:write\n/m);
    expect((await run("roles", "get", "support")).stdout).toContain("jobs:read (from viewer)");
    expect((await run("roles", "update", "support", "--description", "Helps")).stderr).toBe("support was changed\n");
    expect((await run("roles", "update", "support")).code).toBe(5);
    expect((await run("roles", "get", "suport")).stderr).toContain("Did you mean support?");
    expect((await run("roles", "delete", "support", "--yes")).stderr).toBe("support was deleted\n");
    expect((await run("roles", "delete", "viewer", "--yes")).code).not.toBe(0);
  });
});

describe("millrace audit", () => {
  it("tail prints the newest changes with actor and object, and follows new ones", async () => {
    const project = await tried.world.project();
    const env = envOf(tried.world, project);
    await project.api.post("/v1/jobs", { name: "Mail", slug: "mail", delivery: "pull" });
    const { code, stdout } = await millrace(["audit", "tail", "--action", "job.*"], { env });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+\t\S.*\tjob\.created\tjob mail\t\S+\n$/)]);
    const following = await spawnMillrace(["audit", "tail", "-f", "-n", "1"], { env });
    await until("the first event", 30_000, () => following.output().includes("job.created"));
    await project.api.post("/v1/jobs/mail/pause");
    await until("the next event", 30_000, () => following.output().includes("job.paused"));
    following.signal("SIGINT");
    expect((await following.ended).code).toBe(130);
  });

  it("verify checks the chain", async () => {
    const { code, stdout } = await run("audit", "verify", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([0, { valid: true, checked: expect.any(Number), issues: [] }]);
  });
});

describe("millrace status and whoami", () => {
  it("says whether the service is ready and how the project does, with names", async () => {
    const { slug } = (await tried.project.api.get(`/v1/projects/${tried.project.id}`)).body;
    const { code, stdout } = await run("status");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^service +http:\/\/\S+ is ready$/m)]);
    expect(stdout).toMatch(new RegExp(`^project +${slug}$`, "m"));
    expect(stdout).toMatch(/^alerts +none firing$/m);
    expect((await run("whoami")).stdout).toMatch(new RegExp(`^project +${slug}$`, "m"));
  });

  it("leaves out what the key may not read", async () => {
    const { key } = await tried.project.newKey({ scopes: ["jobs:read"] });
    const { code, stdout } = await millrace(["status", "--json"], { env: { ...tried.env, MILLRACE_API_KEY: key } });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ready: true, runs: null, firing_alerts: null }]);
  });
});

describe("millrace profile use and logout", () => {
  it("selects the profile that commands use, and removes its key", async () => {
    const env = { HOME: newFolder() };
    const login = (...args: string[]) =>
      millrace(["login", "--base-url", tried.world.url, ...args], { env, stdin: tried.project.key });
    await login();
    await login("--profile", "work");
    const current = async () =>
      (await millrace(["profile", "list", "--json"], { env })).stdout.match(
        /"name": "(\w+)",[^}]*"is_current": true/,
      )?.[1];
    expect(await current()).toBe("default");
    expect((await millrace(["profile", "use", "work"], { env })).stderr).toBe('Commands use the profile "work".\n');
    expect(await current()).toBe("work");
    expect((await millrace(["whoami"], { env })).code).toBe(0);
    const typo = await millrace(["profile", "use", "wrok"], { env });
    expect([typo.code, typo.stderr]).toEqual([4, expect.stringContaining("Did you mean work?")]);
    expect((await millrace(["logout"], { env })).stderr).toContain('Signed out of profile "work".');
    expect(await current()).toBe("default");
    expect((await millrace(["logout", "--profile", "work"], { env })).code).toBe(4);
    expect((await millrace(["logout"], { env })).code).toBe(0);
    expect((await millrace(["whoami"], { env: { ...env, MILLRACE_BASE_URL: tried.world.url } })).code).toBe(3);
  });
});
