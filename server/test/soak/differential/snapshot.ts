import { withWordsOfNow } from "./intended.ts";
import type { Json } from "./json.ts";
import type { Names } from "./names.ts";
import { grouped, normalize, sorted } from "./normalize.ts";
import type { Project } from "./project.ts";

const SEARCHES = [
  'payload_contains={"color":"green"}',
  "tag=customer:ann",
  "tag=team",
  "concurrency_key=x",
  "trigger_type=replay",
  "dead_letter=true",
  "status=failed,canceled",
  "job_id=job-a",
  "q=payload.n:3",
  'q=error:"broken"',
  "q=attempts:>1",
  "q=is:child",
  "q=is:step -status:completed",
];

const ANALYTICS = [
  ...["runs/by-trigger", "errors", "jobs/by-version", "workflows/summary", "workflows/completion-rates"],
  ...["events/volume", "costs", "compute"],
];

/** Everything that the API, the stream, the webhooks and the endpoint show of a project, with names instead of ids. */
export async function readSnapshot(project: Project, responses: Json[]): Promise<Json> {
  const names = await project.names(true);
  const get = async (path: string) => (await project.api.get(path)).body;
  const snapshot = {
    responses,
    runs: await readRuns(project, names),
    workflow_runs: await readWorkflowRuns(project, names),
    event_triggers: byName(await project.list("/v1/events?order=asc"), names),
    jobs: byName(await project.list("/v1/jobs?order=asc"), names),
    workflows: byName(await project.list("/v1/workflows?order=asc"), names),
    schedules: byName(await project.list("/v1/schedules?order=asc"), names),
    batches: await readBatches(project, names),
    search: await readSearches(project, names),
    logs: grouped(await project.list("/v1/logs?order=asc"), ({ run_id }) => names.of(run_id)),
    found_logs: (await project.list("/v1/logs?order=asc&q=needle&min_level=warn")).length,
    event_stats: await get("/v1/events/stats"),
    analytics: Object.fromEntries(
      await Promise.all(ANALYTICS.map(async (path) => [path, await get(`/v1/analytics/${path}`)])),
    ),
    usage: await get("/v1/usage/current"),
    budget: await get("/v1/project-budget"),
    audit: await readAudit(project, names),
    stream: readStreamed(project, names),
    webhooks: readWebhooks(project, names),
    deliveries: await readDeliveries(project, names),
    dispatches: grouped(project.seen.dispatches, ({ body }) => names.of(body.run_id)),
  };
  return inAnyOrder(normalize(project.build.name === "baseline" ? withWordsOfNow(snapshot) : snapshot, names));
}

/** Lists without a defined order. */
function inAnyOrder(snapshot: Json): Json {
  for (const group of snapshot.analytics.errors.data) group.sample_run_ids = sorted(group.sample_run_ids);
  for (const [path, list] of [
    ["errors", "data"],
    ["jobs/by-version", "data"],
    ["workflows/completion-rates", "data"],
    ["compute", "jobs"],
    ["compute", "outcomes"],
  ] as const) {
    snapshot.analytics[path][list] = sorted(snapshot.analytics[path][list]);
  }
  for (const report of Object.values(snapshot.analytics.costs) as Json[]) {
    if (Array.isArray(report?.groups)) report.groups = sorted(report.groups);
  }
  return snapshot;
}

function byName(objects: Json[], names: Names): Record<string, Json> {
  return Object.fromEntries(objects.map((each) => [names.of(each.id), each]));
}

async function readRuns(project: Project, names: Names): Promise<Json> {
  const runs = await project.list("/v1/runs?order=asc");
  const lists = ["transitions", "attempts", "usage", "outputs", "checkpoints", "tool-calls", "events"];
  const objects = ["explain", "cost", "dependency-status"];
  const read = await Promise.all(
    runs.map(async (run) => {
      const path = `/v1/runs/${run.id}`;
      const parts = await Promise.all([
        ...lists.map(async (list) => [list, await project.list(`${path}/${list}?order=asc`)]),
        ...objects.map(async (object) => [object, (await project.api.get(`${path}/${object}`)).body]),
      ]);
      return { ...run, ...Object.fromEntries(parts) };
    }),
  );
  return byName(read, names);
}

/** Steps in parallel branches have no order among each other: decisions are compared for each step. */
async function readWorkflowRuns(project: Project, names: Names): Promise<Json> {
  const runs = await project.list("/v1/workflow-runs?order=asc");
  const read = await Promise.all(
    runs.map(async (run) => {
      const path = `/v1/workflow-runs/${run.id}`;
      const [steps, decisions, graph] = await Promise.all([
        project.list(`${path}/steps`),
        project.list(`${path}/explain`),
        project.api.get(`${path}/graph`),
      ]);
      const maps = steps.filter(({ type }) => type === "map");
      const items = await Promise.all(
        maps.map(async ({ step_ref }) => [step_ref, await project.list(`${path}/steps/${step_ref}/items`)]),
      );
      const { edges, runnable } = graph.body;
      const bySteps = Object.fromEntries(steps.map((step) => [step.step_ref, step]));
      return {
        ...run,
        steps: bySteps,
        decisions: ofSteps(decisions),
        items: Object.fromEntries(items),
        edges,
        runnable,
      };
    }),
  );
  return byName(read, names);
}

function ofSteps(decisions: Json[]): Record<string, Json[]> {
  const withoutPosition = decisions.map(({ id, ordinal, ...decision }) => decision);
  return grouped(withoutPosition, ({ step_ref }) => step_ref ?? "(run)");
}

/** How much was recorded when a budget reached a threshold depends on which parallel runs one pass has recorded. */
async function readAudit(project: Project, names: Names): Promise<Json> {
  const events = (await project.list("/v1/audit-events?order=asc")).map((event) => {
    if (!/^budget\.(warning|exceeded|blocked)$/.test(event.action)) return event;
    const { settled_microusd, reserved_microusd, remaining_microusd, ...after } = event.after ?? {};
    return { ...event, after };
  });
  return grouped(events, ({ action, resource_id }) => `${action} ${names.of(resource_id)}`);
}

async function readBatches(project: Project, names: Names): Promise<Json> {
  const batches = await project.list("/v1/batch-operations?order=asc");
  const read = await Promise.all(
    batches.map(async (batch) => ({ ...batch, items: await project.list(`/v1/batch-operations/${batch.id}/items`) })),
  );
  return byName(read, names);
}

async function readSearches(project: Project, names: Names): Promise<Json> {
  const found = await Promise.all(
    SEARCHES.map(async (search) => {
      const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(search) ?? [];
      const runs = await project.list(`/v1/runs?order=asc&${name}=${encodeURIComponent(value)}`);
      return [search, runs.map(({ id }) => names.of(id)).sort()];
    }),
  );
  return Object.fromEntries(found);
}

/**
 * Changes of runs and workflow runs have a log; of the others only the last state is certain to be sent. A decision is
 * sent with the status that its workflow run has by then, so that is left out.
 */
function readStreamed(project: Project, names: Names): Json {
  const changes = project.stream.events.filter(({ event }) => event === "change").map(({ data }) => data);
  const ofType = (type: string) =>
    grouped(
      changes.filter((each) => each.type === type),
      ({ id }) => names.of(id),
    );
  const decisions = Object.entries(ofType("workflow_run.decision")).map(([name, list]) => {
    const objects = list.map(({ object: { ordinal, status, ...object } }) => object);
    return [name, grouped(objects, ({ step_ref }) => step_ref ?? "(run)")];
  });
  const last = (type: string) =>
    Object.fromEntries(Object.entries(ofType(type)).map(([name, list]) => [name, list.at(-1)?.object]));
  const others = project.stream.events.filter(({ event }) => !/^(change|open|keepalive|)$/.test(event));
  return {
    runs: Object.fromEntries(
      Object.entries(ofType("run.status")).map(([name, list]) => [name, list.map(({ object }) => object)]),
    ),
    workflow_runs: Object.fromEntries(decisions),
    events: last("event.status"),
    batches: last("batch.progress"),
    others: others.map(({ event, data }) => ({ event, data })),
  };
}

/** The object in a webhook is the one at the time of publishing: only the names of its fields are compared. */
function readWebhooks(project: Project, names: Names): Json {
  const seen = new Map(project.seen.webhooks.map((each) => [`${each.receiver} ${each.webhook_id}`, each]));
  const received = [...seen.values()].map(({ receiver, body }) => {
    const { type, data, transition = data?.transition } = body;
    const ofWorkflowRun = type.startsWith("workflow_run.");
    const { ordinal, ...rest } = transition ?? {};
    const fields = Object.keys(data ?? {})
      .sort()
      .join(" ");
    const object = names.of(data?.id);
    return {
      key: `${receiver}: ${type} ${object}`,
      ordinal: ofWorkflowRun ? null : (ordinal ?? null),
      ...rest,
      fields,
    };
  });
  return grouped(sorted(received), ({ key }) => key);
}

async function readDeliveries(project: Project, names: Names): Promise<Json> {
  const deliveries = await project.list("/v1/webhook-deliveries?order=asc");
  const rows = deliveries.map((each) => {
    const { event_type, source_type, source_id, subscription_id, status, attempts, last_status_code, last_error } =
      each;
    const target = `${names.of(subscription_id)}: ${event_type} ${source_type} ${names.of(source_id)}`;
    return { target, status, attempts, last_status_code, last_error };
  });
  return grouped(sorted(rows), ({ target }) => target);
}
