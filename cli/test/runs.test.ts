import { beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "../../server/src/platform/ids.ts";
import { makeJob } from "../../server/test/seed/make-workflow.ts";
import { runningRun } from "../../server/test/seed/running-run.ts";
import { seedLogs } from "../../server/test/seed/seed-logs.ts";
import { type SeedRun, seedRun } from "../../server/test/seed/seed-run.ts";
import { until } from "../../server/test/world/until.ts";
import { millrace, startMillrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { envOf, serviceEnv, type Tried } from "./service-env.ts";
import { millraceInTerminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await serviceEnv();
});

/** Creates a project with a paused job and `count` runs of it, so that lists contain only what the test created. */
async function projectWith(count: number, status: "failed" | "pending" = "failed") {
  const project = await tried.world.project();
  const job = await makeJob(project, { slug: "send-mail" });
  await project.api.post("/v1/jobs/send-mail/pause");
  const { body } = await project.api.get("/v1/jobs/send-mail");
  const ids: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    const seeded = { job_id: job.id, job_version_id: body.version_id, status };
    const made = status === "pending" ? (await project.api.post("/v1/jobs/send-mail/trigger", {})).body.id : undefined;
    ids.push(made ?? (await seedRun(tried.world.connection, project.id, seeded)));
  }
  return { project, ids, env: envOf(tried.world, project) };
}

describe("millrace runs list", () => {
  it('treats commas in an error term as "or"', async () => {
    const { project, env } = await projectWith(1);
    const error = { code: "boom", message: "It broke." };
    const id = await seedRun(tried.world.connection, project.id, { status: "failed", error });
    const { stdout } = await millrace(["runs", "list", "-q", "error:timeout,boom"], { env });
    expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual([id, ""]);
  });

  it("prints a table with a header on a terminal, and tab-separated lines without one in a pipe", async () => {
    const { ids, env } = await projectWith(2);
    const terminal = await millraceInTerminal(["runs", "list"], { env });
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).toMatch(/^ID +JOB +STATUS +ATTEMPTS +CREATED +DURATION +ERROR$/m);
    expect(terminal.text()).toMatch(new RegExp(`^${ids[1]} +send-mail +failed`, "m"));
    expect(terminal.raw()).toContain("\x1b[31mfailed\x1b[39m");
    const piped = await millrace(["runs", "list"], { env });
    const rows = piped.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t").slice(0, 3));
    expect(rows).toEqual([
      [ids[1], "send-mail", "failed"],
      [ids[0], "send-mail", "failed"],
    ]);
  });

  it("prints no colors on a terminal with NO_COLOR or --no-color", async () => {
    const { env } = await projectWith(1);
    for (const run of [
      await millrace(["runs", "list"], { env: { ...env, NO_COLOR: "1" }, columns: 160 }),
      await millrace(["runs", "list", "--no-color"], { env, columns: 160 }),
    ]) {
      expect(run.code).toBe(0);
      expect(run.stdout).toMatch(/^ID +JOB .*failed/ms);
      expect(run.stdout).not.toContain("\x1b[");
    }
  });

  it("--json prints one document with `data` and `has_more`, --ndjson one run per line; -q and --limit apply", async () => {
    const { ids, env } = await projectWith(3);
    const json = JSON.parse(
      (await millrace(["runs", "list", "-q", "status:failed", "-n", "2", "--json"], { env })).stdout,
    );
    expect(json).toMatchObject({ data: [{ id: ids[2] }, { id: ids[1] }], has_more: true });
    const lines = (await millrace(["runs", "list", "--ndjson"], { env })).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids.toReversed());
    expect((await millrace(["runs", "list", "-q", "status:completed"], { env })).stderr).toBe("No runs.\n");
  });

  it("underlines the issue in a query and exits with 5", async () => {
    const { code, stderr } = await millrace(["runs", "list", "-q", "job:x status:done"], { env: tried.env });
    expect(code).toBe(5);
    expect(stderr).toContain(["  job:x status:done", `  ${" ".repeat(13)}^^^^ must be one of pending,`].join("\n"));
  });
});

describe("millrace runs get", () => {
  it("accepts an id, a prefix of one, or @last, the run used last", async () => {
    const { ids, env } = await projectWith(2);
    const [id = ""] = ids;
    const home = { ...env, HOME: newFolder() };
    expect((await millrace(["runs", "get", id], { env: home })).stdout).toMatch(/^status +failed$/m);
    const last = JSON.parse((await millrace(["runs", "get", "@last", "--json"], { env: home })).stdout);
    expect(last.id).toBe(id);
    const byPrefix = JSON.parse((await millrace(["runs", "get", id.slice(0, 30), "--json"], { env: home })).stdout);
    expect(byPrefix.id).toBe(id);
    expect(await millrace(["runs", "get", "0198"], { env })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("too short"),
    });
    expect(await millrace(["runs", "get", "00000000-0000"], { env })).toMatchObject({ code: 4 });
  });

  it("shows who created and who canceled the run, with their ids", async () => {
    const { project, ids, env } = await projectWith(1, "pending");
    const twin = await project.newKey();
    await twin.api.post(`/v1/runs/${ids[0]}/cancel`);
    const { stdout } = await millrace(["runs", "get", ids[0] ?? ""], { env });
    expect(stdout).toMatch(new RegExp(`^created by +test key \\(${project.key_id}\\)$`, "m"));
    expect(stdout).toMatch(new RegExp(`^ended by +${twin.id}$`, "m"));
  });

  it("exits with 4 for a run of another project, and prints the request id", async () => {
    const { ids } = await projectWith(1);
    const { code, stderr } = await millrace(["runs", "get", ids[0] ?? ""], { env: tried.env });
    expect([code, stderr]).toEqual([4, expect.stringMatching(/not_found \(404\) · request \S+/)]);
  });
});

describe("millrace runs logs", () => {
  it("prints the lines in order and escapes control characters", async () => {
    const { project, ids, env } = await projectWith(1);
    await seedLogs(tried.world.connection, 120, {
      project_id: project.id,
      run_id: ids[0] ?? "",
      message: "line %\x1b[2J",
    });
    const { stdout } = await millrace(["runs", "logs", ids[0] ?? ""], { env });
    const messages = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("info  ")[1]);
    expect(messages).toEqual(Array.from({ length: 120 }, (_, nth) => `line ${nth + 1}\\x1b[2J`));
    expect(JSON.parse((await millrace(["runs", "logs", ids[0] ?? "", "--json"], { env })).stdout).data).toHaveLength(
      120,
    );
  });

  it("-f prints every line once, including earlier ones, and exits with the code for the run's status", async () => {
    const { world, project, env } = tried;
    const run = await runningRun(world, project, { accepted: true });
    await run.sdk.post("/log", { message: "before" });
    const following = startMillrace(["runs", "logs", "-f", run.run_id], { env });
    await until("the first line", 20_000, () => following.output().includes("before"));
    await run.sdk.post("/log", { message: "after", level: "warn" });
    await run.sdk.post("/fail", { error: { code: "broken", message: "it broke" }, retryable: false });
    const { code, stdout } = await following.ended;
    expect(stdout.match(/before|after/g)).toEqual(["before", "after"]);
    expect(code).toBe(8);
  });
});

describe("millrace runs explain", () => {
  it("prints what blocks a run, and the command that unblocks it", async () => {
    const { env, project } = tried;
    await makeJob(project, { slug: "held" });
    await project.api.post("/v1/jobs/held/pause");
    const { stdout: id } = await millrace(["trigger", "held"], { env });
    const { stdout } = await millrace(["runs", "explain", id.trim()], { env });
    expect(stdout).toMatch(/^paused_job {2}/m);
    expect(stdout).toMatch(/^ {2}millrace api POST '\/v1\/jobs\/\S+\/resume'/m);
  });
});

describe("millrace runs tail", () => {
  it("prints each change of matching runs, and stops after --limit", async () => {
    const { env, project } = tried;
    await makeJob(project, { slug: "tailed" });
    await project.api.post("/v1/jobs/tailed/pause");
    const tail = startMillrace(["runs", "tail", "-q", "job:tailed", "-n", "2", "--ndjson"], { env });
    await until("the stream", 20_000, () => tail.output().includes("Watching"));
    await project.api.post("/v1/jobs/held/trigger", {});
    const { body } = await project.api.post("/v1/jobs/tailed/trigger", {});
    await project.api.post(`/v1/runs/${body.id}/cancel`);
    const { code, stdout } = await tail.ended;
    const changes = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(changes.map((change) => [change.id, change.object.status])).toEqual([
      [body.id, "pending"],
      [body.id, "canceled"],
    ]);
    expect(code).toBe(0);
  });

  it("exits with 130 on Ctrl-C in a terminal", async () => {
    const terminal = await millraceInTerminal(["runs", "tail"], { env: tried.env });
    await terminal.shows("Watching; press Ctrl-C to stop.");
    terminal.type("\x03");
    expect(await terminal.ended).toBe(130);
    expect(terminal.text()).not.toContain("✗");
  });
});

describe("millrace runs cancel", () => {
  it("cancels by id, also what is canceled already, and exits with 6 for a run that ended otherwise", async () => {
    const { ids, env } = await projectWith(1, "pending");
    for (const _ of ["now", "already"]) {
      const { code, stdout } = await millrace(["runs", "cancel", ids[0] ?? "", "--reason", "no longer"], { env });
      expect([code, stdout]).toEqual([0, `${ids[0]}\tcanceled\t\n`]);
    }
    const failed = await projectWith(1);
    expect((await millrace(["runs", "cancel", failed.ids[0] ?? ""], { env: failed.env })).code).toBe(6);
  });

  it("cancels by query: --dry-run counts, a pipe requires --yes", async () => {
    const { project, env } = await projectWith(3, "pending");
    const query = ["runs", "cancel", "-q", "status:pending"];
    expect((await millrace([...query, "--dry-run", "--json"], { env })).stdout).toBe(
      `${JSON.stringify({ dry_run: true, count: 3 }, null, 2)}\n`,
    );
    const unasked = await millrace(query, { env });
    expect([unasked.code, unasked.stderr]).toEqual([
      5,
      expect.stringContaining("Cancel 3 runs? Cannot ask for confirmation here."),
    ]);
    const done = await millrace([...query, "--yes"], { env });
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("3 succeeded, 0 skipped, 0 failed")]);
    const { body } = await project.api.get("/v1/runs?status=canceled");
    expect(body.data).toHaveLength(3);
  });

  it("asks for confirmation in a terminal, and changes nothing on No", async () => {
    const { project, env } = await projectWith(2, "pending");
    const terminal = await millraceInTerminal(["runs", "cancel", "-q", "status:pending"], { env });
    await terminal.shows("Cancel 2 runs?");
    terminal.type("\r");
    expect(await terminal.ended).toBe(1);
    expect(terminal.text()).toContain("Nothing was changed.");
    expect((await project.api.get("/v1/runs?status=pending")).body.data).toHaveLength(2);
    const again = await millraceInTerminal(["runs", "cancel", "-q", "status:pending"], { env });
    await again.shows("Cancel 2 runs?");
    again.type("y");
    expect(await again.ended).toBe(0);
    expect((await project.api.get("/v1/runs?status=canceled")).body.data).toHaveLength(2);
  });

  it("rejects ids together with a query, neither of them, and an empty query", async () => {
    for (const args of [["x", "-q", "status:pending"], [], ["-q", " "]]) {
      expect((await millrace(["runs", "cancel", ...args], { env: tried.env })).code).toBe(5);
    }
  });
});

describe("millrace runs replay", () => {
  it("replays by id with another payload, and sets @last to the new run", async () => {
    const { ids, env } = await projectWith(1);
    const home = { ...env, HOME: newFolder() };
    const { code, stdout } = await millrace(["runs", "replay", ids[0] ?? "", "-d", '{"fixed":true}'], { env: home });
    expect(code).toBe(0);
    const last = JSON.parse((await millrace(["runs", "get", "@last", "--json"], { env: home })).stdout);
    expect(last).toMatchObject({ id: stdout.trim(), replay_of: ids[0], payload: { fixed: true } });
  });

  it("replays by query after a dry run, each as a new run", async () => {
    const { ids, env } = await projectWith(3);
    const query = ["runs", "replay", "-q", "status:failed"];
    expect((await millrace([...query, "--dry-run"], { env })).stderr).toBe("3 runs would be replayed.\n");
    const { code, stdout } = await millrace([...query, "--yes", "--ndjson"], { env });
    const results = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, results.map(({ replay_of }) => replay_of).toSorted()]).toEqual([0, ids.toSorted()]);
  });

  it("counts only runs that can be replayed in a dry run, and skips the others in the replay", async () => {
    const { project, env } = await projectWith(0);
    const { id: job_id } = (await project.api.get("/v1/jobs/send-mail")).body;
    const seed = (run: SeedRun = {}) =>
      seedRun(tried.world.connection, project.id, { job_id, status: "failed", is_dead_letter: true, ...run });
    const ids = [await seed(), await seed()];
    const replayed = await seed();
    await project.api.post(`/v1/runs/${replayed}/replay`);
    const step = await seed({ workflow_run_id: ids[0] ?? "" });
    const query = ["runs", "replay", "-q", "status:failed"];
    expect((await millrace([...query, "--dry-run"], { env })).stderr).toMatch(
      /^2 runs would be replayed\.\n2 cannot be replayed: 1 belongs_to_workflow, 1 already_replayed\.\n$/,
    );
    const named = [replayed, step, ids[0] ?? "", newId()];
    const byName = await millrace(["runs", "replay", ...named, "--dry-run", "--json"], { env });
    expect(JSON.parse(byName.stdout)).toEqual({ dry_run: true, count: 1, refused: 3 });
    const { code, stdout } = await millrace([...query, "--yes", "--json"], { env });
    const { data } = JSON.parse(stdout);
    expect([code, data.map(({ replay_of }: { replay_of: string }) => replay_of).toSorted()]).toEqual([
      0,
      ids.toSorted(),
    ]);
  });
});
