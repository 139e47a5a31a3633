import { beforeAll, describe, expect, it } from "vitest";
import more from "../../../test/data/more-urls-to-refuse.json" with { type: "json" };
import given from "../../../test/data/urls-to-refuse.json" with { type: "json" };
import { startCanary } from "../../../test/seed/canary.ts";
import { runningRun, sdkOf } from "../../../test/seed/running-run.ts";
import { seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { seedSubscription } from "../../../test/seed/seed-subscription.ts";
import { runSql } from "../../../test/world/database.ts";
import { isWholeSize } from "../../../test/world/size.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { senderOf } from "../../features/webhook-deliveries/sender.ts";

const REFUSED = [...given, ...more];
const GOOD = [
  ...["https://example.com", "http://example.com/", "https://example.com/hooks?a=1&b=%20", "HTTPS://Example.COM/Hook"],
  ...["https://example.com:443/", "http://example.com:80/", "https://example.com:8443/x", "http://example.com:1024/"],
  ...["https://api.eu-1.example.co.uk/v1/", "https://xn--bcher-kva.example/", "https://8.8.8.8/"],
  ...["http://93.184.216.34:8080/x", "https://[2606:4700::1111]/", "https://[2001:4860:4860::8888]:8443/"],
  ...["https://my_app.example.com/", "https://hooks.example.com/T0/B0/@user", "https://local.example.com/"],
  ...["https://internal-api.example.com/", "https://example.com/?next=http://127.0.0.1/", "https://1.example.com/"],
];

let world: World;
let open: Instance;
let project: TestProject;
let canary: Awaited<ReturnType<typeof startCanary>>;
beforeAll(async () => {
  world = await makeWorld({ config: { private_endpoints: "refuse" } });
  project = await world.project();
  open = await world.anotherInstance({ private_endpoints: "allow" });
  // Starting an instance keeps the process so busy that the other may consider the database unresponsive.
  await untilUp([world, open]);
  canary = await startCanary("127.0.0.1", "::1");
});

type SinkResponse = { status: number; body: { errors?: { location: string }[] } };
type Sink = { name: string; location: string; create: (url: string) => Promise<SinkResponse> };

const post = (path: string, body: object): Promise<SinkResponse> =>
  world.admin.post(path, body, { headers: { "x-project-id": project.id } });

/** Every request field that takes a URL which the service later calls (SSRF sinks). */
const SINKS: Sink[] = [
  {
    name: "endpoint_url of a job",
    location: "body.endpoint_url",
    create: (endpoint_url) => post("/v1/jobs", { name: "Job", endpoint_url }),
  },
  {
    name: "notify_url of a step",
    location: "body.steps[0].notify_url",
    create: (notify_url) => {
      const steps = [{ step_ref: "a", type: "wait_for_event", event_key: "k", notify_url }];
      return post("/v1/workflows", { name: "Workflow", steps });
    },
  },
  {
    name: "notify_url of a run that waits",
    location: "body.notify_url",
    create: async (notify_url) => {
      const { run_id, token } = await heldRun;
      return sdkOf(world, run_id, token).post("/wait-for-event", { event_key: "sink", notify_url });
    },
  },
  {
    name: "url of a webhook subscription",
    location: "body.url",
    create: (url) => post("/v1/webhook-subscriptions", { url, events: ["*"] }),
  },
  {
    name: "url of a log drain",
    location: "body.url",
    create: (url) => post("/v1/log-drains", { name: "Drain", url }),
  },
];

let heldRun: ReturnType<typeof runningRun>;
beforeAll(async () => {
  heldRun = runningRun(world, project);
  await heldRun;
});

const numbered = SINKS.map((sink, nth) => ({ ...sink, nth }));
/**
 * The rule itself is tested with all addresses: here the sinks share them, and the soak suite tests each sink with all.
 */
function shareOf(urls: string[], nth: number): string[] {
  return urls.filter((_, at) => isWholeSize() || at % SINKS.length === nth);
}

describe("every sink, where private addresses are refused", () => {
  it(`is given ${REFUSED.length} addresses, more than two hundred of them realistic`, () => {
    expect(new Set(REFUSED).size).toBeGreaterThanOrEqual(200);
    expect(GOOD.length).toBeGreaterThanOrEqual(20);
  });

  it.each(numbered)(
    "$name refuses them when it is saved, with the location",
    async ({ create, location, nth }) => {
      const wrong: string[] = [];
      const given = shareOf(REFUSED, nth);
      for (let at = 0; at < given.length; at += 20) {
        const responses = await Promise.all(
          given.slice(at, at + 20).map(async (url) => ({ url, response: await create(url) })),
        );
        for (const { url, response } of responses) {
          const isRefused = response.status === 422 && response.body.errors?.[0]?.location === location;
          // Text that cannot be stored is refused before any other check.
          if (!isRefused && response.status !== 400) wrong.push(`${response.status} ${url}`);
        }
      }
      expect(wrong).toEqual([]);
    },
    120_000,
  );

  it.each(numbered.filter(({ name }) => !name.includes("run that waits")))(
    "$name accepts valid ones",
    async ({ create, nth }) => {
      const responses = await Promise.all(
        shareOf(GOOD, nth).map(async (url) => [url, (await create(url)).status] as const),
      );
      expect(responses.filter(([, status]) => status !== 201)).toEqual([]);
    },
    120_000,
  );

  it("notify_url of a run that waits accepts a valid one", async () => {
    const sink = SINKS.find(({ name }) => name.includes("run that waits"));
    expect((await sink?.create("https://example.com/hook"))?.status).toBe(201);
  });
});

/** As stored before the setting was changed or the check existed. */
const DIALED = [
  ...["127.0.0.1", "127.1", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"],
  ...["[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "localhost", "LOCALHOST.", "[::]"],
];
/** Refused everywhere. */
const isSavedWherePrivateIsAllowed = (host: string) =>
  !["0.0.0.0", "[::]"].includes(host) && !/^\[(64|2002|::127)/.test(host);
const toCanary = (host: string) => `http://${host}:${canary.port}/`;

describe("every sink, when it connects", () => {
  it("a webhook delivery fails at once, and nothing is sent", async () => {
    const { id: project_id } = await world.project();
    for (const host of DIALED) {
      const id = await seedDelivery(world.connection, project_id);
      const point = "update webhook_deliveries set url = $2, host = $3 where id = $1";
      await runSql(world.connection, point, [id, toCanary(host), host]);
    }
    await senderOf(world.ctx).poll();
    await senderOf(world.ctx).idle();
    const counts = "select status, count(*)::int from webhook_deliveries where project_id = $1 group by status";
    expect(await runSql(world.connection, counts, [project_id])).toEqual([{ status: "failed", count: DIALED.length }]);
    expect(canary.connections()).toBe(0);
  });

  it("a dispatch fails for good, and nothing is sent", async () => {
    const { id, api } = await world.project();
    const there = { headers: { "x-project-id": id } };
    for (const host of DIALED.filter(isSavedWherePrivateIsAllowed)) {
      const job = await open.admin.post("/v1/jobs", { name: host, endpoint_url: toCanary(host) }, there);
      expect([host, job.status]).toEqual([host, 201]);
      expect((await api.post(`/v1/jobs/${job.body.id}/trigger`, {})).status).toBe(201);
    }
    await world.runUntilIdle();
    const runs: { status: string }[] = (await api.get("/v1/runs?limit=100")).body.data;
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["failed"]));
    expect(canary.connections()).toBe(0);
  });

  it("the test of a log drain reports the refusal", async () => {
    const there = { headers: { "x-project-id": project.id } };
    for (const host of DIALED.filter(isSavedWherePrivateIsAllowed)) {
      const drain = await open.admin.post("/v1/log-drains", { name: host, url: toCanary(host) }, there);
      const { body } = await world.admin.post(`/v1/log-drains/${drain.body.id}/test`, {}, there);
      expect(body).toMatchObject({ delivered: false, status_code: null });
    }
    expect(canary.connections()).toBe(0);
  });

  it("the test of a subscription reports the refusal", async () => {
    for (const host of DIALED) {
      const id = await seedSubscription(world.connection, project.id, { url: toCanary(host) });
      const { body } = await world.admin.post(`/v1/webhook-subscriptions/${id}/test`);
      expect(body).toMatchObject({ delivered: false, status_code: null });
    }
    expect(canary.connections()).toBe(0);
  });
});
