import { allTasks } from "../../src/engine/all-tasks.ts";
import { runTaskOnce } from "../../src/engine/run-task-once.ts";
import type { Service } from "../../src/main/open-service.ts";
import type { CallerCtx, Ctx } from "../../src/platform/context.ts";
import { newId } from "../../src/platform/ids.ts";
import type { Route } from "../../src/platform/route.ts";
import type { Config } from "../../src/platform/settings/config.ts";
import type { Task } from "../../src/platform/task.ts";
import { canSeedKey, type SeededProject, seedKey, seedProject } from "../seed/seed-project.ts";
import { type Client, makeClient } from "./client.ts";
import { openClock, type TestClock } from "./clock.ts";
import type { TestConnection } from "./database.ts";
import { ENCRYPTION_KEY } from "./encryption-key.ts";
import { whenFileEnds } from "./end-of-file.ts";
import { openRunUntilIdle } from "./run-until-idle.ts";
import { openTestService, type TestService } from "./test-service.ts";
import { until } from "./until.ts";
import { untilUp } from "./until-up.ts";
import { lendPools, returnDatabase, takeDatabase } from "./world-databases.ts";

export const INTERNAL_SECRET = "internal-secret-of-the-tests-0123456789";

export type Instance = { service: Service; ctx: Ctx; url: string; anonymous: Client; admin: Client };

export type World = Instance & {
  connection: TestConnection;
  clock: TestClock;
  /** A new project, with a key that holds every scope by default. */
  project: (fields?: Record<string, unknown>) => Promise<TestProject>;
  /** Runs one pass of a task, by its name. */
  tick: (task: string) => Promise<boolean>;
  /** Runs every task that is due until no run moves. */
  runUntilIdle: () => Promise<void>;
  /** Another instance of the service on the same database. */
  anotherInstance: (config?: Partial<Config>) => Promise<Instance>;
  /** A client with this API key or other bearer token. */
  as: (bearer: string) => Client;
  /** A context as the API layer would pass it to a handler, for tests of the layers below. */
  callerCtx: () => CallerCtx;
};

export type TestProject = {
  id: string;
  slug: string;
  key: string;
  key_id: string;
  api: Client;
  webhook_secret: string;
  /** Another key of the project. */
  newKey: (fields?: Record<string, unknown>) => Promise<{ id: string; key: string; api: Client }>;
};

export type WorldOptions = {
  config?: Partial<Config>;
  routes?: readonly Route[];
  /** The tasks that `runUntilIdle` runs. */
  tasks?: readonly Task[];
};

/** A complete service on its own database, over real HTTP. Closed at the end of the test file. */
export async function makeWorld({ config = {}, routes = [], tasks }: WorldOptions = {}): Promise<World> {
  const database = await takeDatabase();
  const { connection } = database;
  const instances: Instance[] = [];
  const ends: (() => Promise<void>)[] = [];
  whenFileEnds(async () => {
    await Promise.all(ends.map((end) => end()));
    await returnDatabase(database);
  });

  async function anotherInstance(others: Partial<Config> = {}): Promise<Instance> {
    const opened = await openTestService(lendPools(database), { ...CONFIG, ...config, ...others }, routes);
    const instance = instanceOf(opened);
    ends.push(opened.end);
    instances.push(instance);
    await untilUp(instances.filter(({ service }) => service.app.server.listening));
    return instance;
  }

  const first = await anotherInstance();
  const tick = async (name: string) => {
    const task = allTasks.find((candidate) => candidate.name === name);
    if (!task) throw new Error(`there is no task ${name}: ${allTasks.map((each) => each.name).join(", ")}`);
    return runTaskOnce(first.ctx, task);
  };
  return {
    ...first,
    connection,
    anotherInstance,
    tick,
    runUntilIdle: openRunUntilIdle(first.ctx, connection, tasks),
    clock: openClock(connection, async (nowMs) => {
      // Other instances learn the time with their next ping, as after a change of the database's clock.
      for (const { ctx, service } of instances) {
        const isOpen = () => service.app.server.listening;
        await until("an instance to learn the time", 20_000, async () => (await learnsTime(ctx, nowMs)) || !isOpen());
        ctx.keyCache.clear();
      }
    }),
    as: (bearer) => clientOf(first, bearer),
    callerCtx: () => ({
      ...first.ctx,
      caller: { kind: "internal_secret", name: "test", scopes: null },
      origin: { request_id: newId(), ip: "127.0.0.1", user_agent: "test", base_url: first.url },
      session: null,
    }),
    project: async (fields) => {
      if (fields) return makeProject(first, connection, fields);
      return projectOf(first, connection, await seedProject(first.ctx, connection));
    },
  };
}

/** On a busy machine a ping may time out. With a reply the service continues from the time that was set. */
async function learnsTime({ watch }: Ctx, setMs: number): Promise<boolean> {
  const startedAt = performance.now();
  await watch.ping();
  const aheadMs = watch.nowMs() - setMs;
  return watch.isUp() && aheadMs > -1 && aheadMs < performance.now() - startedAt + 1;
}

function instanceOf({ service, url }: TestService): Instance {
  const admin = makeClient(url, { "x-internal-secret": INTERNAL_SECRET });
  return { service, ctx: service.ctx, url, anonymous: makeClient(url, {}), admin };
}

async function makeProject(
  instance: Instance,
  connection: TestConnection,
  fields: Record<string, unknown>,
): Promise<TestProject> {
  const created = await instance.admin.post("/v1/projects", { name: `Project ${newId().slice(-6)}`, ...fields });
  if (created.status !== 201) throw new Error(`no project: ${created.text}`);
  const { id: key_id, key } = await seedKey(connection, created.body.id, {});
  return projectOf(instance, connection, { ...created.body, key, key_id });
}

function projectOf(instance: Instance, connection: TestConnection, project: SeededProject): TestProject {
  const { id, slug, webhook_secret, key, key_id } = project;
  const newKey = async (fields: Record<string, unknown> = {}) => {
    const made = canSeedKey(fields) ? await seedKey(connection, id, fields) : await makeKey(instance, id, fields);
    return { ...made, api: clientOf(instance, made.key) };
  };
  return { id, slug, webhook_secret, key, key_id, api: clientOf(instance, key), newKey };
}

async function makeKey(instance: Instance, project_id: string, fields: Record<string, unknown>) {
  const response = await instance.admin.post("/v1/api-keys", { name: "test key", project_id, ...fields });
  if (response.status !== 201) throw new Error(`no key: ${response.text}`);
  const { id, key }: { id: string; key: string } = response.body;
  return { id, key };
}

function clientOf({ url }: Instance, bearer: string): Client {
  return makeClient(url, { authorization: `Bearer ${bearer}` });
}

const CONFIG: Config = {
  mode: "dev",
  host: "127.0.0.1",
  port: 0,
  roles: new Set(["api", "engine"]),
  database: undefined,
  data_dir: "/nonexistent",
  internal_secrets: [INTERNAL_SECRET],
  jwt_signing_keys: ["jwt-signing-key-of-the-tests-0123456789"],
  encryption_keys: [ENCRYPTION_KEY],
  rate_limits: { api: 0, trigger: 0, bulk_trigger: 0 },
  max_body_bytes: 1_048_576,
  private_endpoints: "allow",
  trusted_proxies: [],
  public_url: undefined,
  cors_origins: [],
  shutdown_grace_secs: 5,
  dispatch_concurrency: 200,
  max_waiting_triggers: 1_000,
  max_unread_stream_bytes: 67_108_864,
  log_retention_secs: 720 * 3_600,
  delivery_retention_secs: 720 * 3_600,
  run_retention_secs: 2_160 * 3_600,
  event_trigger_retention_secs: 720 * 3_600,
  max_active_event_triggers: 100_000,
  workflow_run_retention_secs: 2_160 * 3_600,
  audit_retention_secs: 8_760 * 3_600,
  password_cost: 2 ** 4, // a thousandth of a service's, whose derivation takes 0.4 s
  oidc: undefined,
  sign_in: { providers: [], rules: [], recheck_secs: 5 },
  mail: undefined,
  first_project: undefined,
  log_level: "silent",
  instance_name: null,
};
