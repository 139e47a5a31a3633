import type { History } from "../../check-history.ts";
import { makeClient } from "../../client.ts";
import { runSql, type TestConnection } from "../../database.ts";
import { SECRETS } from "../../service/start-service.ts";
import type { Receiver } from "./receiver.ts";

const MAX_PER_KEY = 3;

/** A project with two jobs at the receiver: one without limits, and one with a limit per key. */
export async function makeJobs(url: string, receiver: Receiver): Promise<{ key: string; jobs: [string, string] }> {
  const admin = makeClient(url, { "x-internal-secret": SECRETS.INTERNAL_SECRET });
  const project = await admin.post("/v1/projects", { name: "Hot path" });
  const { body } = await admin.post("/v1/api-keys", { name: "load", project_id: project.body.id });
  const api = makeClient(url, { authorization: `Bearer ${body.key}` });
  const shared = {
    endpoint_url: receiver.url,
    max_attempts: 10,
    retry_strategy: "fixed",
    heartbeat_timeout_secs: 10,
  };
  const free = await api.post("/v1/jobs", { name: "Free", ...shared });
  const keyed = await api.post("/v1/jobs", { name: "Keyed", max_concurrency_per_key: MAX_PER_KEY, ...shared });
  if (free.status !== 201 || keyed.status !== 201) throw new Error(`no jobs: ${free.text} ${keyed.text}`);
  return { key: body.key, jobs: [free.body.id, keyed.body.id] };
}

type Seen = Pick<History, "acknowledged" | "faults"> & { receiver: Receiver };

/** What callers and the endpoint saw, with what the database says. */
export async function readHistory(connection: TestConnection, { receiver, ...seen }: Seen): Promise<History> {
  const runs = await runSql<History["runs"][number]>(
    connection,
    `select r.id, r.status, r.attempt, r.result,
       case when j.max_concurrency_per_key is not null then r.concurrency_key end as key
     from runs r join jobs j on j.id = r.job_id`,
  );
  const transitions = await runSql<History["transitions"][number]>(
    connection,
    `select run_id, ordinal, from_status, to_status, cause, attempt,
       (extract(epoch from created_at) * 1000)::float8 as at
     from run_transitions`,
  );
  const { dispatches, reports } = receiver;
  return { ...seen, runs, transitions, dispatches, reports, max_per_key: MAX_PER_KEY };
}
