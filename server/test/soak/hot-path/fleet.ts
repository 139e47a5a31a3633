import { setTimeout as pause } from "node:timers/promises";
import type { History } from "../../check-history.ts";
import { runSql, type TestConnection } from "../../database.ts";
import { freePort } from "../../free-port.ts";
import { type ReadyService, serveOn } from "../../service/start-service.ts";

export type Fleet = {
  /** Addresses of those that are neither dead nor stopped. */
  urls: () => string[];
  faults: History["faults"];
  /** kill -9, and a new process on the same port after so long. */
  kill: (nth: number, restartAfterMs: number) => Promise<void>;
  /** SIGSTOP for so long: alive and silent, and then back with old leases. */
  freeze: (nth: number, forMs: number) => Promise<void>;
  /** SIGTERM, and a new process on the same port when it has ended. Answers how it ended, and after how long. */
  restart: (nth: number) => Promise<{ code: number | null; ms: number }>;
  isUp: (nth: number) => boolean;
};

type Member = { port: number; service: ReadyService; isUp: boolean };

/** What was sent to the database before the process died may still be carried out. */
const LAST_WORDS_MS = 300;

const SETTINGS = {
  ALLOW_PRIVATE_ENDPOINTS: "true",
  DISPATCH_CONCURRENCY: "40",
  RATE_LIMIT_API_PER_MINUTE: "0",
  RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
  RATE_LIMIT_BULK_TRIGGER_PER_MINUTE: "0",
};

/** So many processes of the service on one database. */
export async function startFleet(connection: TestConnection, size: number): Promise<Fleet> {
  const start = (port: number) => serveOn(connection, { ...SETTINGS, PORT: String(port) });
  const ports = await Promise.all(Array.from({ length: size }, freePort));
  const members: Member[] = await Promise.all(
    ports.map(async (port) => ({ port, service: await start(port), isUp: true })),
  );
  const faults: History["faults"] = [];

  function memberAt(nth: number): Member {
    const member = members[nth];
    if (!member?.isUp) throw new Error(`instance ${nth} is not up`);
    member.isUp = false;
    return member;
  }

  async function noteFault({ port }: Member, at: number): Promise<void> {
    await pause(LAST_WORDS_MS);
    faults.push({ at, held: await heldBy(connection, port) });
  }

  async function kill(nth: number, restartAfterMs: number): Promise<void> {
    const member = memberAt(nth);
    const at = Date.now();
    await member.service.kill();
    await noteFault(member, at);
    await pause(restartAfterMs);
    member.service = await start(member.port);
    member.isUp = true;
  }

  async function freeze(nth: number, forMs: number): Promise<void> {
    const member = memberAt(nth);
    const at = Date.now();
    member.service.signal("SIGSTOP");
    await noteFault(member, at);
    await pause(forMs);
    member.service.signal("SIGCONT");
    member.isUp = true;
  }

  async function restart(nth: number): Promise<{ code: number | null; ms: number }> {
    const member = memberAt(nth);
    const at = performance.now();
    const { code } = await member.service.stop();
    const ms = performance.now() - at;
    member.service = await start(member.port);
    member.isUp = true;
    return { code, ms };
  }

  return {
    urls: () => members.filter((member) => member.isUp).map((member) => member.service.url),
    faults,
    kill,
    freeze,
    restart,
    isUp: (nth) => members[nth]?.isUp === true,
  };
}

/** The attempts under leases of the last instance that was started on that port. */
function heldBy(connection: TestConnection, port: number): Promise<{ run_id: string; attempt: number }[]> {
  return runSql(
    connection,
    `select q.run_id, r.attempt from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id
     where q.lease_until is not null and q.instance_id = (
       select id from instances where address like $1 order by started_at desc limit 1)`,
    [`%:${port}`],
  );
}
