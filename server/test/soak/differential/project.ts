import { setTimeout as pause } from "node:timers/promises";
import { type ReadStream, readStream } from "../../outside/read-stream.ts";
import { type Client, makeClient } from "../../world/client.ts";
import type { Seen } from "./endpoint.ts";
import type { Json } from "./json.ts";
import { type Names, nameObjects, type Objects } from "./names.ts";
import type { Build } from "./start-build.ts";

/** One sequence on one build: a project of its own, so that many run at once. */
export type Project = {
  build: Build;
  id: string;
  api: Client;
  seen: Seen;
  stream: ReadStream;
  /** All pages of a list, the oldest first unless the path says otherwise. */
  list: (path: string) => Promise<Json[]>;
  /** With the ids of all versions, if asked: those take a request for each job and workflow. */
  names: (withVersions?: boolean) => Promise<Names>;
};

const MOST_TRIES = 10;
const TOPICS = "runs,workflow_runs,events,batches,webhook_deliveries";

/** `compute_rate_microusd_per_sec`: 0 if builds are compared, since costs would depend on durations. */
export async function openProject(build: Build, slug: string, compute_rate_microusd_per_sec = 0): Promise<Project> {
  const fields = { name: "Differential", slug, compute_rate_microusd_per_sec };
  const created = await create(build.admin, "/v1/projects", fields);
  const key = await create(build.admin, "/v1/api-keys", { name: "differential", project_id: created.id });
  const headers = { authorization: `Bearer ${key.key}` };
  const api = makeClient(build.url, headers);
  const endpoint = build.endpoint.urlOf(created.id);
  await create(api, "/v1/webhook-subscriptions", { url: `${endpoint}/hook/${created.id}/all`, events: ["*"] });
  const stream = await readStream(build.url, `/v1/stream?topics=${TOPICS}`, headers);
  await stream.next("open");

  async function list(path: string): Promise<Json[]> {
    const all: Json[] = [];
    for (let cursor = ""; ; ) {
      const { status, body, text } = await api.get(`${path}${path.includes("?") ? "&" : "?"}limit=100${cursor}`);
      if (status !== 200) throw new Error(`GET ${path}: ${text}`);
      all.push(...body.data);
      if (!body.has_more) return all;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
  }

  async function names(withVersions = false): Promise<Names> {
    const [runs, workflowRuns, schedules, batches, subscriptions] = await Promise.all(
      ["/v1/runs", "/v1/workflow-runs", "/v1/schedules", "/v1/batch-operations", "/v1/webhook-subscriptions"].map(
        (path) => list(`${path}?order=asc`),
      ),
    );
    const [jobs, workflows, environments, triggers] = await Promise.all([
      list("/v1/jobs?order=asc"),
      list("/v1/workflows?order=asc"),
      list("/v1/environments?order=asc"),
      list("/v1/events?order=asc"),
    ]);
    const project = { id: created.id, key_id: key.id, url: build.url, endpoint };
    const owners = [...jobs.map(({ slug }) => `jobs/${slug}`), ...workflows.map(({ slug }) => `workflows/${slug}`)];
    const versions = await Promise.all(
      owners.map(async (owner) => {
        const rows = withVersions ? await list(`/v1/${owner}/versions`) : [];
        return rows.map(({ id, version }) => ({ id, name: `${owner} version ${version}` }));
      }),
    );
    const objects = { runs, workflowRuns, schedules, batches, subscriptions, jobs, workflows, environments, triggers };
    return nameObjects(project, { ...objects, versions: versions.flat() } as Objects);
  }

  const seen = build.endpoint.seen(created.id);
  return { build, id: created.id, api, seen, stream, list, names };
}

/** With dozens of sequences on a busy machine, a service may have no free connection for a moment. */
async function create(client: Client, path: string, body: object): Promise<Json> {
  for (let tries = 0; ; tries++) {
    const { status, body: created, text } = await client.post(path, body);
    if (status < 300) return created;
    if (status !== 503 || tries === MOST_TRIES) throw new Error(`POST ${path}: ${text}`);
    await pause(1_000);
  }
}
