import { beforeAll, describe, expect, it, vi } from "vitest";
import { jobEndpoint } from "../../server/test/job-endpoint.ts";
import { makeJob, makeWorkflow } from "../../server/test/make-workflow.ts";
import { until } from "../../server/test/until.ts";
import { millrace, startMillrace } from "./millrace.ts";
import { serviceEnv, type Tried } from "./service-env.ts";
import { millraceInTerminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await serviceEnv();
  const { project } = tried;
  const endpoint = await jobEndpoint();
  await makeJob(project, { slug: "work", endpoint_url: endpoint.url, max_attempts: 1 });
  await makeWorkflow(project, {
    slug: "order",
    steps: [
      { step_ref: "validate", job_id: "work" },
      { step_ref: "paid", type: "wait_for_event", event_key: "paid:{{payload.order}}" },
      { step_ref: "ship", job_id: "work", depends_on: ["validate", "paid"] },
    ],
  });
});

async function startOrder(order: string): Promise<string> {
  const { body } = await tried.project.api.post("/v1/workflows/order/trigger", { payload: { order } });
  await until("the wait", 20_000, async () => (await tried.project.api.get(`/v1/events/paid:${order}`)).status === 200);
  return body.id;
}

describe("millrace workflow-runs watch", () => {
  it("redraws a tree on a terminal until the run ends", async () => {
    const id = await startOrder("T1");
    const terminal = await millraceInTerminal(["workflow-runs", "watch", id], { env: tried.env });
    await terminal.shows(/◷ paid wait_for_event {2}waiting/);
    await terminal.shows("✓ validate  completed");
    await terminal.shows(/^[├└]─ ◷ paid .*\n {3}└─ ○ ship {2}pending.*\(also after validate\)$/m);
    await tried.project.api.post("/v1/events/paid:T1/send", { payload: { amount: 12 } });
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).toContain("✓ ship  completed");
    expect(terminal.raw()).toContain("\x1b[4A"); // redrawn over the previous four lines
  });

  it("prints a line per change in a pipe, and exits with 9 if the run was canceled", async () => {
    const id = await startOrder("T2");
    const watching = startMillrace(["workflow-runs", "watch", id], { env: tried.env });
    await until("the wait", 20_000, () => watching.output().includes("paid\twaiting"));
    await tried.project.api.post(`/v1/workflow-runs/${id}/cancel`);
    const { code, stdout } = await watching.ended;
    expect(stdout).not.toContain("\x1b");
    expect(stdout).toMatch(/\tpaid\tcanceled\n/);
    expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([9, expect.stringMatching(/^\S+\t\tcanceled$/)]);
  });

  it("--json prints the last state, --ndjson every state", async () => {
    const id = await startOrder("T3");
    await tried.project.api.post("/v1/events/paid:T3/send", {});
    const json = await millrace(["workflow-runs", "watch", id, "--json"], { env: tried.env });
    expect(JSON.parse(json.stdout).run).toMatchObject({ id, status: "completed" });
    const ndjson = await millrace(["workflow-runs", "watch", id, "--ndjson"], { env: tried.env });
    expect(JSON.parse(ndjson.stdout.trim().split("\n").at(-1) ?? "").run.status).toBe("completed");
  });
});

describe("millrace workflow-runs list and explain", () => {
  it("list workflow runs and explain decisions", async () => {
    const id = await startOrder("T4");
    const list = await millrace(["workflow-runs", "list", "--workflow", "order", "--status", "running"], {
      env: tried.env,
    });
    expect(list.stdout.split("\n").map((line) => line.split("\t").slice(0, 3))).toContainEqual([id, "running", "1"]);
    const { stdout } = await millrace(["workflow-runs", "explain", id.slice(0, 30), "--step", "paid"], {
      env: tried.env,
    });
    expect(stdout).toMatch(/^\S+\tpaid\t(start|wait)\t/m);
    expect(stdout).not.toContain("\tvalidate\t");
  });
});

describe("millrace events", () => {
  it("send resumes the waiting run, and exits with 6 for another payload", async () => {
    await startOrder("E1");
    const sent = await millrace(["events", "send", "paid:E1", "-d", '{"amount":1}'], { env: tried.env });
    expect([sent.code, sent.stderr]).toEqual([0, expect.stringMatching(/^Received by workflow run /)]);
    expect((await millrace(["events", "send", "paid:E1", "-d", '{"amount":2}'], { env: tried.env })).code).toBe(6);
    expect((await millrace(["events", "send", "unknown-key"], { env: tried.env })).code).toBe(4);
    const kept = await millrace(["events", "send", "later", "--buffer-secs", "60", "--json"], { env: tried.env });
    expect(JSON.parse(kept.stdout)).toMatchObject({ buffered: true });
  });

  it("send --prefix lists the recipients, asks for confirmation, and sends", async () => {
    await startOrder("P1");
    await startOrder("P2");
    const args = ["events", "send", "--prefix", "paid:P"];
    const dry = await millrace([...args, "--dry-run"], { env: tried.env });
    expect([dry.code, dry.stderr]).toEqual([0, "2 waits would receive it.\n"]);
    expect(dry.stdout.split("\n").map((line) => line.split("\t")[0])).toEqual(["paid:P1", "paid:P2", ""]);
    expect((await millrace(args, { env: tried.env })).code).toBe(5);
    const sent = await millrace([...args, "--yes", "--json"], { env: tried.env });
    expect(JSON.parse(sent.stdout)).toMatchObject({ resolved: 2, dry_run: false });
  });

  it("watch follows a wait until it ends, and list shows it", async () => {
    await startOrder("W1");
    const listed = await millrace(["events", "list", "--status", "waiting", "--prefix", "paid:W"], { env: tried.env });
    expect(listed.stdout).toMatch(/^paid:W1\twaiting\tevent\t/);
    const watching = startMillrace(["events", "watch", "paid:W1"], { env: tried.env });
    await until("the wait", 20_000, () => watching.output().includes("waiting"));
    await tried.project.api.post("/v1/events/paid:W1/send", {});
    const { code, stdout } = await watching.ended;
    expect([
      code,
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[1]),
    ]).toEqual([0, ["waiting", "received"]]);
  });
});
