import { beforeAll, describe, expect, it } from "vitest";
import type { ProjectClient } from "../../harness/client.ts";
import { buildGates, closeGate, type Gate } from "../../harness/gates.ts";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { type JobEndpoint, jobEndpoint } from "../../outside/job-endpoint.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { until } from "../../world/until.ts";

useServices();

type Place = Gate & {
  /** The receiver has it before the process dies. It gets it again, with the same id, if the record is lost. */
  isSent?: boolean;
};

const PLACES: Place[] = [
  {
    ...{ name: "the decision, before it is written", at: "write" },
    ...{ on: "alert_rules", event: "update", when: "new.state = 'firing' and old.state <> 'firing'" },
  },
  { name: "the decision, between the alert and its notification", at: "write", on: "alerts", event: "insert" },
  { name: "the decision, at the commit", at: "commit", on: "alerts", event: "insert" },
  {
    ...{ name: "the sender, between the decision and the delivery", at: "write" },
    ...{ on: "webhook_deliveries", event: "update", when: "old.claim_token is null and new.claim_token is not null" },
  },
  {
    ...{ name: "the sender, between the delivery and its record", at: "write", isSent: true },
    ...{ on: "webhook_deliveries", event: "update", when: "new.status = 'delivered'" },
  },
];

/** After a kill another instance waits until the lease of the task, or the claim of a delivery, has expired. */
const WITHIN_MS = 90_000;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ name: "alert kills", instances: 1 });
  await buildGates(harness.connection, PLACES);
});

type Watched = { project: ProjectClient; receiver: JobEndpoint };

/** A project whose only rule fires as soon as a run waits, and a job that nobody works on. */
async function watched(): Promise<Watched> {
  const project = await harness.project();
  const receiver = await jobEndpoint();
  const channel = await project.post("/v1/alert-channels", { name: "Night", kind: "webhook", url: receiver.url });
  const rule = { name: "Runs wait", kind: "queue_depth", threshold: 0, channel_ids: [channel.body.id] };
  await project.post("/v1/alert-rules", rule);
  await project.post("/v1/jobs", { slug: "idle", name: "Idle", delivery: "pull" });
  return { project, receiver };
}

/** Otherwise the rules are evaluated within a minute. */
async function evaluateNow({ project_id }: ProjectClient): Promise<void> {
  await runSql(harness.connection, "update alert_evaluations set next_at = clock() where project_id = $1", [
    project_id,
  ]);
}

function idsOf({ receiver }: Watched, event: string): unknown[] {
  return receiver.dispatches.filter(({ body }) => body.type === event).map(({ headers }) => headers["webhook-id"]);
}

async function untilDelivered({ project }: Watched, event: string): Promise<void> {
  await evaluateNow(project);
  await until(`${event} to be delivered`, WITHIN_MS, async () => {
    const { data } = (await project.get("/v1/webhook-deliveries?status=delivered")).body;
    return data.some(({ event_type }: { event_type: string }) => event_type === event);
  });
}

describe.each(PLACES)("kill -9 of $name", (place) => {
  it.each(["open", "break"] as const)(
    "L3 the alert is delivered once, and resolved once (%s)",
    async (end) => {
      const { connection, instances } = harness;
      const subject = await watched();
      const { project } = subject;
      const gate = await closeGate(connection, place);
      const run = await project.post("/v1/jobs/idle/trigger", { payload: {} });
      await evaluateNow(project);
      await gate.untilReached();
      await instances.kill(0);
      await gate[end]();
      await instances.start(0);

      await untilDelivered(subject, "alert.fired");
      await project.post(`/v1/runs/${run.body.id}/cancel`);
      await untilDelivered(subject, "alert.resolved");
      const [fired, resolved] = [idsOf(subject, "alert.fired"), idsOf(subject, "alert.resolved")];
      expect([new Set(fired).size, new Set(resolved).size]).toEqual([1, 1]);
      expect([fired.length, resolved.length]).toEqual([place.isSent && end === "break" ? 2 : 1, 1]);
      const { data } = (await project.get("/v1/alerts")).body;
      expect(data).toMatchObject([{ status: "resolved", notifications: 1 }]);
    },
    300_000,
  );
});
