import { beforeAll, describe, expect, it } from "vitest";
import { dispatchBench } from "../../../../test/costs/dispatch-bench.ts";
import { seedErrorGroups } from "../../../../test/seed/seed-error-groups.ts";
import { type SeedLife, seedLives } from "../../../../test/seed/seed-lives.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

const at = (clock: string) => `2030-06-15T${clock}Z`;
const rollUp = async () => {
  while (await world.tick("sum-changes"));
};

async function oneJob(project: TestProject) {
  const job = await seedJob(world.connection, project.id);
  const environment_id = (await project.api.get("/v1/environments/production")).body.id as string;
  return { job_id: job.id, job_version_id: job.version_id, environment_id };
}

const failing = (
  place: Awaited<ReturnType<typeof oneJob>>,
  message: string,
  more: Partial<SeedLife> = {},
): SeedLife => ({
  ...{ ...place, created_at: at("11:00:00"), started_at: at("11:00:01"), ended_at: at("11:00:02"), status: "failed" },
  ...{ error: { code: "http_500", message }, http_status: 500, ...more },
});

describe("GET /v1/analytics/errors", () => {
  it("puts forty failures whose JSON bodies differ only in their ids into two groups", async () => {
    const project = await world.project();
    const place = await oneJob(project);
    const lives = Array.from({ length: 40 }, (_, nth) =>
      failing(
        place,
        nth % 2
          ? `The endpoint responded with 500: {"error":"plan \\"gratis-${nth}\\" is gone","order":"${newId()}","nth":${nth}}`
          : `The endpoint responded with 500: {"request":"${newId()}","detail":"no stock of part ${nth}"}`,
      ),
    );
    await seedLives(world.connection, project.id, lives);
    await rollUp();
    const { body } = await project.api.get("/v1/analytics/errors");
    expect(body.data.map(({ message, runs }: { message: string; runs: number }) => [message, runs]).sort()).toEqual([
      ["The endpoint responded with <n>: no stock of part <n>", 20],
      ["The endpoint responded with <n>: plan <text> is gone", 20],
    ]);
  });

  it("groups failures by job, step, status and message, ignoring what is specific to one run", async () => {
    const project = await world.project();
    const [one, other] = [await oneJob(project), await oneJob(project)];
    const ids = await seedLives(world.connection, project.id, [
      failing(one, "no stock for order 17"),
      failing(one, "no stock for order 18", { ended_at: at("11:30:00") }),
      failing(one, "no stock for order 19", { http_status: 503 }),
      failing(one, "no stock for order 20", { step_ref: "reserve" }),
      failing(other, "no stock for order 21"),
      { ...failing(one, ""), status: "completed" },
    ]);
    await rollUp();
    const { body } = await project.api.get("/v1/analytics/errors");
    expect(body.total).toEqual({ runs: 5, attempts: 5 });
    expect(body.data).toHaveLength(4);
    expect(body.data[0]).toMatchObject({
      ...{ message: "no stock for order <n>", code: "http_500", http_status: 500, job_id: one.job_id, step_ref: null },
      ...{ runs: 2, attempts: 2, first_seen_at: "2030-06-15T11:00:02.000Z", last_seen_at: "2030-06-15T11:30:00.000Z" },
      versions: [{ job_version_id: one.job_version_id, version: 1, attempts: 2 }],
      sample_run_ids: ids.slice(0, 2).reverse(),
    });
    const { body: ofOne } = await project.api.get(`/v1/analytics/errors?job_id=${other.job_id}`);
    expect(ofOne.data).toHaveLength(1);
    const { body: early } = await project.api.get(`/v1/analytics/errors?to=${at("11:15:00")}&bucket=5m`);
    expect(early.data.find(({ runs }: { runs: number }) => runs === 2)).toBeUndefined();
  });

  it("counts attempts that were retried, as a real endpoint produces them", async () => {
    const bench = await dispatchBench(world, 503, 503, 200);
    const run_id = await bench.run();
    await world.runUntilIdle();
    for (let pass = 0; pass < 3; pass++) {
      const run = await bench.read(run_id);
      if (run.status === "completed") break;
      await world.clock.set(run.scheduled_at);
      await world.runUntilIdle();
    }
    await rollUp();
    const { body } = await bench.project.api.get("/v1/analytics/errors");
    expect(body.data).toMatchObject([{ runs: 0, attempts: 2, http_status: 503, sample_run_ids: [run_id] }]);
  });

  it("keeps the newest five runs of a group across passes", async () => {
    const project = await world.project();
    const place = await oneJob(project);
    const first = await seedLives(world.connection, project.id, Array(4).fill(failing(place, "broke")));
    await rollUp();
    const second = await seedLives(world.connection, project.id, Array(3).fill(failing(place, "broke")));
    await rollUp();
    const { body } = await project.api.get("/v1/analytics/errors");
    expect(body.data).toHaveLength(1);
    expect(body.data[0].runs).toBe(7);
    expect(body.data[0].sample_run_ids).toHaveLength(5);
    expect(second.every((id) => body.data[0].sample_run_ids.includes(id))).toBe(true);
    expect(first.filter((id) => body.data[0].sample_run_ids.includes(id))).toHaveLength(2);
  });

  it("puts failures beyond 500 groups of a job into one group, and loses none", async () => {
    const project = await world.project();
    const place = await oneJob(project);
    const word = (nth: number) => nth.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");
    await seedErrorGroups(world.connection, { project_id: project.id, ...place }, 495);
    const lives = Array.from({ length: 8 }, (_, nth) => failing(place, `kind ${word(nth)}`));
    await seedLives(world.connection, project.id, lives);
    await rollUp();
    await seedLives(world.connection, project.id, [failing(place, "one more"), failing(place, `kind ${word(0)}`)]);
    await rollUp();
    const { body } = await project.api.get("/v1/analytics/errors?limit=2");
    expect(body.total.runs).toBe(10);
    expect(body.data[0]).toMatchObject({ message: "(other failures)", runs: 4 });
    expect(body.data[1]).toMatchObject({ runs: 2 });
  });
});
