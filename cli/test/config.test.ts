import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { seedDemo } from "../../server/src/demo/seed-demo.ts";
import { until } from "../../server/test/world/until.ts";
import { makeWorld } from "../../server/test/world/world.ts";
import { HIDDEN_OF_RICH, RICH, roundTrip, VALUES, workIn } from "./config-work.ts";
import { millrace } from "./millrace.ts";
import { newFolder, spawnMillrace } from "./run-millrace.ts";
import { envOf, quietService, type Tried } from "./service-env.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await quietService();
});

describe("millrace export, plan and apply", () => {
  it("creates everything a configuration has, and finds nothing to do afterwards", async () => {
    const project = await tried.world.project();
    const { run } = workIn(tried, project, RICH);
    const planned = await run("plan", "--detailed-exitcode");
    expect([planned.code, planned.stderr]).toEqual([
      2,
      expect.stringContaining("22 to create, 3 to change, 0 to delete"),
    ]);
    expect(planned.stdout + planned.stderr).not.toContain("sk_live_1");
    const applied = await run("apply", "--yes");
    expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining("25 changes applied, 0 failed.")]);
    const alert = (await project.api.get("/v1/jobs/b-alert")).body;
    expect((await project.api.get("/v1/jobs/a-mail")).body.on_failure_job_id).toBe(alert.id);
    expect(alert.headers).toEqual({ "X-Token": "sk_live_1" });
    const again = await run("plan", "--detailed-exitcode");
    expect([again.code, again.stdout, again.stderr]).toEqual([0, "", expect.stringContaining("25 unchanged")]);
    await roundTrip(tried, envOf(tried.world, project), HIDDEN_OF_RICH);
  });

  it("reproduces the demo's project in an empty one", async () => {
    const world = await makeWorld({ config: { data_dir: newFolder() } }); // only an empty service gets the demo
    await seedDemo(world.ctx, world.url);
    const { body } = await world.admin.post("/v1/api-keys", { name: "exports", project_id: "demo" });
    const config = await roundTrip(tried, { MILLRACE_BASE_URL: world.url, MILLRACE_API_KEY: body.key });
    expect(Object.keys(config)).toEqual(expect.arrayContaining(["jobs", "workflows", "schedules", "roles", "budget"]));
  });

  it("shows a removed field as its default and a removed object as a deletion; only --prune deletes, and only its own", async () => {
    const project = await tried.world.project();
    await project.api.post("/v1/jobs", { name: "By hand", slug: "by-hand", endpoint_url: "http://127.0.0.1:9999/" });
    const job = { delivery: "pull", timeout_secs: 7, description: "kept" };
    const { run, write } = workIn(tried, project, {
      jobs: { one: job, two: job },
      budget: { monthly_budget_microusd: 1 },
    });
    expect((await run("apply", "--yes")).code).toBe(0);
    write({ jobs: { one: { delivery: "pull", description: "kept" } } });
    const planned = await run("plan", "--json", "--detailed-exitcode");
    expect(planned.code).toBe(2);
    expect(JSON.parse(planned.stdout)).toMatchObject({
      changes: [
        { action: "update", kind: "job", key: "one", fields: [{ field: "timeout_secs", old: 7, new: 300 }] },
        { action: "reset", kind: "budget", fields: [{ field: "monthly_budget_microusd", old: 1, new: null }] },
        { action: "delete", kind: "job", key: "two" },
      ],
      unmanaged: 1,
    });
    expect((await run("apply", "--yes")).code).toBe(0);
    expect((await project.api.get("/v1/jobs/two")).status).toBe(200);
    expect((await run("apply", "--yes", "--prune")).stderr).toContain("job two: deleted");
    expect((await project.api.get("/v1/jobs")).body.data.map(({ slug }: { slug: string }) => slug).sort()).toEqual([
      "by-hand",
      "one",
    ]);
    expect((await project.api.get("/v1/project-config")).body.objects).toEqual([
      { owner: "default", kind: "job", key: "one" },
    ]);
    write({ name: "other", jobs: { one: job } });
    const other = await run("plan");
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining("job one is managed by the configuration default"),
    ]);
  });

  it("finds drift, and shows the changes of steps one by one", async () => {
    const project = await tried.world.project();
    const { run } = workIn(tried, project, {
      jobs: RICH.jobs,
      queues: RICH.queues,
      workflows: RICH.workflows,
      environments: RICH.environments,
    });
    expect((await run("apply", "--yes")).stderr).toContain("0 failed");
    const { steps } = (await project.api.get("/v1/workflows/order")).body;
    await project.api.patch("/v1/workflows/order", { steps: [{ ...steps[0], max_attempts: 9 }] });
    const { code, stdout } = await run("plan", "--detailed-exitcode");
    expect(code).toBe(2);
    expect(stdout).toContain("- steps.mail.max_attempts: 9");
    expect(stdout).toContain("+ steps.wait: ");
  });

  it("refuses two applications at once", async () => {
    const project = await tried.world.project();
    const names = Array.from({ length: 12 }, (_, nth) => `job-${nth}`);
    const jobs = Object.fromEntries(names.map((name) => [name, { delivery: "pull" }]));
    const [one, two] = [workIn(tried, project, { jobs }), workIn(tried, project, { jobs })];
    const both = await Promise.all([one.run("apply", "--yes"), two.run("apply", "--yes")]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 6]);
    const { revision, objects } = (await project.api.get("/v1/project-config")).body;
    await project.api.put("/v1/project-config", { revision, objects, applying_by: "ci", applying_secs: 30 });
    const refused = await one.run("apply", "--yes");
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("ci is applying")]);
  });

  it("continues after it was killed, and owns what it created before", async () => {
    const project = await tried.world.project();
    const names = Array.from({ length: 60 }, (_, nth) => `job-${nth}`);
    const jobs = Object.fromEntries(names.map((name) => [name, { delivery: "pull" }]));
    const work = workIn(tried, project, { jobs });
    const killed = await spawnMillrace(["apply", "--yes"], { cwd: work.cwd, env: envOf(tried.world, project) });
    await until("a job", 60_000, async () => killed.output().includes(": created"));
    killed.signal("SIGKILL");
    expect((await killed.ended).code).toBeNull();
    const left = (await project.api.get("/v1/project-config")).body;
    expect([left.applying_by, left.objects.length]).toEqual([expect.any(String), names.length]);
    const continued = await work.run("apply", "--yes", "--unlock", "--json");
    const { results } = JSON.parse(continued.stdout);
    expect([continued.code, results.length > 0 && results.length < names.length]).toEqual([0, true]);
    expect((await work.run("plan", "--detailed-exitcode")).code).toBe(0);
    work.write({ jobs: {} });
    expect((await work.run("apply", "--yes", "--prune")).stderr).toContain("60 changes applied, 0 failed");
  });

  it("replaces what cannot be changed, with what belongs to it; needs only the scopes and secrets of what it changes", async () => {
    const project = await tried.world.project();
    const drain = { url: "http://127.0.0.1:9999/", auth: { type: "bearer", token: { env: "TRIED_KEY" } } };
    const config = (signature: string, min_level: string) => ({
      jobs: { mail: { delivery: "pull" } },
      event_sources: { shop: { signature, subscriptions: [{ job_id: "mail" }] } },
      log_drains: { loki: { ...drain, min_level } },
    });
    const work = workIn(tried, project, config("github", "info"));
    expect((await work.run("apply", "--yes")).code).toBe(0);
    const scopes = ["projects", "jobs", "events", "drains", "environments", "workflows", "access", "webhooks"].flatMap(
      (area) => [`${area}:read`, `${area}:write`],
    );
    const key = await project.newKey({ scopes: [...scopes, "jobs:trigger", "runs:read"] });
    const narrow = workIn(tried, { ...project, key: key.key }, config("hmac", "warn"), {});
    const applied = await narrow.run("apply", "--yes");
    expect([applied.code, applied.stderr, applied.stdout]).toEqual([
      0,
      expect.stringContaining("3 changes applied, 0 failed"),
      expect.stringContaining("-/+ event_source shop"),
    ]);
    expect((await narrow.run("plan", "--detailed-exitcode")).code).toBe(0);
    const resent = await narrow.run("apply", "--yes", "--secrets");
    expect([resent.code, resent.stderr]).toEqual([5, expect.stringContaining("not set: TRIED_KEY")]);
    expect((await work.run("plan", "--json", "--secrets")).stdout).not.toContain(VALUES.TRIED_KEY);
  });

  it("checks the steps of new workflows too, apart from what the same plan creates", async () => {
    const project = await tried.world.project();
    await project.api.put(`/v1/workflow-policies/${project.id}`, { forbidden_step_types: ["sleep"] });
    const mail = { step_ref: "mail", job_id: "new-mail" };
    const nap = { step_ref: "nap", type: "sleep", sleep_duration: "5m", depends_on: ["nobody"] };
    const jobs = { "new-mail": { delivery: "pull" } };
    const { run, write } = workIn(tried, project, { jobs, workflows: { flow: { steps: [mail, nap] } } });
    const { code, stdout } = await run("plan", "--json");
    expect([code, JSON.parse(stdout).problems]).toEqual([
      1,
      [expect.stringContaining("steps[1].depends_on[0]"), expect.stringContaining("steps[1].type")],
    ]);
    write({ jobs, workflows: { flow: { steps: [mail] } } });
    expect((await run("plan")).code).toBe(0);
  });

  it("reports the result of each object, and continues after one that failed", async () => {
    const project = await tried.world.project();
    const { run } = workIn(tried, project, { jobs: { bad: { endpoint_url: "ftp://x" }, good: { delivery: "pull" } } });
    const { code, stdout } = await run("apply", "--yes", "--json");
    expect([code, JSON.parse(stdout).results]).toMatchObject([
      1,
      [
        { key: "bad", error: expect.stringContaining("endpoint_url") },
        { key: "good", error: null },
      ],
    ]);
    expect((await project.api.get("/v1/project-config")).body).toMatchObject({
      applying_by: null,
      objects: [{ kind: "job", key: "good" }],
    });
  });

  it("refuses literal secrets, unknown fields and variables without a value, and changes nothing", async () => {
    const project = await tried.world.project();
    const { run, write } = workIn(tried, project, {
      jobs: { mail: { timeout_sec: 1, headers: { A: "literal" } } },
      qeues: {},
    });
    const wrong = await run("apply", "--yes");
    expect(wrong.code).toBe(5);
    expect(wrong.stderr).toContain("jobs.mail.timeout_sec is not a field. Did you mean timeout_secs?");
    expect(wrong.stderr).toContain("jobs.mail.headers.A must name an environment variable");
    expect(wrong.stderr).toContain("qeues is not a field. Did you mean queues?");
    write({ environments: { staging: { name: "Staging", variables: { A: { env: "NOT_SET" } } } } });
    const unset = await run("apply", "--yes");
    expect([unset.code, unset.stderr]).toEqual([5, expect.stringContaining("not set: NOT_SET")]);
    expect((await project.api.get("/v1/jobs")).body.data).toEqual([]);
  });

  it("reads TypeScript, and a folder of YAML files as `export` writes it", async () => {
    const project = await tried.world.project();
    const cwd = newFolder();
    const env = envOf(tried.world, project);
    const typed = `const secs: number = 9;\nexport default { jobs: { typed: { delivery: "pull", timeout_secs: secs } } };\n`;
    writeFileSync(join(cwd, "millrace.config.ts"), typed);
    expect((await millrace(["apply", "--yes"], { cwd, env })).stderr).toContain("job typed: created");
    expect((await millrace(["export"], { cwd, env })).stderr).toContain("environments.yaml, jobs.yaml");
    const text = readFileSync(join(cwd, "millrace", "jobs.yaml"), "utf8");
    expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=./schema.json");
    expect(parse(text)).toEqual({ jobs: { typed: { delivery: "pull", timeout_secs: 9 } } });
    expect(existsSync(join(cwd, "millrace", "queues.yaml"))).toBe(false);
    expect((await millrace(["plan"], { cwd, env })).stderr).toContain("several configurations here");
    expect((await millrace(["plan", "--detailed-exitcode", "-c", "millrace"], { cwd, env })).code).toBe(0);
    writeFileSync(join(cwd, "millrace", "more.yaml"), stringify({ jobs: { typed: {} } }));
    expect((await millrace(["plan", "-c", "millrace"], { cwd, env })).stderr).toContain(
      "jobs.typed is in several files",
    );
  });
});
