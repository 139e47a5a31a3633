import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../outside/free-port.ts";
import { type ReadyService, serveEnv, startService, urlOf } from "../service/start-service.ts";
import type { TestConnection } from "../world/database.ts";
import type { Fault } from "./history.ts";
import { heldBy } from "./load-history.ts";

export type Instances = {
  /** Addresses of the instances that are neither dead nor stopped. */
  urls: () => string[];
  isUp: (nth: number) => boolean;
  /** The instance that serves this address. */
  at: (url: string) => number;
  faults: Fault[];
  /** kill -9, a moment after SIGSTOP, in which the leases it holds are recorded. Returns when the process is gone. */
  kill: (nth: number) => Promise<void>;
  /** Starts a new process on the port of a killed one. */
  start: (nth: number) => Promise<void>;
  /** kill -9, then a new process on the same port after this delay. */
  crash: (nth: number, restartAfterMs: number) => Promise<void>;
  /** SIGSTOP for this long: the process stays alive but silent, then continues with old leases. */
  freeze: (nth: number, forMs: number) => Promise<void>;
  /** SIGTERM, then a new process on the same port. Returns how the old one ended, and after how long. */
  restart: (nth: number) => Promise<{ code: number | null; ms: number }>;
};

type Options = {
  count: number;
  /** Settings for all instances, such as ROLES, or for one of them. */
  env?: Record<string, string> | ((nth: number) => Record<string, string>);
  /** Another path to the database, such as a proxy. */
  databaseUrl?: string;
};

type Member = { port: number; service: ReadyService; isUp: boolean };

/** The database may still execute statements that the process sent before it froze. */
const LAST_STATEMENTS_MS = 300;

const SETTINGS = {
  ALLOW_PRIVATE_ENDPOINTS: "true",
  DISPATCH_CONCURRENCY: "40",
  RATE_LIMIT_API_PER_MINUTE: "0",
  RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
  RATE_LIMIT_BULK_TRIGGER_PER_MINUTE: "0",
};

/** Several processes of the service on one database. */
export async function startInstances(connection: TestConnection, options: Options): Promise<Instances> {
  const { count, env = {}, databaseUrl = urlOf(connection) } = options;
  const begin = (nth: number, port: number) => {
    const own = typeof env === "function" ? env(nth) : env;
    const all = serveEnv(databaseUrl, { ...SETTINGS, ...own, PORT: String(port) });
    return startService("serve", { env: all, outlivesTest: true });
  };
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const members: Member[] = await Promise.all(
    ports.map(async (port, nth) => ({ port, service: await begin(nth, port), isUp: true })),
  );
  const faults: Fault[] = [];

  function takeDown(nth: number): Member {
    const member = members[nth];
    if (!member?.isUp) throw new Error(`instance ${nth} is not up`);
    member.isUp = false;
    return member;
  }

  /** Of a frozen process, which keeps its leases: the others release those of a dead one at once. */
  async function recordFault({ port, service }: Member): Promise<void> {
    const at = Date.now();
    service.signal("SIGSTOP");
    await pause(LAST_STATEMENTS_MS);
    faults.push({ at, held: await heldBy(connection, port) });
  }

  async function kill(nth: number): Promise<void> {
    const member = takeDown(nth);
    await recordFault(member);
    await member.service.kill();
  }

  async function start(nth: number): Promise<void> {
    const member = members[nth];
    if (!member || member.isUp) throw new Error(`instance ${nth} is up`);
    member.service = await begin(nth, member.port);
    member.isUp = true;
  }

  async function freeze(nth: number, forMs: number): Promise<void> {
    const member = takeDown(nth);
    await recordFault(member);
    await pause(forMs);
    member.service.signal("SIGCONT");
    member.isUp = true;
  }

  async function restart(nth: number): Promise<{ code: number | null; ms: number }> {
    const at = performance.now();
    const { code } = await takeDown(nth).service.stop();
    const ms = performance.now() - at;
    await start(nth);
    return { code, ms };
  }

  return {
    ...{ faults, kill, start, freeze, restart },
    urls: () => members.filter((member) => member.isUp).map((member) => member.service.url),
    isUp: (nth) => members[nth]?.isUp === true,
    at: (url) => members.findIndex((member) => member.service.url === url),
    crash: async (nth, restartAfterMs) => {
      await kill(nth);
      await pause(restartAfterMs);
      await start(nth);
    },
  };
}
