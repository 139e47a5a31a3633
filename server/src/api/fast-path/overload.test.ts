import { beforeAll, describe, expect, it } from "vitest";
import { type HttpResponse, sendHttp } from "../../../test/outside/http-request.ts";
import { makeWorkflow } from "../../../test/seed/make-workflow.ts";
import { holdGate, makeJob, whenBlocked } from "../../../test/world/queue-world.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

const MAX_WAITING = 2;
const REFUSED = 4;

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld({ config: { max_waiting_triggers: MAX_WAITING } });
  project = await world.project();
});

const PLAIN = "application/json";
/** The fast path leaves requests whose media type has a parameter to Fastify. */
const NOT_PLAIN = "application/json; charset=utf-8";

function trigger(path: string, type: string, key = project.key): Promise<HttpResponse> {
  const headers = { authorization: `Bearer ${key}`, "content-type": type, "x-request-id": "same" };
  return sendHttp(world.url, { method: "POST", path, headers, body: '{"payload":{}}' });
}

const TARGETS: Record<string, () => Promise<{ path: string; table: string }>> = {
  job: async () => ({ path: `${(await makeJob(project)).path}/trigger`, table: "runs" }),
  workflow: async () => {
    const { path } = await makeWorkflow(project, {
      steps: [{ step_ref: "w", type: "wait_for_event", event_key: "e" }],
    });
    return { path: `${path}/trigger`, table: "workflow_runs" };
  },
};

describe("more triggers than the database commits", () => {
  it.each(Object.keys(TARGETS))(
    "O11 of a %s: those beyond the bound get 503 at once, the others succeed",
    async (name) => {
      const { path, table } = (await TARGETS[name]?.()) ?? { path: "", table: "" };
      expect((await trigger(path, PLAIN)).status).toBe(201);
      const gate = await holdGate(world.connection, `lock table ${table} in exclusive mode`);
      const first = trigger(path, PLAIN);
      await whenBlocked(world.connection);
      // The first is being committed, two wait for it, and the others are refused.
      const answered: HttpResponse[] = [];
      const others = Array.from({ length: MAX_WAITING + REFUSED }, (_, nth) =>
        trigger(path, nth % 2 === 0 ? PLAIN : NOT_PLAIN).then((response) => answered.push(response)),
      );
      await until("the refusals", 20_000, () => answered.length === REFUSED);
      const fast = await trigger(path, PLAIN);
      const viaFastify = await trigger(path, NOT_PLAIN);
      const health = await world.admin.get("/health/ready");
      await gate.open();
      await Promise.all(others);
      expect([fast.status, fast.headers["retry-after"], health.status]).toEqual([503, "1", 200]);
      expect(comparable(fast)).toEqual(comparable(viaFastify));
      expect((await first).status).toBe(201);
      expect(answered.map(({ status }) => status)).toEqual([
        ...Array(REFUSED).fill(503),
        ...Array(MAX_WAITING).fill(201),
      ]);
      expect((await trigger(path, PLAIN)).status).toBe(201);
    },
  );
});

function comparable({ status, headers: { date: _, ...headers }, body }: HttpResponse) {
  return { status, headers, body };
}
