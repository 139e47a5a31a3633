import { beforeAll, describe, expect, it } from "vitest";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

type Transition = { from: string | null; to: string; cause: string; attempt: number; at: string; detail?: object };

/** A run with exactly this history, in the status where it ends. */
async function runWith(transitions: Transition[]): Promise<string> {
  const id = await seedRun(world.connection, project.id);
  await runSql(world.connection, "delete from run_transitions where run_id = $1", [id]);
  await runSql(
    world.connection,
    `insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
     select $1, $2, m.ordinality, m.value ->> 'from', m.value ->> 'to', m.value ->> 'cause',
       (m.value ->> 'attempt')::int, m.value -> 'detail', (m.value ->> 'at')::timestamptz
     from jsonb_array_elements($3::jsonb) with ordinality as m`,
    [project.id, id, JSON.stringify(transitions)],
  );
  await runSql(world.connection, "update runs set transition_count = $2 where id = $1", [id, transitions.length]);
  return id;
}

const at = (secs: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, secs)).toISOString();
const error = { code: "http_500", message: "The endpoint responded with 500." };

const retried = (): Promise<string> =>
  runWith([
    { from: null, to: "pending", cause: "created", attempt: 0, at: at(0) },
    { from: "pending", to: "running", cause: "claimed", attempt: 1, at: at(1) },
    {
      from: "running",
      to: "pending",
      cause: "retry",
      attempt: 1,
      at: at(3),
      detail: { error, http_status: 500, duration_ms: 1_950 },
    },
    { from: "pending", to: "running", cause: "claimed", attempt: 2, at: at(4) },
    {
      from: "running",
      to: "completed",
      cause: "completed",
      attempt: 2,
      at: at(9),
      detail: { error: null, http_status: 200, duration_ms: null },
    },
  ]);

describe("GET /v1/runs/{runID}/transitions", () => {
  it("lists every status change from the first on, with cause, attempt and details", async () => {
    const id = await retried();
    const { status, body } = await project.api.get(`/v1/runs/${id}/transitions`);
    expect([status, body.data.length, body.has_more]).toEqual([200, 5, false]);
    expect(body.data[2]).toEqual({
      run_id: id,
      ordinal: 3,
      from_status: "running",
      to_status: "pending",
      cause: "retry",
      attempt: 1,
      detail: { error, http_status: 500, duration_ms: 1_950 },
      created_at: at(3),
    });
    expect(body.data[0]).toMatchObject({ from_status: null, to_status: "pending", detail: null });
  });

  it("O6 paginates both ways, even if clocks ran backwards", async () => {
    const id = await runWith(
      Array.from({ length: 300 }, (_, n) => ({ from: "a", to: "pending", cause: "x", attempt: 0, at: at(n % 7) })).map(
        (transition) => ({ ...transition, from: "running" }),
      ),
    );
    for (const order of ["asc", "desc"]) {
      const shown: number[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const path: string = `/v1/runs/${id}/transitions?order=${order}&limit=37${cursor && `&cursor=${cursor}`}`;
        const { body } = await project.api.get(path);
        shown.push(...body.data.map((transition: { ordinal: number }) => transition.ordinal));
        cursor = body.next_cursor;
      }
      const numbers = Array.from({ length: 300 }, (_, n) => n + 1);
      expect(shown).toEqual(order === "asc" ? numbers : numbers.toReversed());
    }
  });

  it("404 for an unknown run or another project's; 400 for a cursor of another run", async () => {
    const [mine, other] = [await retried(), await retried()];
    expect((await project.api.get(`/v1/runs/${newId()}/transitions`)).status).toBe(404);
    const { api } = await world.project();
    expect((await api.get(`/v1/runs/${mine}/transitions`)).status).toBe(404);
    const { next_cursor } = (await project.api.get(`/v1/runs/${mine}/transitions?limit=1`)).body;
    const response = await project.api.get(`/v1/runs/${other}/transitions?limit=1&cursor=${next_cursor}`);
    expect(response.body.code).toBe("invalid_cursor");
  });
});

describe("GET /v1/runs/{runID}/attempts", () => {
  it("omits an attempt whose end was removed while the run waited for months", async () => {
    const id = await runWith([
      { from: null, to: "pending", cause: "created", attempt: 0, at: at(0) },
      { from: "pending", to: "running", cause: "claimed", attempt: 1, at: at(1) },
      { from: "running", to: "waiting", cause: "waiting", attempt: 1, at: at(2) },
      { from: "waiting", to: "pending", cause: "event_received", attempt: 1, at: "2030-05-01T00:00:00.000Z" },
      { from: "pending", to: "running", cause: "claimed", attempt: 2, at: "2030-05-01T00:00:01.000Z" },
    ]);
    await runSql(world.connection, "delete from run_transitions where run_id = $1 and ordinal = 3", [id]);
    const { status, body } = await project.api.get(`/v1/runs/${id}/attempts`);
    expect([status, body.data.map((each: { attempt: number }) => each.attempt)]).toEqual([200, [2]]);
  });

  it("lists one attempt per claim, with outcome, error, HTTP status and duration", async () => {
    const id = await retried();
    const { status, body } = await project.api.get(`/v1/runs/${id}/attempts`);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        run_id: id,
        attempt: 1,
        started_at: at(1),
        finished_at: at(3),
        outcome: "retry",
        to_status: "pending",
        error,
        http_status: 500,
        duration_ms: 1_950,
      },
      {
        run_id: id,
        attempt: 2,
        started_at: at(4),
        finished_at: at(9),
        outcome: "completed",
        to_status: "completed",
        error: null,
        http_status: 200,
        // The dispatcher reported no duration: it is the time from claim to end.
        duration_ms: 5_000,
      },
    ]);
  });

  it("an attempt in progress has no end yet", async () => {
    const id = await runWith([
      { from: null, to: "pending", cause: "created", attempt: 0, at: at(0) },
      { from: "pending", to: "running", cause: "claimed", attempt: 1, at: at(1) },
    ]);
    const { body } = await project.api.get(`/v1/runs/${id}/attempts`);
    expect(body.data).toEqual([
      {
        run_id: id,
        attempt: 1,
        started_at: at(1),
        finished_at: null,
        outcome: null,
        to_status: null,
        error: null,
        http_status: null,
        duration_ms: null,
      },
    ]);
  });

  it("a run that was never claimed has no attempts; one canceled while running ends with its cancellation", async () => {
    const never = await seedRun(world.connection, project.id);
    expect((await project.api.get(`/v1/runs/${never}/attempts`)).body.data).toEqual([]);
    const id = await seedRun(world.connection, project.id, { status: "running" });
    await project.api.post(`/v1/runs/${id}/cancel`, { reason: "enough" });
    const [attempt] = (await project.api.get(`/v1/runs/${id}/attempts`)).body.data;
    expect(attempt).toMatchObject({
      attempt: 1,
      outcome: "canceled",
      to_status: "canceled",
      error: { code: "canceled", message: "enough" },
      http_status: null,
    });
  });

  it("O6 paginates, newest first on request", async () => {
    const id = await retried();
    const first = await project.api.get(`/v1/runs/${id}/attempts?order=desc&limit=1`);
    expect([first.body.data[0].attempt, first.body.has_more]).toEqual([2, true]);
    const next = await project.api.get(`/v1/runs/${id}/attempts?order=desc&limit=1&cursor=${first.body.next_cursor}`);
    expect([next.body.data[0].attempt, next.body.has_more]).toEqual([1, false]);
  });
});
