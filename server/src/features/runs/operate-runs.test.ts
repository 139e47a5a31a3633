import { RUN_STATUSES } from "@millrace/contract/runs/runs";
import { beforeAll, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRun } from "../../../test/seed/seed-run.ts";
import type { ClientResponse } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import type { RunStatus } from "../../flow/runs/states.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id)).id;
});

type Verb = "cancel" | "pause" | "resume" | "replay" | "discard" | "PATCH" | "DELETE data";

/** The run's new status, or the error code. */
type Outcome = { status: RunStatus; pause_requested?: boolean } | { refused: string };

const refused = (code: string): Outcome => ({ refused: code });
const becomes = (status: RunStatus, pause_requested = false): Outcome => ({ status, pause_requested });

/** Every verb in every status. The columns of the ended statuses are the same except for the name. */
function table(status: RunStatus): Record<Verb, Outcome> {
  switch (status) {
    case "pending":
      return {
        cancel: becomes("canceled"),
        pause: becomes("paused"),
        resume: becomes("pending"),
        replay: refused("run_not_ended"),
        discard: refused("not_dead_lettered"),
        PATCH: becomes("pending"),
        "DELETE data": refused("run_not_ended"),
      };
    case "running":
    case "waiting":
      return {
        cancel: becomes("canceled"),
        pause: becomes(status, true),
        resume: becomes(status),
        replay: refused("run_not_ended"),
        discard: refused("not_dead_lettered"),
        PATCH: refused("run_already_started"),
        "DELETE data": refused("run_not_ended"),
      };
    case "paused":
      return {
        cancel: becomes("canceled"),
        pause: becomes("paused"),
        resume: becomes("pending"),
        replay: refused("run_not_ended"),
        discard: refused("not_dead_lettered"),
        PATCH: becomes("paused"),
        "DELETE data": refused("run_not_ended"),
      };
    default:
      return {
        cancel: status === "canceled" ? becomes(status) : refused("run_already_ended"),
        pause: refused("run_already_ended"),
        resume: refused("run_already_ended"),
        replay: becomes(status),
        discard: refused("not_dead_lettered"),
        PATCH: refused("run_already_ended"),
        "DELETE data": becomes(status),
      };
  }
}

const seed = (run: SeedRun) => seedRun(world.connection, project.id, { job_id, ...run });

function operate(verb: Verb, id: string): Promise<ClientResponse> {
  if (verb === "PATCH") return project.api.patch(`/v1/runs/${id}`, { priority: 5 });
  if (verb === "DELETE data") return project.api.delete(`/v1/runs/${id}/data`);
  return project.api.post(`/v1/runs/${id}/${verb}`);
}

type Records = {
  run: { status: RunStatus; prev_status: RunStatus | null; transition_count: number };
  queue: object[];
  transitions: object[];
  audit: object[];
};

/** Everything recorded about a run. */
async function recordsOf(id: string) {
  const [row] = await runSql<Records>(
    world.connection,
    `select
       (select to_jsonb(r) from runs r where r.id = $1) as run,
       (select coalesce(jsonb_agg(q), '[]') from run_queue q where q.run_id = $1) as queue,
       (select coalesce(jsonb_agg(t order by ordinal), '[]') from run_history t where t.run_id = $1) as transitions,
       (select coalesce(jsonb_agg(a), '[]') from audit_events a where a.resource_id = $1::text) as audit`,
    [id],
  );
  if (!row) throw new Error("no records");
  return row;
}

const VERBS: Verb[] = ["cancel", "pause", "resume", "replay", "discard", "PATCH", "DELETE data"];
const cases = RUN_STATUSES.flatMap((status) => VERBS.map((verb) => ({ status, verb, outcome: table(status)[verb] })));

describe("every verb in every status", () => {
  const legal = cases.filter(({ outcome }) => "status" in outcome);
  const illegal = cases.filter(({ outcome }) => "refused" in outcome);

  it.each(legal)("$verb of a $status run has its effect and is recorded", async (each) => {
    const { status, verb, outcome } = each;
    const id = await seed({ status });
    const before = await recordsOf(id);
    const response = await operate(verb, id);
    expect(response.status, response.text).toBe(verb === "replay" ? 201 : verb === "DELETE data" ? 204 : 200);
    const shown = (await project.api.get(`/v1/runs/${id}`)).body;
    expect(shown).toMatchObject(outcome);
    if (verb !== "replay" && verb !== "DELETE data") expect(response.body).toEqual(shown);

    const { run, queue, transitions, audit } = await recordsOf(id);
    const hasChanged = run.status !== status;
    expect(transitions.at(-1)).toMatchObject({
      ordinal: run.transition_count,
      from_status: run.prev_status,
      to_status: run.status,
    });
    expect(transitions).toHaveLength(before.transitions.length + (hasChanged ? 1 : 0));
    expect(queue).toHaveLength(run.status === "pending" || run.status === "running" ? 1 : 0);
    const isUnchanged =
      verb === "resume" ? status !== "paused" : status === { pause: "paused", cancel: "canceled" }[verb as string];
    expect(audit).toHaveLength(isUnchanged ? 0 : 1);
  });

  it.each(illegal)("$verb of a $status run returns 409 and changes nothing", async ({ status, verb, outcome }) => {
    const id = await seed({ status });
    const before = await recordsOf(id);
    const response = await operate(verb, id);
    expect([response.status, response.body.code]).toEqual([409, "refused" in outcome && outcome.refused]);
    if (response.body.code !== "not_dead_lettered" && response.body.code !== "run_already_started")
      expect(response.body.detail).toContain(`its status is ${status}`);
    expect(await recordsOf(id)).toEqual(before);
  });

  it("covers every combination of status and verb", () => {
    expect(cases.length).toBe(8 * 7);
    expect([legal.length, illegal.length]).toEqual([23, 33]);
  });
});

describe("POST /v1/runs/{runID}/pause", () => {
  it("of a pending run removes it from the queue with a transition, and is audited", async () => {
    const id = await seed({});
    await operate("pause", id);
    const { queue, transitions, audit } = await recordsOf(id);
    expect(queue).toEqual([]);
    expect(transitions.at(-1)).toMatchObject({ from_status: "pending", to_status: "paused", cause: "paused" });
    expect(audit).toMatchObject([{ action: "run.paused", before: { status: "pending" } }]);
  });

  it("of a running run requests the pause, idempotently", async () => {
    const id = await seed({ status: "running" });
    const first = await operate("pause", id);
    expect(first.body).toMatchObject({ status: "running", pause_requested: true });
    expect((await operate("pause", id)).body).toEqual(first.body);
    const { queue, transitions, audit } = await recordsOf(id);
    expect([queue.length, transitions.length, audit.length]).toEqual([1, 2, 1]);
  });

  it("concurrently pauses once", async () => {
    const id = await seed({});
    const responses = await Promise.all(Array.from({ length: 8 }, () => operate("pause", id)));
    expect(responses.map((response) => [response.status, response.body.status])).toEqual(
      responses.map(() => [200, "paused"]),
    );
    const { transitions, audit } = await recordsOf(id);
    expect([transitions.length, audit.length]).toEqual([2, 1]);
  });
});

describe("POST /v1/runs/{runID}/resume", () => {
  it("of a paused run puts it back into the queue", async () => {
    const id = await seed({ priority: 3 });
    await operate("pause", id);
    await operate("resume", id);
    const { queue, transitions } = await recordsOf(id);
    expect(queue).toMatchObject([{ blocked_on: null, lease_until: null, host: "127.0.0.1:9" }]);
    expect(transitions.at(-1)).toMatchObject({ from_status: "paused", to_status: "pending", cause: "resumed" });
  });

  it("of a run that is not due yet blocks it until it is", async () => {
    const id = await seed({ scheduled_at: "2050-01-01T00:00:00Z" });
    await operate("pause", id);
    await operate("resume", id);
    expect((await recordsOf(id)).queue).toMatchObject([{ blocked_on: "not_due" }]);
  });

  it.each(["running", "waiting"] as const)("of a %s run withdraws the pause request", async (status) => {
    const id = await seed({ status, pause_requested: true });
    expect((await operate("resume", id)).body).toMatchObject({ status, pause_requested: false });
    expect((await recordsOf(id)).audit).toMatchObject([{ action: "run.resumed" }]);
  });

  it("racing with pause and cancel leaves a consistent state, and never a queue row for a run that is not pending", async () => {
    for (let round = 0; round < sizeOf(5, 15); round++) {
      const id = await seed({ status: "paused" });
      const responses = await Promise.all([
        operate("resume", id),
        operate("pause", id),
        operate("cancel", id),
        operate("resume", id),
      ]);
      expect(responses.filter((response) => ![200, 409].includes(response.status))).toEqual([]);
      const { run, queue, transitions } = await recordsOf(id);
      expect([run.status, queue, transitions.length]).toEqual(["canceled", [], run.transition_count]);
    }
  });
});

describe("POST /v1/runs/{runID}/discard", () => {
  it("removes a run from the dead-letter queue, once, and is audited", async () => {
    const id = await seed({ status: "failed", is_dead_letter: true });
    const response = await operate("discard", id);
    expect([response.status, response.body.dead_lettered_at, response.body.status]).toEqual([200, null, "failed"]);
    const again = await operate("discard", id);
    expect([again.status, again.body.code]).toEqual([409, "not_dead_lettered"]);
    expect((await recordsOf(id)).audit).toMatchObject([
      { action: "run.discarded", before: { dead_lettered_at: expect.any(String) } },
    ]);
  });
});

describe("A11 the scopes", () => {
  it("403 for every change without runs:write, and nothing changes", async () => {
    const id = await seed({});
    const { api } = await project.newKey({ scopes: ["runs:read"] });
    const before = await recordsOf(id);
    const responses = [
      await api.patch(`/v1/runs/${id}`, { priority: 1 }),
      await api.delete(`/v1/runs/${id}/data`),
      ...(await Promise.all(
        ["cancel", "pause", "resume", "replay", "discard"].map((verb) => api.post(`/v1/runs/${id}/${verb}`)),
      )),
    ];
    expect(responses.map((response) => response.body.code)).toEqual(responses.map(() => "scope_missing"));
    expect(await recordsOf(id)).toEqual(before);
  });
});
