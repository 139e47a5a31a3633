import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";
import { verifySignature } from "./verify-signature.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

type Source = { id: string; secret: string; job_id: string };

async function makeSource(fields: object): Promise<Source> {
  const { body } = await project.api.post("/v1/event-sources", { name: `In ${newId()}`, ...fields });
  const job = await makeJob(project);
  await project.api.post(`/v1/event-sources/${body.id}/subscriptions`, { job_id: job.id });
  return { id: body.id, secret: body.secret, job_id: job.id };
}

const hex = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest("hex");
const ownKey = (secret: string) => Buffer.from(secret.slice("whsec_".length), "base64");
const nowSecs = async () => Math.floor(Date.parse(await world.clock.now()) / 1_000);
const post = ({ id }: { id: string }, text: string, headers: Record<string, string>) =>
  world.anonymous.post(`/v1/event-sources/${id}/inbound`, text, { headers });
const runsOf = ({ job_id }: Source) =>
  runSql<{ payload: unknown; trigger_type: string }>(
    world.connection,
    "select payload, trigger_type from runs where job_id = $1 order by id",
    [job_id],
  );

function signedByUs(secret: string, text: string, at: number) {
  return { "x-svc-timestamp": String(at), "x-svc-signature": `v1=${hex(ownKey(secret), `${at}.${text}`)}` };
}

function signedByStripe(secret: string, text: string, at: number) {
  return { "stripe-signature": `t=${at},v1=${hex(secret, `${at}.${text}`)},v0=00` };
}

function signedByGithub(secret: string, text: string, delivery: string) {
  const named = { "x-github-event": "push", "x-github-delivery": delivery };
  return { "x-hub-signature-256": `sha256=${hex(secret, text)}`, ...named };
}

describe("POST /v1/event-sources/{sourceID}/inbound", () => {
  it("T17 accepts a webhook signed like this service's own, and returns nothing about what it starts", async () => {
    const source = await makeSource({ signature: "hmac" });
    const text = '{ "type": "paid",  "total": 1.50 }';
    const response = await post(source, text, signedByUs(source.secret, text, await nowSecs()));
    expect([response.status, response.body]).toEqual([
      200,
      {
        $schema: `${world.url}/schemas/InboundReceived.json`,
        received: true,
        id: expect.any(String),
        duplicate: false,
      },
    ]);
    expect(await runsOf(source)).toEqual([{ payload: { type: "paid", total: 1.5 }, trigger_type: "webhook" }]);
    const { data } = (await project.api.get(`/v1/event-sources/${source.id}/events`)).body;
    expect(data).toMatchObject([
      { id: response.body.id, via: "inbound", type: "paid", started: 1, received_by: "webhook", received_by_id: null },
    ]);
  });

  it("T17 accepts GitHub's signature, its event and its delivery id", async () => {
    const source = await makeSource({ signature: "github", secret: "a secret of github" });
    const text = '{"ref":"refs/heads/main"}';
    const headers = signedByGithub("a secret of github", text, "72d3162e-cc78");
    expect((await post(source, text, headers)).body.duplicate).toBe(false);
    expect((await post(source, text, headers)).body.duplicate).toBe(true);
    // The id is not signed: a different id does not turn the same bytes into another event, and an id is required.
    const renamed = signedByGithub("a secret of github", text, "another-id");
    expect((await post(source, text, renamed)).body.duplicate).toBe(true);
    const { "x-github-delivery": _id, ...nameless } = headers;
    expect((await post(source, text, nameless)).status).toBe(400);
    const { data } = (await project.api.get(`/v1/event-sources/${source.id}/events`)).body;
    expect(data).toMatchObject([{ type: "push", event_id: "72d3162e-cc78" }]);
    expect(await runsOf(source)).toHaveLength(1);
  });

  it("T17 accepts Stripe's signature among several, its type and its id", async () => {
    const secret = "whsec_0123456789abcdef0123456789abcdef";
    const source = await makeSource({ signature: "stripe", secret });
    const text = '{"id":"evt_1","type":"invoice.paid"}';
    const at = await nowSecs();
    const several = `t=${at},v1=${"0".repeat(64)},v1=${hex(secret, `${at}.${text}`)},v0=abc`;
    const first = await post(source, text, { "stripe-signature": several });
    expect([first.status, first.body.duplicate]).toEqual([200, false]);
    // When Stripe sends it again, the time differs and the id is the same.
    const again = await post(source, text, signedByStripe(secret, text, at + 60));
    expect(again.body).toMatchObject({ duplicate: true, id: first.body.id });
    const { data } = (await project.api.get(`/v1/event-sources/${source.id}/events`)).body;
    expect(data).toMatchObject([{ type: "invoice.paid", event_id: "evt_1" }]);
  });

  it("T17 401 for a wrong secret, a changed body, another scheme's header, a missing or a broken one; nothing is stored", async () => {
    const source = await makeSource({ signature: "hmac" });
    const [text, at] = ['{"a":1}', await nowSecs()];
    const good = signedByUs(source.secret, text, at);
    const bad: Record<string, string>[] = [
      signedByUs(`whsec_${Buffer.alloc(32, 7).toString("base64")}`, text, at),
      signedByUs(source.secret, '{"a":2}', at),
      signedByStripe(source.secret, text, at),
      signedByGithub(source.secret, text, "x"),
      {},
      { ...good, "x-svc-timestamp": String(at + 1) },
      { ...good, "x-svc-timestamp": "soon" },
      { ...good, "x-svc-signature": "v1=zz" },
      { ...good, "x-svc-signature": good["x-svc-signature"].slice(0, -2) },
      { ...good, "x-svc-signature": good["x-svc-signature"].replace("v1=", "v2=") },
      { "x-svc-signature": good["x-svc-signature"] },
    ];
    for (const headers of bad) {
      const refused = await post(source, text, headers);
      expect([refused.status, refused.body.code], JSON.stringify(headers)).toEqual([401, "signature_invalid"]);
    }
    expect((await project.api.get(`/v1/event-sources/${source.id}/events`)).body.data).toEqual([]);
  });

  it("T17 accepts a signature within 300 seconds in the past or future, and rejects it beyond", async () => {
    const [ours, stripe] = [
      await makeSource({ signature: "hmac" }),
      await makeSource({ signature: "stripe", secret: "whsec_of_stripe_0123456789" }),
    ];
    await world.clock.set("2030-05-01T12:00:00Z");
    const now = await nowSecs();
    for (const [seconds, status] of [
      [-301, 401],
      [-300, 200],
      [300, 200],
      [301, 401],
    ] as const) {
      const text = JSON.stringify({ seconds });
      const [own, others] = [
        signedByUs(ours.secret, text, now + seconds),
        signedByStripe(stripe.secret, text, now + seconds),
      ];
      expect((await post(ours, text, own)).status, `ours ${seconds}`).toBe(status);
      expect((await post(stripe, text, others)).status, `stripe ${seconds}`).toBe(status);
    }
  });

  it("T17 starts nothing for the same signed bytes again, whatever id is sent with them", async () => {
    const source = await makeSource({ signature: "hmac" });
    const text = '{"a":1}';
    const headers = signedByUs(source.secret, text, await nowSecs());
    const first = await post(source, text, { ...headers, "webhook-id": "one" });
    const replayed = await post(source, text, { ...headers, "webhook-id": "two" });
    expect(replayed.body).toMatchObject({ duplicate: true, id: first.body.id });
    expect(await runsOf(source)).toHaveLength(1);
  });

  it("T17 accepts both secrets during the grace period, and only the new one afterwards", async () => {
    const source = await makeSource({ signature: "hmac" });
    await world.clock.set("2030-06-01T12:00:00Z");
    const rotated = (
      await project.api.post(`/v1/event-sources/${source.id}/secret/rotate`, { grace_period_minutes: 10 })
    ).body;
    const send = async (secret: string, n: number) => {
      const text = JSON.stringify({ n });
      return (await post(source, text, signedByUs(secret, text, await nowSecs()))).status;
    };
    expect([await send(source.secret, 1), await send(rotated.secret, 2)]).toEqual([200, 200]);
    await world.clock.pass("10m1s");
    expect([await send(source.secret, 3), await send(rotated.secret, 4)]).toEqual([401, 200]);
  });

  it("T17 404 for an unknown source or one without a signature; 409 while it is disabled", async () => {
    const open = (await project.api.post("/v1/event-sources", { name: "Open" })).body;
    for (const id of [open.id, newId(), "open", "x"]) {
      const refused = await post(
        { id },
        "{}",
        signedByUs(`whsec_${Buffer.alloc(32).toString("base64")}`, "{}", await nowSecs()),
      );
      expect([refused.status, refused.body.detail]).toEqual([404, "There is no such event source."]);
    }
    const source = await makeSource({ signature: "hmac" });
    await project.api.patch(`/v1/event-sources/${source.id}`, { enabled: false });
    const refused = await post(source, "{}", signedByUs(source.secret, "{}", await nowSecs()));
    expect(refused.body.code).toBe("event_source_disabled");
    expect((await post(source, "{}", {})).status).toBe(401);
  });

  it("T17 422 with locations for a payload that does not match the schema, and records it as rejected", async () => {
    const source = await makeSource({ signature: "hmac", payload_schema: { type: "object", required: ["total"] } });
    const text = '{"a":1}';
    const refused = await post(source, text, signedByUs(source.secret, text, await nowSecs()));
    expect([refused.status, refused.body.code]).toEqual([422, "payload_invalid"]);
    const { data } = (await project.api.get(`/v1/event-sources/${source.id}/events?status=rejected`)).body;
    expect(data).toMatchObject([{ via: "inbound", error: { code: "payload_invalid" } }]);
    expect(await runsOf(source)).toEqual([]);
  });

  it("T17 detects a loop through this service's own notifications, or through the run header", async () => {
    const source = await makeSource({ signature: "hmac" });
    const send = async (content: object, headers: Record<string, string> = {}) => {
      const text = JSON.stringify(content);
      const { body } = await post(source, text, { ...signedByUs(source.secret, text, await nowSecs()), ...headers });
      return (await project.api.get(`/v1/event-sources/${source.id}/events/${body.id}`)).body;
    };
    const first = await send({ n: 1 });
    const [{ run_id }] = first.results;
    const second = await send({ type: "run.completed", id: newId(), data: { id: run_id } });
    expect([first.chain_depth, second.chain_depth, second.parent_run_id]).toEqual([1, 2, run_id]);
    expect((await send({ n: 3 }, { "x-svc-run-id": second.results[0].run_id })).chain_depth).toBe(3);
  });

  it("T17 415 for another media type, without reading it", async () => {
    const source = await makeSource({ signature: "hmac" });
    const response = await post(source, "a=1", { "content-type": "application/x-www-form-urlencoded" });
    expect(response.status).toBe(415);
  });
});

describe("third-party signatures", () => {
  it("T17 match GitHub's own example", () => {
    // docs.github.com, "Validating webhook deliveries"
    const given = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const request = { body: Buffer.from("Hello, World!"), headers: { "x-hub-signature-256": given } };
    expect(verifySignature("github", ["It's a Secret to Everybody"], request, 0)).toBeDefined();
    expect(verifySignature("github", ["another secret"], request, 0)).toBeUndefined();
  });
});
