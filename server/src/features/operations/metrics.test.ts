import { beforeAll, describe, expect, it } from "vitest";
import { readResponses, sendRaw } from "../../../test/outside/raw-request.ts";
import { INTERNAL_SECRET, makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** The metrics whose names, types and labels are part of the API. */
const SPECIFIED: [name: string, type: "counter" | "histogram" | "gauge", labels: string[]][] = [
  ["svc_run_transitions_total", "counter", ["from_status", "to_status"]],
  ["svc_dispatch_duration_seconds", "histogram", ["job_id", "outcome"]],
  ["svc_dequeue_duration_seconds", "histogram", []],
  ["svc_worker_pool_active", "gauge", []],
  ["svc_worker_pool_queued", "gauge", []],
  ["svc_analytics_query_duration_seconds", "histogram", ["period_hours"]],
  ["svc_bulk_operations_total", "counter", []],
  ["svc_bulk_items_processed_total", "counter", []],
  ["svc_bulk_child_cancellations_total", "counter", []],
  ["svc_webhook_retry_attempts_total", "counter", []],
  ["event_triggers_created_total", "counter", ["source_type", "project_id"]],
  ["event_triggers_received_total", "counter", []],
  ["event_triggers_timed_out_total", "counter", []],
];

describe("GET /metrics", () => {
  it.each(SPECIFIED)("O2 exposes %s, a %s with the labels %j", async (name, type, labels) => {
    const { metrics } = world.ctx;
    const metric = metrics.registry.getSingleMetric(name) as unknown as Measure;
    const values = Object.fromEntries(labels.map((label) => [label, `a-${label}`]));
    if (type === "histogram") metric.observe(values, 0.2);
    else if (type === "gauge") Object.assign(metrics.pool, { active: 1, queued: 1 });
    else metric.inc(values);

    const { status, headers, text } = await world.anonymous.get("/metrics");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(text).toContain(`# TYPE ${name} ${type}\n`);
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, "m"));
    const sample = type === "histogram" ? `${name}_count` : name;
    const shown = labels.length === 0 ? "" : `{${labels.map((label) => `${label}="a-${label}"`).join(",")}}`;
    expect(text).toContain(`\n${sample}${shown} 1\n`);
    expect(metric.labelNames).toEqual(labels);
  });

  it("exposes its own additional metrics", async () => {
    await world.anonymous.get("/health");
    const { text } = await world.anonymous.get("/metrics");
    expect(text).toContain('millrace_http_requests_total{route="/health",status="200"} 1');
    expect(text).toContain("millrace_database_up 1");
    expect(text).toMatch(/^millrace_database_statement_duration_seconds_count [1-9]/m);
    expect(text).toMatch(/^millrace_database_pool_connections\{state="(busy|idle)"\} [1-9]/m);
    expect(text).toMatch(/^millrace_process_cpu_seconds_total 0?\.?\d/m);
    expect(text).toMatch(/^millrace_event_loop_active_seconds_total \d/m);
  });

  it("limits labels with tenant-defined values to a thousand", async () => {
    const { metrics } = world.ctx;
    for (let index = 0; index < 1_100; index++) {
      metrics.eventTriggersCreated.inc({ source_type: "cap", project_id: metrics.projectLabel(`p${index}`) });
    }
    const { text } = await world.anonymous.get("/metrics");
    expect(text.match(/event_triggers_created_total\{source_type="cap"/g)).toHaveLength(1_001);
    expect(text).toContain('event_triggers_created_total{source_type="cap",project_id="other"} 100');
  });

  it("in dev, allows any request from this machine that was not forwarded", async () => {
    expect((await world.anonymous.get("/metrics")).status).toBe(200);
    for (const name of ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded", "x-real-ip", "via"]) {
      const headers: Record<string, string> = { [name]: "127.0.0.1" };
      const response = await world.anonymous.get("/metrics", { headers });
      expect([name, response.status, response.body.code]).toEqual([name, 401, "unauthorized"]);
      const withSecret = { ...headers, "x-internal-secret": INTERNAL_SECRET };
      expect((await world.anonymous.get("/metrics", { headers: withSecret })).status).toBe(200);
    }
  });

  /** The host of an absolute-form request line takes precedence over the Host header. */
  const statusFor = async (host: string | undefined, target = "/metrics", headers: string[] = [], version = "1.1") => {
    const hostLine = host === undefined ? [] : [`Host: ${host}`];
    const lines = [`GET ${target} HTTP/${version}`, ...hostLine, ...headers, "Connection: close", "", ""];
    return readResponses(await sendRaw(world.url, lines.join("\r\n")))[0]?.status;
  };

  it.each([
    ...["localhost", "LOCALHOST:8787", "localhost.", "localhost.:1", "127.0.0.1", "127.0.0.1:65535", "127.8.9.10"],
    ...["[::1]", "[::1]:8787", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]:80"],
  ])("in dev, accepts a request for %s as one for this machine", async (host) => {
    expect(await statusFor(host)).toBe(200);
    expect(await statusFor(host, `http://${host}/metrics`)).toBe(200);
  });

  // DNS rebinding: for its browser, a page whose name resolves to this machine has this origin, and could read the
  // response.
  it.each([
    ...["evil.example", "EVIL.example:8787", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example.", ""],
    ...["localhost@evil.example", "evil.example@localhost", "localhost:99999", "localhost:", "localhost..", "10.0.0.1"],
    ...["0.0.0.0", "[::]", "[::1", "[::ffff:10.0.0.1]", "localhost/", "localhost, evil.example"],
  ])("in dev, requires the internal secret for the host %j", async (host) => {
    expect(await statusFor(host)).toBe(401);
    expect(await statusFor(host, "/metrics", [`X-Internal-Secret: ${INTERNAL_SECRET}`])).toBe(200);
  });

  it("in dev, requires the internal secret for a request that names another host, or none", async () => {
    expect(await statusFor("localhost", "http://evil.example/metrics")).toBe(401);
    expect(await statusFor("evil.example", "http://localhost/metrics")).toBe(401);
    expect(await statusFor("localhost", "HTTP://evil.example:8787/metrics")).not.toBe(200);
    expect(await statusFor(undefined, "/metrics", [], "1.0")).toBe(401);
  });

  it("in dev, accepts the host of PUBLIC_URL on any port", async () => {
    const named = await world.anotherInstance({ public_url: "https://millrace.example:8443" });
    const statusOf = async (host: string) => (await named.anonymous.get("/metrics", { headers: { host } })).status;
    expect(await Promise.all(["millrace.example:8443", "Millrace.Example."].map(statusOf))).toEqual([200, 200]);
    expect(await statusOf("other.example")).toBe(401);
    expect(await statusOf("localhost")).toBe(200);
  });

  it("in serve, requires the internal secret; an API key is not enough", async () => {
    const serving = await world.anotherInstance({ mode: "serve" });
    const { key } = await world.project();
    expect((await serving.anonymous.get("/metrics")).status).toBe(401);
    const byKey = { headers: { authorization: `Bearer ${key}` } };
    expect((await serving.anonymous.get("/metrics", byKey)).status).toBe(401);
    expect((await serving.admin.get("/metrics")).status).toBe(200);
    const asBearer = { headers: { authorization: `Bearer ${INTERNAL_SECRET}` } };
    expect((await serving.anonymous.get("/metrics", asBearer)).status).toBe(200);
  });
});

type Measure = {
  inc: (labels: object) => void;
  observe: (labels: object, value: number) => void;
  labelNames: string[];
};
