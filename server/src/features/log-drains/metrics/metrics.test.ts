import { beforeAll, describe, expect, it } from "vitest";
import { drainReceiver } from "../../../../test/outside/drain-receiver.ts";
import { jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { drainerOf } from "../drainer.ts";

type Point = { asInt?: string; asDouble?: number; attributes: { key: string; value: { stringValue: string } }[] };
type Metric = { name: string; sum?: { dataPoints: Point[]; isMonotonic: boolean }; gauge?: { dataPoints: Point[] } };

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("a drain of metrics", () => {
  it("H5 sends the totals and the backlog of each job once a minute", async () => {
    const [project, receiver, endpoint] = [await world.project(), await drainReceiver(), await jobEndpoint()];
    const { body } = await project.api.post("/v1/log-drains", { name: "M", url: receiver.url, signal: "metrics" });
    expect(body).toMatchObject({ signal: "metrics", format: "otlp" });
    const job = await makeJob(project, { name: "Charge", endpoint_url: endpoint.url, max_attempts: 1 });
    endpoint.respondWith(200, 200, 422);
    for (let nth = 0; nth < 3; nth++) await project.api.post(`/v1/jobs/${job.id}/trigger`);
    await world.runUntilIdle();
    await project.api.post(`/v1/jobs/${job.id}/pause`);
    await project.api.post(`/v1/jobs/${job.id}/trigger`);
    await world.clock.pass("61s");
    await world.runUntilIdle();
    await drain();
    const before = receiver.taken.length;
    await drain();
    expect(receiver.taken.length).toBe(before);
    const metrics: Metric[] = JSON.parse(receiver.taken.at(-1)?.body ?? "").resourceMetrics[0].scopeMetrics[0].metrics;
    const ended = Object.fromEntries(
      pointsOf(metrics, "millrace.runs.ended").map((each) => [labelOf(each, "millrace.status"), each.asInt]),
    );
    expect(ended).toEqual({ completed: "2", failed: "1", timed_out: "0", canceled: "0" });
    expect(pointsOf(metrics, "millrace.runs.created").map(({ asInt }) => asInt)).toEqual(["4"]);
    expect(
      pointsOf(metrics, "millrace.queue.depth").map((each) => [labelOf(each, "millrace.job_slug"), each.asInt]),
    ).toEqual([["charge", "1"]]);
    const [age] = pointsOf(metrics, "millrace.queue.oldest_age");
    expect(age?.asDouble).toBeGreaterThanOrEqual(60);
    await world.clock.pass("1m");
    await drain();
    expect(receiver.taken.length).toBe(before + 1);
  });
});

async function drain(): Promise<void> {
  await world.tick("drain-logs");
  await drainerOf(world.ctx).idle();
}

function pointsOf(metrics: Metric[], name: string): Point[] {
  const [metric] = metrics.filter((each) => each.name === name);
  return metric?.sum?.dataPoints ?? metric?.gauge?.dataPoints ?? [];
}

const labelOf = ({ attributes }: Point, name: string) => attributes.find(({ key }) => key === name)?.value.stringValue;
