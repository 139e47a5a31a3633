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
import { HOSTILE_TEXTS } from "./hostile-texts.ts";

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

const [HOSTILE_NAME = ""] = HOSTILE_TEXTS;
/** Names with bidirectional control characters are rejected. */
const HOSTILE = `\u202E${HOSTILE_NAME}`;
const LONG = "w".repeat(10_000);

/** Hostile texts in every field that users can write, and all of them where a page shows several. */
export async function seedHostile(world: World, project: TestProject): Promise<PageIds> {
  const { api } = project;
  const bench = await workflowBench(world, project, {
    name: HOSTILE_NAME,
    description: HOSTILE,
    tags: { [HOSTILE.slice(0, 60)]: HOSTILE.slice(0, 200), long: "w".repeat(250) },
  });
  bench.onDispatch("bad", () => ({ status: 400, body: { error: `${HOSTILE_TEXTS.join(" ")} ${LONG}` } }));
  const all = Object.fromEntries(HOSTILE_TEXTS.map((text) => [text, text]));
  const payload = { ...all, [HOSTILE]: HOSTILE, long: LONG, deep: { "</script>": HOSTILE_TEXTS } };
  const workflow = await bench.save([{ step_ref: "good" }, { step_ref: "bad", depends_on: ["good"] }], {
    name: HOSTILE_NAME,
  });
  await bench.run(workflow, { payload });
  await waitingRun(world, project, { event_key: HOSTILE });
  for (const [nth, text] of HOSTILE_TEXTS.entries()) {
    await created(
      api.post("/v1/jobs", { name: text, endpoint_url: bench.endpoint.url, tags: { [`tag${nth}`]: text } }),
    );
    await created(api.post("/v1/api-keys", { name: text }));
    await created(api.post("/v1/members", { subject: `mallory ${nth}`, name: text, role_id: "viewer" }));
    // A message whose template is not a path is rejected.
    const message = text.includes("{{") ? "ok" : text;
    await created(bench.save([{ step_ref: "ok", type: "approval", message }], { name: text }));
    await waitingRun(world, project, { event_key: text });
  }
  const tags = Object.fromEntries(HOSTILE_TEXTS.slice(0, 19).map((text, nth) => [`tag${nth}`, text]));
  const { sdk } = await runningRun(world, project, { accepted: true, payload, tags: { ...tags, note: HOSTILE } });
  const messages = [`${HOSTILE}\n${LONG}`, ...HOSTILE_TEXTS];
  await sdk.post("/log", { logs: messages.map((message) => ({ level: "error", message, fields: all })) });
  for (const text of HOSTILE_TEXTS)
    await created(sdk.post("/tool-call", { name: text, input: all, error: text, duration_ms: 1 }));
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

/** A text that is rejected would not be shown anywhere. */
async function created(sending: Promise<{ status: number; text: string } | string>): Promise<void> {
  const response = await sending;
  if (typeof response !== "string" && response.status >= 300) throw new Error(response.text);
}
