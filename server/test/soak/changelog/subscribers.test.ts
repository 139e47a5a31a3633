import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { type ReadyService, serveOn, useServices } from "../../service/start-service.ts";
import { cloneDatabase, runSql, type TestConnection } from "../../world/database.ts";
import { whenFileEnds } from "../../world/end-of-file.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { writtenDeliveries } from "./written-deliveries.ts";

useServices();

const SIZE = scenarioSize({
  quick: { projects: 10, changes: 200, changesUnderKills: 500 },
  usual: { projects: 100, changes: 1_000, changesUnderKills: 10_000 },
  whole: { projects: 100, changes: 10_000, changesUnderKills: 50_000 },
});
/** The most that a project may have. */
const SUBSCRIPTIONS = 100;
/** Ten requests go to one host at a time. */
const HOSTS = 50;
/** At these shares of the deliveries the service is killed. */
const KILLED_AT = [0.2, 0.4, 0.6, 0.8];
/** What a kill may repeat: deliveries that arrived, but whose result was not yet written. */
const REPEATED_BY_A_KILL = 100;
const WITHIN_MS = 400_000;
const MAX_BYTES = 700 * 2 ** 20;

const NO_LIMITS = {
  ALLOW_PRIVATE_ENDPOINTS: "true",
  RATE_LIMIT_API_PER_MINUTE: "0",
  RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
  RATE_LIMIT_BULK_TRIGGER_PER_MINUTE: "0",
};

type Receiver = { port: number; received: Map<string, number[]>; count: () => number };

let connection: TestConnection;
let service: ReadyService;
let receiver: Receiver;
beforeAll(async () => {
  connection = await cloneDatabase();
  [service, receiver] = await Promise.all([serveOn(connection, NO_LIMITS), openReceiver()]);
});

/** The endpoint of jobs at `/job`, and of each subscription at its own path: the numbers of the changes that arrived there. */
async function openReceiver(): Promise<Receiver> {
  const received = new Map<string, number[]>();
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
      const path = request.url ?? "";
      if (path === "/job") return;
      const { data, transition } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      count++;
      received.set(path, [...(received.get(path) ?? []), data.payload.nth * 100 + transition.ordinal]);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "0.0.0.0", listening));
  whenFileEnds(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received, count: () => count };
}

/** A project with a job, and this many subscriptions, inserted directly: their creation is not what is measured. */
async function makeProject(subscriptions: number, events: string[]): Promise<{ id: string; trigger: string }> {
  const { body: project } = await service.admin.post("/v1/projects", { name: "Subscribed" });
  const endpoint_url = `http://127.0.0.1:${receiver.port}/job`;
  const { body: job } = await service.admin.post(`/v1/jobs?project_id=${project.id}`, { name: "J", endpoint_url });
  await runSql(
    connection,
    `insert into webhook_subscriptions (project_id, id, url, events, enabled, created_by, created_at, updated_at)
     select $1, s.id, format('http://127.0.1.%s:%s/%s', 1 + s.nth % $2, $3::int, s.id), $4, true, 'test', clock(), clock()
     from unnest($5::uuid[]) with ordinality as s(id, nth)`,
    [project.id, HOSTS, receiver.port, events, Array.from({ length: subscriptions }, newId)],
  );
  return { id: project.id, trigger: `/v1/jobs/${job.id}/trigger?project_id=${project.id}` };
}

/** The most memory that the service has used, in bytes. */
function peakMemory(): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1]) * 1_024;
}

type Expected = { what: string; project_ids: string[]; deliveries: number };

/** Waits for the deliveries of what `trigger` does, and checks that each arrived, once, and was written in order. */
async function judge({ what, project_ids, deliveries: expected }: Expected, trigger: () => Promise<void>) {
  const [before, startedAt] = [receiver.count(), performance.now()];
  await trigger();
  await until(`${expected} deliveries`, WITHIN_MS, () => receiver.count() >= before + expected);
  const secs = (performance.now() - startedAt) / 1_000;
  const found = await writtenDeliveries(connection, project_ids);
  const late = [...receiver.received.values()].filter((all) => all.some((nth, at) => nth < (all[at - 1] ?? 0))).length;
  const mb = Math.round(peakMemory() / 2 ** 20);
  console.info(
    `${what}: ${expected} deliveries in ${secs.toFixed(1)} s (${Math.round(expected / secs)}/s), peak memory ${mb} MB, ` +
      `${late} of ${receiver.received.size} subscriptions received some out of order`,
  );
  expect(found).toEqual({ deliveries: expected, overtaken: 0 });
  expect(receiver.count()).toBe(before + expected);
  expect(peakMemory()).toBeLessThan(MAX_BYTES);
  receiver.received.clear();
}

async function triggerChanges(project: { trigger: string }, changes: number): Promise<void> {
  for (let nth = 1; nth <= changes; nth += 100) {
    const items = Array.from({ length: 100 }, (_, each) => ({ payload: { nth: nth + each } }));
    const { status } = await service.admin.post(project.trigger.replace("/trigger", "/trigger/bulk"), { items });
    expect(status).toBeLessThan(300);
  }
}

async function untilDelivered(project_id: string): Promise<void> {
  const open = "select 1 from webhook_deliveries where project_id = $1 and status <> 'delivered' limit 1";
  await until("every delivery to be recorded", WITHIN_MS, async () => {
    return (await runSql(connection, open, [project_id])).length === 0;
  });
}

describe("webhooks of many subscribers", () => {
  it("are written once for each of 10,000 subscriptions, in the order of the changes", async () => {
    const events = ["run.created", "run.completed"];
    const projects: { id: string; trigger: string }[] = [];
    for (let nth = 0; nth < SIZE.projects; nth++) projects.push(await makeProject(SUBSCRIPTIONS, events));
    const expected = {
      what: `${SIZE.projects * SUBSCRIPTIONS} subscriptions`,
      project_ids: projects.map(({ id }) => id),
      deliveries: SIZE.projects * SUBSCRIPTIONS * events.length,
    };
    await judge(expected, async () => {
      for (const { trigger } of projects) await service.admin.post(trigger, { payload: { nth: 1 } });
    });
  }, 600_000);

  it("are written in the order of the changes for a few subscriptions with many changes", async () => {
    const project = await makeProject(3, ["run.completed"]);
    const what = `3 subscriptions with ${SIZE.changes} changes each`;
    await judge({ what, project_ids: [project.id], deliveries: SIZE.changes * 3 }, () =>
      triggerChanges(project, SIZE.changes),
    );
  }, 600_000);

  // The last one: what it starts ends with it.
  it("arrive for every change of one subscription, although the service is killed while it sends them", async () => {
    const project = await makeProject(1, ["run.completed"]);
    const [startedAt, first] = [performance.now(), receiver.count()];
    await triggerChanges(project, SIZE.changesUnderKills);
    const distinct = () => new Set([...receiver.received.values()].flat()).size;
    for (const share of KILLED_AT) {
      await until(`${share} of the deliveries`, WITHIN_MS, () => distinct() >= SIZE.changesUnderKills * share);
      await service.kill();
      service = await serveOn(connection, NO_LIMITS);
    }
    await until("the last delivery", WITHIN_MS, () => distinct() >= SIZE.changesUnderKills);
    const secs = Math.round((performance.now() - startedAt) / 1_000);
    await untilDelivered(project.id);
    const repeated = receiver.count() - first - SIZE.changesUnderKills;
    console.info(
      `${KILLED_AT.length} kills: ${SIZE.changesUnderKills} changes in ${secs} s, ${repeated} of them repeated`,
    );
    expect(await writtenDeliveries(connection, [project.id])).toEqual({
      deliveries: SIZE.changesUnderKills,
      overtaken: 0,
    });
    expect(repeated).toBeLessThanOrEqual(KILLED_AT.length * REPEATED_BY_A_KILL);
    receiver.received.clear();
  }, 1_200_000);
});
