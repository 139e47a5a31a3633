import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomFrom, testSeed } from "../seed/seed.ts";
import { SECRETS } from "../service/start-service.ts";
import { makeClient } from "../world/client.ts";
import { cloneDatabase, type TestConnection } from "../world/database.ts";
import { until } from "../world/until.ts";
import { usageIsCounted } from "./check/records.ts";
import { checkHistory, type Violations } from "./check.ts";
import { type JournaledClient, openClient, type ProjectClient } from "./client.ts";
import type { History, Timing } from "./history.ts";
import { type Instances, startInstances } from "./instances.ts";
import { journalFolder } from "./journal.ts";
import { hasEnded, hasPartitions, keepCommits, loadHistory, ofProject } from "./load-history.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

export type Harness = {
  connection: TestConnection;
  instances: Instances;
  receiver: Receiver;
  client: JournaledClient;
  /** From 0 to 1, from the printed seed. */
  random: () => number;
  timings: Timing[];
  /** A new project, with a key that has all scopes. */
  project: () => Promise<ProjectClient>;
  /**
   * Waits until all runs of one project, or of all, have ended. False: timed out; L1 of the checker lists the open
   * runs.
   */
  settle: (withinMs: number, project?: ProjectClient) => Promise<boolean>;
  history: () => Promise<History>;
  /**
   * Checks the history of one project or all, or of what `select` leaves of it. On a violation it is kept on disk, and its
   * path printed.
   */
  check: (
    project?: ProjectClient,
    select?: (history: History) => History,
  ) => Promise<{ history: History; violations: Violations }>;
};

type Options = {
  /** The label of the printed seed. */
  name: string;
  instances?: number;
  /** Settings for all instances, or for one of them. */
  env?: Record<string, string> | ((nth: number) => Record<string, string>);
  /** A migrated database; by default a new one of the test run's server. */
  connection?: TestConnection;
  /** A path to the database other than the direct one. */
  databaseUrl?: (connection: TestConnection) => Promise<string>;
};

const PARTITIONS_WITHIN_MS = 60_000;
/** Usage is counted a second or two after the runs end. */
const RECORDED_WITHIN_MS = 15_000;

/** Instances of the service on a separate database, with an endpoint and a client that journal everything they see. */
export async function openHarness(options: Options): Promise<Harness> {
  const { name, instances: count = 3, env = {}, databaseUrl } = options;
  const random = randomFrom(testSeed(name));
  const connection = options.connection ?? (await cloneDatabase());
  await keepCommits(connection);
  const way = databaseUrl && { databaseUrl: await databaseUrl(connection) };
  const instances = await startInstances(connection, { count, env, ...way });
  await until("the partitions of today", PARTITIONS_WITHIN_MS, () => hasPartitions(connection));
  const folder = journalFolder();
  const receiver = await openReceiver(await folder.open("receiver"), instances.urls);
  const client = openClient(await folder.open("client"), instances.urls);
  const timings: Timing[] = [];
  let is_settled = false;
  let written = 0;

  async function project(): Promise<ProjectClient> {
    const admin = makeClient(instances.urls()[0] ?? "", { "x-internal-secret": SECRETS.INTERNAL_SECRET });
    const { body: created } = await admin.post("/v1/projects", { name });
    const { body, text } = await admin.post("/v1/api-keys", { name: "harness", project_id: created.id });
    if (!body?.key) throw new Error(text);
    return client.as({ id: created.id, key: body.key });
  }

  async function settle(withinMs: number, project?: ProjectClient): Promise<boolean> {
    is_settled = true;
    const isOver = () => hasEnded(connection, project?.project_id ?? null);
    return until("everything to end", withinMs, isOver).catch(() => false);
  }

  function history(): Promise<History> {
    const { dispatches, reports, deliveries: received_deliveries } = receiver;
    const seen = { calls: client.calls, dispatches, reports, received_deliveries, faults: instances.faults };
    return loadHistory(connection, { ...seen, timings, is_settled });
  }

  async function check(
    project?: ProjectClient,
    select = (seen: History) => seen,
  ): Promise<{ history: History; violations: Violations }> {
    const read = async () => select(project ? ofProject(await history(), project.project_id) : await history());
    const isRecorded = async () => usageIsCounted(await read()).length === 0;
    await until("usage to be recorded", RECORDED_WITHIN_MS, isRecorded).catch(() => {});
    const seen = await read();
    const violations = checkHistory(seen);
    if (Object.keys(violations).length > 0) {
      folder.keep();
      const file = join(folder.path, `history-${++written}.json`);
      writeFileSync(file, JSON.stringify(seen));
      console.info(`${name} violated ${Object.keys(violations).join(", ")}; its journals are next to ${file}`);
    }
    return { history: seen, violations };
  }

  return { connection, instances, receiver, client, random, timings, project, settle, history, check };
}
