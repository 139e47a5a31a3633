import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type JobEndpoint, jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { senderOf } from "../../webhook-deliveries/sender.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => world.clock.set("2030-06-15T12:00:00.000Z"));

async function newChannel({ api }: TestProject, fields: object = {}, path = "") {
  const receiver = await jobEndpoint();
  const url = `${receiver.url}${path}`;
  const { body, status, text } = await api.post("/v1/alert-channels", {
    name: "Night",
    kind: "webhook",
    url,
    ...fields,
  });
  expect(status, text).toBe(201);
  return { id: body.id as string, path: `/v1/alert-channels/${body.id}`, receiver };
}

/** A project with a dead letter, and a rule that fires for it. */
async function firing(fields: object = {}, urlEnd = "") {
  const project = await world.project();
  const channel = await newChannel(project, fields, urlEnd);
  const rule = { name: "Dead letters", kind: "dead_letters", channel_ids: [channel.id] };
  const path = `/v1/alert-rules/${(await project.api.post("/v1/alert-rules", rule)).body.id}`;
  await seedRun(world.connection, project.id, { status: "failed" });
  await runSql(world.connection, "update runs set dead_lettered_at = clock() where project_id = $1", [project.id]);
  await evaluate();
  await send();
  const heal = async () => {
    await runSql(world.connection, "update runs set dead_lettered_at = null where project_id = $1", [project.id]);
    await evaluate();
    await send();
  };
  return { project, channel, path, heal };
}

async function evaluate(): Promise<void> {
  await world.clock.pass("61s");
  while (await world.tick("evaluate-alert-rules"));
}

async function send(): Promise<void> {
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
}

const sentTo = ({ dispatches }: JobEndpoint) => dispatches.map(({ body }) => body.type);

describe("the end of an alert", () => {
  it("L1 is sent to a channel that its rule no longer names, and not to one that was not notified of it", async () => {
    const { project, channel, path, heal } = await firing();
    const other = await newChannel(project);
    await project.api.patch(path, { channel_ids: [other.id] });
    await heal();
    expect([sentTo(channel.receiver), sentTo(other.receiver)]).toEqual([["alert.fired", "alert.resolved"], []]);
  });

  it("L1 is sent to a channel that was disabled meanwhile, and when the rule is deleted", async () => {
    const { project, channel, path } = await firing();
    await project.api.patch(channel.path, { enabled: false });
    await project.api.delete(path);
    await send();
    expect(sentTo(channel.receiver)).toEqual(["alert.fired", "alert.resolved"]);
  });

  it("L6 resolves the incident of PagerDuty, which has the alert's id as its key", async () => {
    const { project, channel, heal } = await firing({ kind: "pagerduty", key: "routing-key" });
    await heal();
    const [{ id }] = (await project.api.get("/v1/alerts")).body.data;
    const common = { routing_key: "routing-key", dedup_key: id };
    const payload = { source: expect.any(String), severity: "error", timestamp: expect.any(String) };
    expect(channel.receiver.dispatches.map(({ body }) => body)).toMatchObject([
      { ...common, event_action: "trigger", payload: { ...payload, summary: expect.stringContaining("Alert: Dead") } },
      { ...common, event_action: "resolve", payload },
    ]);
  });

  it.each(["", "/"])("L6 closes the alert of Opsgenie by its alias, at an address that ends with '%s'", async (end) => {
    const { project, channel, heal } = await firing({ kind: "opsgenie", key: "genie" }, end);
    await heal();
    const [{ id }] = (await project.api.get("/v1/alerts")).body.data;
    expect(channel.receiver.dispatches.map(({ path, headers, body }) => [path, headers.authorization, body])).toEqual([
      [
        `/job${end}`,
        "GenieKey genie",
        {
          ...{ message: "Alert: Dead letters", alias: id, source: "millrace" },
          description: expect.stringContaining("replay the runs"),
        },
      ],
      [
        `/job/${id}/close?identifierType=alias`,
        "GenieKey genie",
        { source: "millrace", note: expect.stringContaining("dead-letter queue") },
      ],
    ]);
  });

  it("L1 is sent after an earlier notification that is tried again: no incident is opened after its end", async () => {
    const project = await world.project();
    const channel = await newChannel(project);
    channel.receiver.respondWith(503, 200);
    const rule = { name: "Dead letters", kind: "dead_letters", channel_ids: [channel.id], for_secs: 0 };
    const { id } = (await project.api.post("/v1/alert-rules", rule)).body;
    await seedRun(world.connection, project.id, { status: "failed" });
    await runSql(world.connection, "update runs set dead_lettered_at = clock() where project_id = $1", [project.id]);
    await evaluate();
    await send();
    await project.api.patch(`/v1/alert-rules/${id}`, { enabled: false });
    await send();
    expect(sentTo(channel.receiver)).toEqual(["alert.fired"]);
    await world.clock.pass("6s");
    await send();
    await world.clock.pass("16s");
    await send();
    expect(sentTo(channel.receiver)).toEqual(["alert.fired", "alert.fired", "alert.resolved"]);
  });
});
