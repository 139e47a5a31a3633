import { beforeAll, describe, expect, it } from "vitest";
import { AUDIENCE, type OidcIssuer, oidcIssuer } from "../../test/outside/oidc-issuer.ts";
import { makeWorld, type World } from "../../test/world/world.ts";

let world: World;
let issuer: OidcIssuer;
beforeAll(async () => {
  issuer = await oidcIssuer();
  world = await makeWorld({ config: { oidc: { issuer: issuer.issuer, audience: AUDIENCE } } });
});

const URL = "https://example.com/";
const STEPS = [{ step_ref: "a", type: "sleep", sleep_duration: "1h" }];
const DENY = { effect: "deny", actions: ["runs:read"], subject: "*" };

/** What creates each object that names its creator; `job` is the id of a job. */
const created = (job: string): [string, object][] => [
  ["/v1/api-keys", { name: "Key" }],
  ["/v1/jobs", { name: "Job", slug: "made", endpoint_url: URL }],
  [`/v1/jobs/${job}/trigger`, { delay_secs: 60 }],
  ["/v1/schedules", { job_id: job, cron: "0 6 * * *" }],
  ["/v1/workflows", { name: "Flow", steps: STEPS }],
  ["/v1/event-sources", { name: "Source", signature: "none" }],
  ["/v1/webhook-subscriptions", { url: URL, events: ["*"] }],
  ["/v1/log-drains", { name: "Drain", url: URL }],
  ["/v1/roles", { name: "Role", permissions: ["runs:read"] }],
  ["/v1/members", { subject: "bob", role_id: "viewer" }],
  ["/v1/resource-policies", { ...DENY, resource_type: "job", resource_id: job }],
  ["/v1/tag-policies", { ...DENY, tag_key: "team" }],
  ["/v1/saved-views", { name: "View", resource: "runs" }],
];

describe("created_by", () => {
  it("A12 comes with the id of the key, since two keys may have the same name", async () => {
    const project = await world.project();
    const job = (await project.api.post("/v1/jobs", { name: "Job", endpoint_url: URL })).body.id;
    const [key, namesake] = [await project.newKey({ name: "Deploy" }), await project.newKey({ name: "Deploy" })];
    for (const [path, body] of created(job)) {
      const { status, body: made } = await key.api.post(path, body);
      expect([path, status, made.created_by, made.created_by_id]).toEqual([path, 201, "Deploy", key.id]);
    }
    const source = (await key.api.get("/v1/event-sources")).body.data[0].id;
    const subscription = await key.api.post(`/v1/event-sources/${source}/subscriptions`, { job_id: job });
    expect(subscription.body.created_by_id).toBe(key.id);
    for (const path of ["/v1/jobs/made", "/v1/workflows/flow"]) {
      const change = { timeout_secs: 60 };
      expect((await namesake.api.patch(path, change)).body.created_by_id).toBe(key.id);
      const { data } = (await key.api.get(`${path}/versions`)).body;
      expect(data.map((version: { created_by_id: string }) => version.created_by_id)).toEqual([namesake.id, key.id]);
    }
    const views = async (by: string) => (await key.api.get(`/v1/saved-views?created_by=${by}`)).body.data.length;
    expect([await views("Deploy"), await views(key.id), await views(namesake.id)]).toEqual([1, 1, 0]);
  });

  it("A12 comes with the subject of a member, and with null for the internal secret", async () => {
    const project = await world.project();
    await project.api.post("/v1/members", { subject: "ada", role_id: "admin" });
    const [path, body] = ["/v1/jobs", { name: "Job", endpoint_url: URL }];
    const member = world.as(await issuer.sign({ sub: "ada" }));
    const made = await member.post(`${path}?project_id=${project.id}`, body);
    expect([made.body.created_by, made.body.created_by_id]).toEqual(["ada", "ada"]);
    const { body: internal } = await world.admin.post(`${path}?project_id=${project.id}`, body);
    expect(internal.created_by_id).toBeNull();
  });

  it("A12 is never without created_by_id in the contract", async () => {
    const { schemas } = (await world.anonymous.get("/openapi.json")).body.components;
    const naming = Object.entries<{ properties?: Record<string, { type?: string }> }>(schemas).filter(
      ([, { properties }]) => properties?.created_by?.type === "string",
    );
    expect(naming.length).toBeGreaterThan(15);
    const without = naming.filter(([, { properties }]) => properties?.created_by_id === undefined);
    expect(without.map(([name]) => name)).toEqual([]);
  });
});
