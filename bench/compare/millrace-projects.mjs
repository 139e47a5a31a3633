import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { connectionTo, newDataDir } from "../start-millrace.mjs";
import { closedLoop } from "./apply-load.mjs";
import { open as openMillrace } from "./millrace.mjs";
import { openPost } from "./post.mjs";

const PROJECTS = 1_000;
const CALLS_IN_FLIGHT = 8;

/** A thousand projects, each with a key and a job of its own; runs go to them in rotation. */
export async function open({ dataDir = newDataDir(), ...options }) {
  const system = await openMillrace({ ...options, dataDir });
  const { internal_secret } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8"));
  const keys = [];
  await closedLoop(PROJECTS, CALLS_IN_FLIGHT, async (index) => {
    keys[index] = await createProject(system.url, options.sinkUrl, internal_secret, index);
  });
  const { post, close } = openPost(system.url, { connections: 128 });
  const client = new pg.Client(connectionTo(dataDir));
  await client.connect();
  let next = 0;
  return {
    ...system,
    enqueue: (payload) => {
      const authorization = `Bearer ${keys[next++ % PROJECTS]}`;
      return post("/v1/jobs/deliver-order/trigger", JSON.stringify({ payload }), { authorization });
    },
    startWork: async () => {},
    countUnfinished: async () => {
      const { rows } = await client.query(COUNT_UNFINISHED);
      return rows[0].count;
    },
    close: async () => {
      await close();
      await client.end();
      await system.close();
    },
  };
}

const COUNT_UNFINISHED = `
  select count(*)::int as count from run_queue q join projects p on p.id = q.project_id and p.slug like 'tenant-%'`;

/** Returns its key. */
async function createProject(url, sinkUrl, secret, index) {
  const create = async (path, headers, body) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} returned ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const operator = { "x-internal-secret": secret };
  const project = await create("/v1/projects", operator, { name: `Tenant ${index}`, slug: `tenant-${index}` });
  const { key } = await create("/v1/api-keys", operator, { project_id: project.id, name: "bench", scopes: ["*"] });
  const job = { name: "Deliver order", slug: "deliver-order", endpoint_url: sinkUrl };
  await create("/v1/jobs", { authorization: `Bearer ${key}` }, job);
  return key;
}
