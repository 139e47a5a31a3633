import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type JobEndpoint, jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import type { TestProject, World } from "../../server/test/world/world.ts";
import { millrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { quietService, serviceEnv } from "./service-env.ts";
import { millraceInTerminal, withoutEscapes } from "./terminal.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let world: World;
let project: TestProject;
let endpoint: JobEndpoint;
let env: Record<string, string>;

beforeAll(async () => {
  ({ world, project, env } = await serviceEnv());
  endpoint = await jobEndpoint();
  await project.api.post("/v1/jobs", {
    name: "Send mail",
    slug: "send-mail",
    endpoint_url: endpoint.url,
    max_attempts: 1,
  });
});

describe("millrace trigger", () => {
  it("prints the run id to stdout and messages to stderr", async () => {
    const { code, stdout, stderr } = await millrace(
      ["trigger", "send-mail", "-d", '{"to":"ada"}', "--tag", "region=eu", "--key", "k1"],
      { env },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
    expect(stderr).toMatch(/^\w+; follow it with: millrace runs logs -f @last$/m);
    const { body } = await project.api.get(`/v1/runs/${stdout.trim()}`);
    expect(body).toMatchObject({ payload: { to: "ada" }, tags: { region: "eu" }, concurrency_key: "k1" });
  });

  it("--json prints the run as one document, --ndjson as one line", async () => {
    const json = await millrace(["trigger", "send-mail", "--json"], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ attempt: expect.any(Number), payload: {} });
    expect(json.stderr).toBe("");
    const ndjson = await millrace(["trigger", "send-mail", "--ndjson"], { env });
    expect(ndjson.stdout.trim().split("\n")).toHaveLength(1);
  });

  it("--wait prints the result; reads the payload from a file or from stdin", async () => {
    endpoint.respondWith({ status: 200, body: { sent: 1 } });
    const cwd = newFolder();
    writeFileSync(join(cwd, "mail.json"), '{"to": "file"}');
    const fromFile = await millrace(["trigger", "send-mail", "-d", "@mail.json", "--wait"], { env, cwd });
    expect([fromFile.code, JSON.parse(fromFile.stdout)]).toEqual([0, { sent: 1 }]);
    const fromStdin = await millrace(["trigger", "send-mail", "-d", "-", "--wait", "--json"], {
      env,
      stdin: '{"to":"stdin"}',
    });
    expect(JSON.parse(fromStdin.stdout)).toMatchObject({ status: "completed", result: { sent: 1 } });
    expect(endpoint.dispatches.slice(-2).map(({ body }) => body.payload)).toEqual([{ to: "file" }, { to: "stdin" }]);
  });

  it("--follow prints the run's log to stderr; with --ndjson every event is a line of data", async () => {
    endpoint.respondWith(logThenRespond("half way"));
    const human = await millrace(["trigger", "send-mail", "--follow"], { env });
    expect(human.stderr).toMatch(/info {2}half way {"nth":1}/);
    expect(JSON.parse(human.stdout)).toEqual({ done: true });
    const ndjson = await millrace(["trigger", "send-mail", "--follow", "--ndjson"], { env });
    const events = ndjson.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.some(({ event, data }) => event === "log" && data.message === "half way")).toBe(true);
    expect(events.findLast(({ event }) => event === "status").data.status).toBe("completed");
  });

  it("exits with 8 if the run failed, and with 9 if it was canceled", async () => {
    endpoint.respondWith({ status: 400, body: { error: "no such mailbox" } });
    const failed = await millrace(["trigger", "send-mail", "--wait"], { env });
    expect([failed.code, failed.stdout]).toEqual([8, ""]);
    expect(failed.stderr).toContain("failed:");
    const canceled = await millrace(["trigger", "send-mail", "--wait", "--json"], { env: await pausedJob() });
    expect([canceled.code, JSON.parse(canceled.stdout).status]).toEqual([9, "canceled"]);
  });

  it("exits with 4 for an unknown job and suggests a similar one", async () => {
    const { code, stderr } = await millrace(["trigger", "send-mial"], { env });
    expect(code).toBe(4);
    expect(stderr).toContain('Job "send-mial" does not exist.');
    expect(stderr).toContain("Did you mean send-mail?");
    expect(stderr).toMatch(/not_found \(404\) · request \S+/);
  });

  it("exits with 5 for invalid JSON before anything is sent", async () => {
    const { code, stderr } = await millrace(["trigger", "send-mail", "-d", "{to: ada}"], {
      env: { ...env, MILLRACE_BASE_URL: "http://127.0.0.1:1" },
    });
    expect(code).toBe(5);
    expect(stderr).toContain("-d is not valid JSON");
  });

  it("--dry-run starts nothing", async () => {
    const before = (await project.api.get("/v1/runs?limit=100")).body.data.length;
    expect((await millrace(["trigger", "send-mail", "--dry-run"], { env })).code).toBe(0);
    expect((await project.api.get("/v1/runs?limit=100")).body.data.length).toBe(before);
  });

  it("--idempotency-key returns the same run again", async () => {
    const first = await millrace(["trigger", "send-mail", "--idempotency-key", "once"], { env });
    const second = await millrace(["trigger", "send-mail", "--idempotency-key", "once"], { env });
    expect(second.stdout).toBe(first.stdout);
  });
});

describe("millrace trigger --bulk", () => {
  const items = Array.from({ length: 230 }, (_, nth) => JSON.stringify({ payload: { nth } })).join("\n");

  it("starts a run per line, 100 per request, and can be repeated with an idempotency key", async () => {
    const args = ["trigger", "send-mail", "--bulk", "-", "--idempotency-key", "campaign", "--json"];
    const first = await millrace(args, { env, stdin: items });
    expect([first.code, JSON.parse(first.stdout).created]).toEqual([0, 230]);
    const again = JSON.parse(
      (await millrace(args, { env, stdin: `${items}\n${JSON.stringify({ payload: {} })}` })).stdout,
    );
    expect([again.created, again.existing, again.failed]).toEqual([1, 230, 0]);
    expect(again.results[230]).toMatchObject({ index: 230, line: 231, status: "created" });
  });

  it("reports rejected items by line and exits with 1", async () => {
    const stdin = `{"payload": {}}\n{"payload": {}, "parent_run_id": "0198a7c4-1b2f-7e60-8000-000000000000"}\n`;
    const { code, stdout, stderr } = await millrace(["trigger", "send-mail", "--bulk", "-"], { env, stdin });
    expect(code).toBe(1);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/^item 2: /m);
    expect(stderr).toContain("1 started, 0 already existed, 1 rejected.");
  });

  it("rejects a file with an invalid line before anything is sent", async () => {
    const { code, stderr } = await millrace(["trigger", "send-mail", "--bulk", "-"], {
      env,
      stdin: '{"payload":{}}\n[1]\n',
    });
    expect([code, stderr]).toEqual([5, expect.stringContaining("-, item 2 is not an object.")]);
  });

  it("draws a progress bar on a terminal and none in a pipe", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "items.ndjson"), items);
    const shown = await millrace(["trigger", "send-mail", "--bulk", "items.ndjson"], { env, cwd, columns: 160 });
    expect(shown.code).toBe(0);
    expect(withoutEscapes(shown.stderr)).toMatch(/triggering █+░+ 100\/230 {2}43 %/);
    expect(shown.stderr).toContain("230 started");
    const piped = await millrace(["trigger", "send-mail", "--bulk", "items.ndjson"], { env, cwd });
    expect(piped.stderr).toBe("230 started, 0 already existed, 0 rejected.\n");
    expect(piped.stdout.trim().split("\n")).toHaveLength(230);
  });
});

describe("millrace trigger --bulk beyond the rate limit", () => {
  it("waits and says so; Ctrl-C exits with 130 and keeps what was done", async () => {
    const limits = { rate_limits: { api: 0, trigger: 0, bulk_trigger: 1 } };
    const { project: other, env: strict } = await quietService({ config: limits });
    await other.api.post("/v1/jobs", { name: "x", slug: "send-mail", endpoint_url: endpoint.url });
    const cwd = newFolder();
    writeFileSync(join(cwd, "items.ndjson"), '{"payload":1}\n'.repeat(150));
    const terminal = await millraceInTerminal(["trigger", "send-mail", "--bulk", "items.ndjson"], {
      env: strict,
      cwd,
    });
    await terminal.shows(/Rate limited; continuing in \d+ s\./);
    terminal.type("\x03");
    expect(await terminal.ended).toBe(130);
    expect(terminal.text()).toContain("Stopped after 100 of 150 items.");
    expect((await other.api.get("/v1/runs?limit=100")).body.data).toHaveLength(100);
  });
});

/** A job that logs with its run token, then responds. */
function logThenRespond(message: string) {
  return async (
    dispatch: { run_id: string; headers: Record<string, unknown> },
    response: import("node:http").ServerResponse,
  ) => {
    await fetch(`${world.url}/sdk/v1/runs/${dispatch.run_id}/log`, {
      method: "POST",
      headers: { authorization: `Bearer ${dispatch.headers["x-svc-run-token"]}`, "content-type": "application/json" },
      body: JSON.stringify({ message, fields: { nth: 1 } }),
    });
    response.writeHead(200, { "content-type": "application/json" }).end('{"done":true}');
  };
}

/** Creates a project with a paused job whose run is canceled by its time to live. */
async function pausedJob(): Promise<Record<string, string>> {
  const other = await world.project();
  await other.api.post("/v1/jobs", { name: "x", slug: "send-mail", endpoint_url: endpoint.url, run_ttl_secs: 1 });
  await other.api.post("/v1/jobs/send-mail/pause");
  return { ...env, MILLRACE_API_KEY: other.key };
}
