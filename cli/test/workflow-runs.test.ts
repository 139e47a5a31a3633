import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "../../server/src/platform/ids.ts";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { makeJob, makeWorkflow } from "../../server/test/seed/make-workflow.ts";
import { until } from "../../server/test/world/until.ts";
import { millrace, startMillrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
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
    expect(list.stdout.split("\n").map((line) => line.split("\t").slice(0, 3))).toContainEqual([
      id,
      "order",
      "running",
    ]);
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

describe("millrace workflow-runs pause, resume, retry-step, cancel", () => {
  it("stop and continue a run and its steps", async () => {
    const id = await startOrder("V1");
    const run = (...args: string[]) => millrace(["workflow-runs", ...args], { env: tried.env });
    expect((await run("pause", id)).stderr).toBe(`${id} is paused (paused)\n`);
    expect((await run("resume", "@last")).stderr).toBe(`${id} was resumed (running)\n`);
    const early = await run("retry-step", id, "ship");
    expect([early.code, early.stderr]).toEqual([6, expect.stringContaining("ship")]);
    const canceled = await run("cancel", id, "--reason", "withdrawn", "--json");
    expect(JSON.parse(canceled.stdout)).toMatchObject({ status: "canceled", error: { message: "withdrawn" } });
    expect((await run("cancel", newId())).code).toBe(4);
  });

  it("approve and reject a step with a comment", async () => {
    await makeWorkflow(tried.project, { slug: "release", steps: [{ step_ref: "sign-off", type: "approval" }] });
    const start = async () => {
      const { stdout } = await millrace(["workflows", "trigger", "release"], { env: tried.env });
      const id = stdout.trim();
      const stepOf = async () => (await tried.project.api.get(`/v1/workflow-runs/${id}/steps/sign-off`)).body;
      await until("the approval", 20_000, async () => (await stepOf()).status === "waiting");
      return { id, stepOf };
    };
    const first = await start();
    const args = ["workflow-runs", "approve", "@last", "sign-off", "--comment", "looks good"];
    expect((await millrace(args, { env: tried.env })).stderr).toBe("sign-off is approved\n");
    expect(await first.stepOf()).toMatchObject({ status: "completed", output: { comment: "looks good" } });
    const second = await start();
    expect((await millrace(["workflow-runs", "reject", second.id, "sign-off"], { env: tried.env })).code).toBe(0);
    expect(await second.stepOf()).toMatchObject({ status: "failed" });
  });
});

describe("millrace workflows", () => {
  const run = (...args: string[]) => millrace(["workflows", ...args], { env: tried.env });

  it("lists, shows and draws them", async () => {
    expect((await run("list")).stdout).toMatch(/^order\tenabled\t1\t3\t/m);
    expect((await run("get", "order")).stdout).toContain("ship after validate, paid");
    expect((await run("graph", "order")).stdout).toBe(
      "├─ validate\n└─ paid [wait_for_event]\n   └─ ship (also after validate)\n",
    );
    const mermaid = (await run("graph", "order", "--format", "mermaid")).stdout;
    expect(mermaid).toContain('s1["paid<br/>wait_for_event"]');
    expect(mermaid).toContain("s1 --> s2");
    const svg = (await run("graph", "order", "--format", "svg")).stdout;
    expect(svg).toMatch(/^<svg xmlns=[\s\S]*>paid<\/text>[\s\S]*<\/svg>\n$/);
    expect(svg.match(/<path d="M/g)).toHaveLength(2);
    expect((await run("graph", "order", "--format", "png")).code).toBe(5);
    const typo = await run("get", "odrer");
    expect([typo.code, typo.stderr]).toEqual([4, expect.stringContaining("Did you mean order?")]);
  });

  it("trigger --watch follows the run, and its exit code is that of the run", async () => {
    await makeWorkflow(tried.project, { slug: "short", steps: [{ step_ref: "only", job_id: "work" }] });
    const { code, stdout } = await run("trigger", "short", "--watch");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\tonly\tcompleted\n/)]);
  });

  it("apply creates a workflow, then a version; plan and simulate change nothing", async () => {
    const cwd = newFolder();
    const file = join(cwd, "refund.json");
    const write = (steps: object[], name = "Refund") =>
      writeFileSync(file, JSON.stringify({ name, slug: "refund", steps }));
    const apply = (...args: string[]) =>
      millrace(["workflows", "apply", "-f", "refund.json", ...args], { env: tried.env, cwd });
    write([{ step_ref: "pay", job_id: "nowhere" }]);
    expect(await apply("--dry-run")).toMatchObject({ code: 5, stderr: expect.stringContaining("steps[0].job_id") });
    write([{ step_ref: "pay", job_id: "work" }]);
    expect((await apply("--dry-run")).stderr).toContain("It does not exist and would be created");
    expect((await apply()).stderr).toBe("refund was created\n");
    expect((await apply()).stderr).toBe("refund is up to date (version 1)\n");
    write([{ step_ref: "pay", job_id: "work" }], "Refunds");
    expect((await apply()).stderr).toBe("refund was changed (version 1)\n");
    write([
      { step_ref: "pay", job_id: "work" },
      { step_ref: "mail", job_id: "work", depends_on: ["pay"], condition: "payload.mail == true" },
    ]);
    expect((await apply()).stderr).toBe("refund has the new version 2\n");
    const simulated = await run("simulate", "refund", "-d", '{"mail": false}');
    expect([simulated.code, simulated.stdout]).toEqual([0, expect.stringMatching(/^mail\tskipped\t/m)]);
    write([{ step_ref: "pay", job_id: "work", depends_on: ["nothing"] }]);
    const plan = await millrace(["workflows", "plan", "refund", "-f", "refund.json"], { env: tried.env, cwd });
    expect([plan.code, plan.stderr]).toEqual([5, expect.stringContaining("depends_on[0]: is not a step")]);
    expect((await apply()).code).toBe(5);
    expect((await run("versions", "refund")).stdout.split("\n").map((line) => line.split("\t")[0])).toEqual([
      "2",
      "1",
      "",
    ]);
  });

  it("apply takes a folder of JSON and YAML, sub-workflows first, and continues after an error", async () => {
    const cwd = newFolder();
    const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
    const apply = (...args: string[]) => millrace(["workflows", "apply", "-f", ".", ...args], { env: tried.env, cwd });
    const parent = {
      name: "A",
      slug: "a-parent",
      steps: [{ step_ref: "sub", type: "sub_workflow", workflow_id: "z-child" }],
    };
    write("a.json", JSON.stringify(parent));
    write("b.json", JSON.stringify({ name: "B", slug: "b-broken", steps: [{ step_ref: "x", job_id: "nowhere" }] }));
    write("z.yaml", "name: Z\nslug: z-child\nsteps:\n  - step_ref: only\n    job_id: work\n");
    expect((await apply("--dry-run")).stderr).toMatch(
      /^z-child would be created\na-parent would be created\nb\.json: body\.steps\[0\]\.job_id .+\n/,
    );
    const applied = await apply();
    expect([applied.code, applied.stdout]).toEqual([1, ""]);
    expect(applied.stderr).toMatch(
      /^z-child was created\na-parent was created\nb\.json: .+\n2 workflows applied, 1 failed\.\n$/,
    );
    write("b.json", JSON.stringify({ name: "B", slug: "b-broken", steps: [{ step_ref: "x", job_id: "work" }] }));
    const again = await apply("--json");
    expect([again.code, JSON.parse(again.stdout).results.map(({ error }: { error: unknown }) => error)]).toEqual([
      0,
      [null, null, null],
    ]);
  });

  it("canary routes a share of runs to a version and ends", async () => {
    const started = await run("canary", "start", "refund", "1", "--traffic", "5");
    expect([started.code, started.stderr]).toEqual([0, "Version 1 gets 5 % of new runs.\n"]);
    expect((await run("canary", "set", "refund", "25")).stderr).toBe("Version 1 gets 25 % of new runs.\n");
    expect((await run("canary", "set", "refund", "250")).code).toBe(5);
    expect((await run("canary", "show", "refund")).stdout).toMatch(/^2\t0\t.*\n1\t0\t/);
    expect((await run("canary", "rollback", "refund")).stderr).toBe("Version 1 gets no new runs.\n");
    expect((await run("canary", "promote", "refund")).code).toBe(6);
  });
});
