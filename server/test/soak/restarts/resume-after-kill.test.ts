import { describe, expect, it } from "vitest";
import { jobEndpoint } from "../../outside/job-endpoint.ts";
import {
  type ReadyService,
  SECRETS,
  serveOn,
  startService,
  temporaryDir,
  useServices,
} from "../../service/start-service.ts";
import { cloneDatabase, runSql } from "../../world/database.ts";
import { until } from "../../world/until.ts";

useServices();

/** Far less than a lease of 30 s; on an idle machine it takes less than 2 s. */
const WITHIN_MS = 10_000;
const RUNS = 20;

type Start = () => Promise<ReadyService>;

async function embedded(): Promise<Start> {
  const env = { ...SECRETS, MILLRACE_DATA_DIR: temporaryDir() };
  return () => startService("dev", { env });
}

const SERVING = {
  ALLOW_PRIVATE_ENDPOINTS: "true",
  RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
  RATE_LIMIT_API_PER_MINUTE: "0",
};

async function onThisMachine(): Promise<Start> {
  const connection = await cloneDatabase();
  return () => serveOn(connection, SERVING);
}

/** As in a restarted container, where nothing is known of the previous process. */
async function ofTheSameName(): Promise<Start> {
  const connection = await cloneDatabase();
  return async () => {
    await runSql(connection, "update instances set machine = 'another'");
    return serveOn(connection, { ...SERVING, INSTANCE_NAME: "worker-0" });
  };
}

describe.each([
  ["with its own database", embedded],
  ["with DATABASE_URL, started again on the same machine", onThisMachine],
  ["with DATABASE_URL, started again elsewhere under the same INSTANCE_NAME", ofTheSameName],
])("kill -9 of the only instance, %s", (_, prepare) => {
  it("its runs in flight continue when it is restarted, not when their leases expire", async () => {
    const start = await prepare();
    const endpoint = await jobEndpoint();
    // Dispatches of the first process never get a response.
    endpoint.respondWith(
      (_dispatch, response) => void (_dispatch.body.attempt > 1 && response.writeHead(200).end("{}")),
    );
    const first = await start();
    const project = (await first.admin.post("/v1/projects", { name: "P" })).body;
    const path = (of: string) => `${of}?project_id=${project.id}`;
    const job = { name: "J", endpoint_url: endpoint.url, retry_strategy: "custom", retry_delays_secs: [600] };
    const { body: made } = await first.admin.post(path("/v1/jobs"), job);
    for (let nth = 0; nth < RUNS; nth++) await first.admin.post(path(`/v1/jobs/${made.id}/trigger`), {});
    await until("all to be dispatched", 20_000, () => endpoint.dispatches.length === RUNS);
    await first.kill();

    const second = await start();
    const readyAt = performance.now();
    const completed = async () => {
      const { body } = await second.admin.get(`${path("/v1/runs")}&status=completed&limit=100`);
      return body.data.length === RUNS;
    };
    await until("all to be completed", WITHIN_MS, completed);
    console.log(`completed ${Math.round(performance.now() - readyAt)} ms after the restart was ready`);
    const attempts = endpoint.dispatches.map(({ body }) => body.attempt);
    expect(attempts.filter((attempt) => attempt === 2)).toHaveLength(RUNS);
    expect(attempts).toHaveLength(2 * RUNS);
    await second.stop();
  });
});
