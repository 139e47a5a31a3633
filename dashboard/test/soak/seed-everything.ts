import { workflowBench } from "../../../server/test/costs/workflow-bench.ts";
import { runningRun } from "../../../server/test/seed/running-run.ts";
import { seedBatch } from "../../../server/test/seed/seed-batch.ts";
import { seedDelivery } from "../../../server/test/seed/seed-delivery.ts";
import { waitingRun } from "../../../server/test/seed/waiting-run.ts";
import { runSql } from "../../../server/test/world/database.ts";
import type { TestProject, World } from "../../../server/test/world/world.ts";
import { allPages } from "../../src/pages/all-pages.tsx";
import { seedDemoAlerts } from "../seed-demo-alerts.ts";
import { seedDemoInsight } from "../seed-demo-insight.ts";
import { seedDemoObjects } from "../seed-demo-objects.ts";
import { seedDemoRuns } from "../seed-demo-runs.ts";
import { seedHostileSettings } from "../seed-demo-settings.ts";
import { seedDemoWorkflows } from "../seed-demo-workflows.ts";

export type PageIds = Record<string, string>;

/** Data for every page, and for each object page the object with most data. */
export async function seedEverything(world: World, project: TestProject): Promise<PageIds> {
  // The project must be older than its data.
  await runSql(world.connection, "update projects set created_at = created_at - interval '90 days' where id = $1", [
    project.id,
  ]);
  await seedDemoRuns(world, project);
  // Oldest first: lists are ordered by id, and ids are created now.
  const { workflow_id, waiting } = await seedDemoWorkflows(world, project, { isPaced: true });
  const objects = await seedDemoObjects(world, project);
  const { deliveryId } = await seedDemoInsight(world, project);
  await seedDemoAlerts(world, project);
  return {
    ...(await firstIds(project)),
    ...objects,
    ...{ workflowId: workflow_id, workflowRunId: waiting, deliveryId },
  };
}

/** Uses the API list with the page's name, so that a new object page needs only a seed. */
export async function firstIds({ api }: TestProject): Promise<PageIds> {
  const ids: PageIds = {};
  for (const { path } of allPages) {
    const [list = "", parameter] = path.split("/$");
    if (parameter === undefined) continue;
    const { body } = await api.get(`/v1/${list}?limit=1`);
    const id = body.data?.[0]?.id;
    if (id === undefined) throw new Error(`nothing was seeded that /${path} could show`);
    ids[parameter] = id;
  }
  return ids;
}

export const HOSTILE = `<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>\u202Eevil \u05E9\u05DC\u05D5\u05DD`;
/** Names with bidirectional control characters are rejected. */
const HOSTILE_NAME = HOSTILE.replace("\u202E", "");
const LONG = "w".repeat(10_000);

/** Hostile text in every field that users can write. */
export async function seedHostile(world: World, project: TestProject): Promise<PageIds> {
  const { api } = project;
  const bench = await workflowBench(world, project, {
    name: HOSTILE_NAME,
    description: HOSTILE,
    tags: { [HOSTILE.slice(0, 60)]: HOSTILE.slice(0, 200), long: "w".repeat(250) },
  });
  bench.onDispatch("bad", () => ({ status: 400, body: { error: `${HOSTILE} ${LONG}` } }));
  const payload = { [HOSTILE]: HOSTILE, long: LONG, deep: { "</script>": [HOSTILE] } };
  const workflow = await bench.save([{ step_ref: "good" }, { step_ref: "bad", depends_on: ["good"] }], {
    name: HOSTILE_NAME,
  });
  await bench.run(workflow, { payload });
  await waitingRun(world, project, { event_key: HOSTILE });
  const { sdk } = await runningRun(world, project, { accepted: true, payload, tags: { note: HOSTILE } });
  await sdk.post("/log", {
    logs: [{ level: "error", message: `${HOSTILE}\n${LONG}`, fields: { [HOSTILE]: HOSTILE } }],
  });
  await sdk.post("/tool-call", { name: HOSTILE_NAME, input: payload, error: HOSTILE, duration_ms: 1 });
  await sdk.post("/checkpoint", { state: payload });
  await sdk.post("/output", { name: "draft", value: payload });
  await sdk.post("/progress", { percent: 10, message: HOSTILE });
  await seedDelivery(world.connection, project.id, { status: "failed", event_type: HOSTILE });
  await seedBatch(world.connection, project.id, { kind: "replay", status: "completed" });
  await api.post("/v1/api-keys", { name: HOSTILE_NAME });
  await api.post("/v1/roles", { name: HOSTILE_NAME.slice(0, 60), description: HOSTILE, permissions: ["runs:read"] });
  await api.post("/v1/members", { subject: "mallory", name: HOSTILE_NAME, role_id: "viewer" });
  await api.post("/v1/environments", { name: HOSTILE_NAME, slug: "hostile", variables: { PLAIN: HOSTILE } });
  await seedHostileSettings(project, bench.job_id, HOSTILE_NAME, HOSTILE);
  return firstIds(project);
}
