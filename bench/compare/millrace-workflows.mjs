import pg from "pg";
import { connectionTo, FOR_BUSY, newDataDir, OURS, postmasterOf, startMillrace } from "../start-millrace.mjs";
import { openPost } from "./post.mjs";

const JOB = "deliver-order";
const FAN = 10;
const WAIT_SECS = 86_400;

/** Millrace as its users run it: workflows and events over HTTP with an API key, and all decisions recorded. */
export async function open({ sinkUrl, dataDir = newDataDir() }) {
  const millrace = await startMillrace({
    dataDir,
    env: { MAX_ACTIVE_EVENT_TRIGGERS: "10000000" },
    node: FOR_BUSY,
  });
  const api = openPost(millrace.url, { connections: 128, headers: millrace.headers });
  const client = new pg.Client(connectionTo(dataDir));
  await client.connect();
  const send = (path, body) => api.post(path, JSON.stringify(body));
  await createWorkflows(send, sinkUrl);

  const count = async (statement) => (await client.query(statement)).rows[0].count;
  return {
    version: "this checkout",
    pids: { service: millrace.pid, postgres: postmasterOf(dataDir) },
    clients: 32,
    startSteps: (payload) => send("/v1/workflows/steps/trigger", { payload }),
    startFan: (payload) => send("/v1/workflows/fan/trigger", { payload }),
    startWait: (payload) => send("/v1/workflows/wait/trigger", { payload }),
    sendEvent: (event, payload) => send(`/v1/events/${event}/send`, { payload }),
    countUnfinished: () =>
      count(`select count(*)::int from workflow_runs where finished_at is null and project_id = ${OURS}`),
    countWaiting: () =>
      count(`select count(*)::int from event_triggers where status = 'waiting' and project_id = ${OURS}`),
    close: async () => {
      await api.close();
      await client.end();
      await millrace.stop();
    },
  };
}

/** Three steps in sequence; ten in parallel followed by one; one after an event. */
export async function createWorkflows(send, sinkUrl) {
  await send("/v1/jobs", { name: "Deliver order", slug: JOB, endpoint_url: sinkUrl });
  const create = (slug, steps) => send("/v1/workflows", { name: `Bench ${slug}`, slug, steps });
  await create("steps", [jobStep(0, []), jobStep(1, ["s0"]), jobStep(2, ["s1"])]);
  const leaves = Array.from({ length: FAN }, (_, nth) => jobStep(nth, []));
  await create("fan", [
    ...leaves,
    jobStep(
      FAN,
      leaves.map((leaf) => leaf.step_ref),
    ),
  ]);
  await create("wait", [
    { step_ref: "wait", type: "wait_for_event", event_key: "{{payload.event}}", timeout_secs: WAIT_SECS },
    jobStep(0, ["wait"]),
  ]);
}

function jobStep(nth, depends_on) {
  return { step_ref: `s${nth}`, job_id: JOB, depends_on };
}
