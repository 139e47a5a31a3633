import { beforeAll, describe, expect, it } from "vitest";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { testWorker } from "../../../test/world/test-worker.ts";
import type { TestProject, World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  const config = { mode: "serve" as const, trusted_proxies: ["127.0.0.1"], public_url: "https://millrace.example.com" };
  world = await makeFlowWorld({ config });
  project = await world.project();
  const { body } = await project.api.get("/v1/environments");
  for (const { id, slug } of body.data) await project.api.patch(`/v1/environments/${id}`, { variables: { OF: slug } });
  await project.api.post("/v1/jobs", { name: "Mail", delivery: "pull" });
});

/** What a worker that comes through these proxies gets. */
async function variablesOver(headers: Record<string, string>, key: object = {}): Promise<object> {
  const { api } = await project.newKey({ scopes: ["runs:work"], ...key });
  const over = { ...api, post: (path: string, body?: unknown) => api.post(path, body, { headers }) };
  const triggered = await project.api.post("/v1/jobs/mail/trigger", key);
  expect(triggered.status, triggered.text).toBe(201);
  return (await testWorker(over).claimOne()).env;
}

describe("the variables in a claim", () => {
  it("R24 are sent over TLS and on the same machine, each of the run's own environment", async () => {
    expect(await variablesOver({})).toEqual({ OF: "production" });
    const tls = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" };
    expect(await variablesOver(tls)).toEqual({ OF: "production" });
    expect(await variablesOver(tls, { environment_id: "staging" })).toEqual({ OF: "staging" });
  });

  it("R24 are withheld over plain HTTP, whatever PUBLIC_URL says and wherever the proxy is", async () => {
    expect(await variablesOver({ "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "http" })).toEqual({});
    expect(await variablesOver({ "x-forwarded-for": "203.0.113.7" })).toEqual({});
    expect(await variablesOver({ forwarded: "for=203.0.113.7;proto=https" })).toEqual({});
    expect(await variablesOver({ "x-real-ip": "203.0.113.7" })).toEqual({});
    expect(await variablesOver({ via: "1.1 proxy" })).toEqual({});
  });
});
