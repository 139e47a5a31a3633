import { beforeAll, describe, expect, it, vi } from "vitest";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { seedLives } from "../../server/test/seed/seed-lives.ts";
import { seedJob } from "../../server/test/seed/seed-run.ts";
import { runSql } from "../../server/test/world/database.ts";
import { until } from "../../server/test/world/until.ts";
import type { TestProject } from "../../server/test/world/world.ts";
import { millrace } from "./millrace.ts";
import { envOf, serviceEnv, type Tried } from "./service-env.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
let project: TestProject;
let env: Record<string, string>;
beforeAll(async () => {
  tried = await serviceEnv();
  project = await tried.world.project();
  env = envOf(tried.world, project);
  await fail(12);
});

/** Runs of a project from last month that failed two hours ago. */
async function fail(count: number): Promise<string[]> {
  const { connection, clock, tick } = tried.world;
  await runSql(connection, "update projects set created_at = clock() - interval '30 days' where id = $1", [project.id]);
  const job = await seedJob(connection, project.id);
  const environment_id = (await project.api.get("/v1/environments/production")).body.id as string;
  const at = new Date(Date.parse(await clock.now()) - 7_200_000).toISOString();
  const life = {
    ...{ job_id: job.id, job_version_id: job.version_id, environment_id, created_at: at, started_at: at, ended_at: at },
    ...{ status: "failed" as const, error: { code: "http_500", message: "no stock" }, http_status: 500 },
  };
  const ids = await seedLives(
    connection,
    project.id,
    Array.from({ length: count }, () => life),
  );
  // The running engine may be at it already, so that this pass has nothing left to do.
  while (await tick("sum-changes"));
  await until("the failures to be counted", 20_000, async () => {
    const [issue] = (await project.api.get(`/v1/error-issues?job_id=${job.id}`)).body.data;
    return issue && (await project.api.get(`/v1/error-issues/${issue.id}`)).body.runs === count;
  });
  return ids;
}

const said = async (...args: string[]) => (await millrace(args, { env })).stderr;

describe("millrace alerts", () => {
  it("L9 preview shows when a rule would have fired, with other settings, or before it exists", async () => {
    expect(await said("alerts", "create", "Runs fail", "--kind", "failure_rate")).toBe("Runs fail was created\n");
    const { stdout, stderr } = await millrace(["alerts", "preview", "Runs fail"], { env });
    expect(stderr).toBe(
      "It measures nothing now, and would not fire. It would have fired 1 time in the last 7d, with 2 notifications per channel.\n",
    );
    expect(stdout.split("\n").map((line) => line.split("\t").slice(2))).toEqual([["5m00s", "1"], []]);
    expect(await said("alerts", "preview", "Runs fail", "--min-runs", "13")).toContain("would not have fired");
    expect(await said("alerts", "preview", "--kind", "queue_depth")).toContain("No history is kept");
    expect((await millrace(["alerts", "preview"], { env })).code).toBe(5);
  });

  it("a channel is created and tested; history lists what fired", async () => {
    const receiver = await jobEndpoint();
    await said("alerts", "channels", "create", "night", "--kind", "webhook", "--url", receiver.url);
    expect(await said("alerts", "channels", "test", "night")).toBe("Sent 1 test.\n");
    const late = ["--window", "86400", "--channel", "night"];
    await said("alerts", "create", "Runs fail today", "--kind", "failure_rate", ...late);
    await runSql(tried.world.connection, "update alert_evaluations set next_at = clock() where project_id = $1", [
      project.id,
    ]);
    await tried.world.tick("evaluate-alert-rules");
    const { stdout } = await millrace(["alerts", "history", "--status", "firing"], { env });
    expect(stdout).toMatch(/^Runs fail today\tfiring\t.*\t100 % of the runs of the project failed in 24 h/);
  });
});

describe("millrace errors", () => {
  it("get shows counts, versions and the trend of an issue", async () => {
    const [issue] = (await project.api.get("/v1/error-issues")).body.data;
    const { stdout } = await millrace(["errors", "get", issue.id], { env });
    expect(stdout).toMatch(/failed +12 runs, 12 attempts\nversions +1\ntrend +20\d\d-\d\d-\d\d 12\n/);
  });

  it("replays every run of an issue that can be replayed, even after a hundred that cannot", async () => {
    const ids = await fail(101);
    const gone =
      "update runs set dead_lettered_at = clock(), replayed_at = case when id <> $2 then clock() end where id = any($1)";
    await runSql(tried.world.connection, gone, [ids, ids.toSorted().at(-1)]);
    const [run] = await runSql<{ job_id: string }>(tried.world.connection, "select job_id from runs where id = $1", [
      ids[0],
    ]);
    const [issue] = (await project.api.get(`/v1/error-issues?job_id=${run?.job_id}`)).body.data;
    expect(await said("errors", "replay", issue.id)).toBe("Replayed 1 run; 100 could not be replayed.\n");
  });
});
