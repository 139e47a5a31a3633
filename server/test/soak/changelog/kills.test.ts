import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { buildGates, type ClosedGate, closeGate, type Gate, holdHead } from "../../harness/gates.ts";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { useServices } from "../../service/start-service.ts";
import { checkChangelog } from "./check-changelog.ts";
import { followRuns } from "./follow-runs.ts";
import { makeSubject, type Subject, startLoad } from "./load.ts";

useServices();

const EVERY_MS = 40;
const BEFORE_MS = 600;

const inbox = { on: "changelog_inbox", event: "insert", when: "new.kind = 'run'" };
const sums = { on: "log_cursors", event: "update", when: "new.consumer = 'sum-changes'" };
const webhooks = { on: "log_cursors", event: "update", when: "new.consumer = 'publish-webhooks'" };

const GATES: Gate[] = [
  { name: "the writer, as it writes to the inbox", at: "write", ...inbox },
  { name: "the writer, at the commit", at: "commit", ...inbox },
  { name: "the sequencer, between the inbox and the positions", at: "write", on: "changelog", event: "insert" },
  { name: "the sequencer, at the commit", at: "commit", on: "changelog", event: "insert" },
  { name: "the consumer of sums, in the middle of the sums", at: "write", on: "rollups", event: "insert or update" },
  { name: "the consumer of sums, between the sums and the cursor", at: "write", ...sums },
  { name: "the consumer of sums, at the commit", at: "commit", ...sums },
  {
    ...{ name: "the publisher of webhooks, between reading and its deliveries", at: "write" },
    ...{ on: "webhook_deliveries", event: "insert" },
  },
  { name: "the publisher of webhooks, between deliveries and the cursor", at: "write", ...webhooks },
  { name: "the publisher of webhooks, at the commit", at: "commit", ...webhooks },
];

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ name: "changelog kills", instances: 1 });
  await buildGates(harness.connection, GATES);
});

type Place = { name: string; close: () => Promise<ClosedGate> };
const PLACES: Place[] = [
  { name: "the sequencer, before it has the lock", close: () => holdHead(harness.connection) },
  ...GATES.map((gate) => ({ name: gate.name, close: () => closeGate(harness.connection, gate) })),
];

/**
 * The process dies at the statement. Then PostgreSQL completes the statement, whose client is gone (`open`), or the
 * statement is lost with the connection (`break`).
 */
async function killAt({ close }: Place, subject: Subject, end: "open" | "break"): Promise<number> {
  const { instances, random } = harness;
  const load = startLoad(subject, random, { everyMs: EVERY_MS, keys: end });
  await pause(BEFORE_MS * random());
  const gate = await close();
  await gate.untilReached();
  const triggering = load.stop();
  await instances.kill(0);
  await gate[end]();
  await instances.start(0);
  return triggering;
}

describe.each(PLACES)("kill -9 of $name", (place) => {
  it("loses nothing and does nothing twice, whether PostgreSQL completes the statement or loses it", async () => {
    const subject = await makeSubject(harness);
    const followed = await followRuns(harness.instances.urls, subject.project.project_id);
    const triggered = (await killAt(place, subject, "open")) + (await killAt(place, subject, "break"));
    const checked = await checkChangelog(harness, subject.project, followed);
    const figures = { triggered, ...checked, connections: followed.connections() };
    console.info(`${place.name}: ${JSON.stringify(figures)}`);
    expect(followed.connections()).toBeGreaterThan(1);
  }, 400_000);
});
