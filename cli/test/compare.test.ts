import { beforeAll, describe, expect, it, vi } from "vitest";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { makeJob, makeWorkflow } from "../../server/test/seed/make-workflow.ts";
import { until } from "../../server/test/world/until.ts";
import { millrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { serviceEnv, type Tried } from "./service-env.ts";
import { withoutEscapes } from "./terminal.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await serviceEnv();
  const endpoint = await jobEndpoint();
  await makeJob(tried.project, { slug: "mail", endpoint_url: endpoint.url, max_attempts: 1 });
});

const run = (...args: string[]) => millrace(args, { env: tried.env });
const trigger = async (payload: object): Promise<string> =>
  JSON.parse((await run("trigger", "mail", "-d", JSON.stringify(payload), "--wait", "--json")).stdout).id;

describe("millrace runs watch and diff", () => {
  it("watch prints a line per change in a pipe, the last run as JSON, and exits with the run's code", async () => {
    const id = await trigger({ to: "ada" });
    const piped = await run("runs", "watch", id);
    expect([piped.code, piped.stdout]).toEqual([0, expect.stringMatching(/\tcompleted\t\d\/1\t\t\n$/)]);
    expect(JSON.parse((await run("runs", "watch", id, "--json")).stdout)).toMatchObject({ id, status: "completed" });
    const shown = await millrace(["runs", "watch", id], { env: tried.env, columns: 100 });
    expect(withoutEscapes(shown.stdout)).toContain(`${id}  completed`);
  });

  it("diff prints the fields that differ, and exits with 2", async () => {
    const [one, two] = [await trigger({ to: "ada", copy: 1 }), await trigger({ to: "bob", copy: 1 })];
    const { code, stdout } = await run("runs", "diff", one, two, "--json");
    const { data } = JSON.parse(stdout);
    expect([code, data.find(({ field }: { field: string }) => field === "payload.to")]).toEqual([
      2,
      { field: "payload.to", old: "ada", new: "bob" },
    ]);
    expect(data.map(({ field }: { field: string }) => field)).not.toContain("payload.copy");
    expect((await run("runs", "diff", one, one)).code).toBe(0);
    const env = { ...tried.env, HOME: newFolder() };
    await millrace(["runs", "get", two], { env });
    expect((await millrace(["runs", "diff", one, "@last"], { env })).code).toBe(2);
  });
});

describe("millrace events stats, cancel and purge", () => {
  it("counts, cancels the wait for a key, and deletes what has ended", async () => {
    const steps = [{ step_ref: "paid", type: "wait_for_event", event_key: "paid:{{payload.order}}" }];
    await makeWorkflow(tried.project, { slug: "order", steps });
    await run("workflows", "trigger", "order", "-d", '{"order": "A1"}');
    await until(
      "the wait",
      20_000,
      async () => JSON.parse((await run("events", "stats", "--json")).stdout).waiting === 1,
    );
    expect((await run("events", "stats")).stdout).toMatch(/^waiting +1$/m);
    expect((await run("events", "cancel", "paid:A1")).code).toBe(5);
    expect((await run("events", "cancel", "paid:A1", "--yes")).stderr).toBe("The wait for paid:A1 is canceled\n");
    const unknown = await run("events", "cancel", "paid:A2", "--yes");
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining("events list")]);
    const dry = await run("events", "purge", "--older-than", "0d", "--dry-run");
    expect([dry.code, dry.stderr]).toEqual([0, "1 wait would be deleted.\n"]);
    expect((await run("events", "purge", "--older-than", "0d")).code).toBe(5);
    expect((await run("events", "purge", "--older-than", "0", "-y")).stderr).toBe("1 wait deleted.\n");
    expect((await run("events", "purge", "--older-than", "soon")).code).toBe(5);
  });
});
