import { randomUUID } from "node:crypto";
import type pg from "pg";
import { type DatabaseConnection, newClient } from "../database/connection.ts";
import type { Db } from "../database/db.ts";
import { sql } from "../database/sql.ts";
import type { Log } from "../logging/log.ts";

const CHANNEL = "millrace";
const COALESCE_MS = 5; // a NOTIFY in each write cut 8.5 k transactions/s to 2.6 k
const RECONNECT_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_PAYLOAD_BYTES = 7_000; // PostgreSQL allows 8,000
const LISTENER = "millrace listen";
const COUNT_EVERY_MS = 5_000;

export type Wakeup = {
  /**
   * Notifies every instance that there may be work under `topic`: this one at once, the others soon. Only `wake`
   * (`wake.ts`) calls it, after the commit. `detail` locates the work; repeated notifications within milliseconds are
   * sent once.
   */
  wake: (topic: string, detail?: string) => void;
  /**
   * Calls back after a wake-up of `topic` with its detail; without one when wake-ups may have been missed. Only a hint:
   * callers must also poll.
   */
  onWake: (topic: string, callback: (detail?: string) => void) => () => void;
  stop: () => Promise<void>;
};

/**
 * Wake-ups over LISTEN and NOTIFY. Lost ones cost latency, never correctness. Nothing is sent while no other instance
 * listens, since each NOTIFY is a commit. An instance notifies the others when it starts to listen.
 */
export function openWakeup(db: Db, directConnection: DatabaseConnection, log: Log, instance_id: string): Wakeup {
  const sender = randomUUID();
  const listeners = new Map<string, Set<(detail?: string) => void>>();
  const pending = new Set<string>();
  let flushTimer: NodeJS.Timeout | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;
  let stopped = false;
  let hasOthers = true;

  function notify(topic: string, detail?: string): void {
    for (const callback of listeners.get(topic) ?? []) callback(detail);
  }

  function receive(payload: string): void {
    const [from, ...lines] = payload.split("\n");
    // This instance notified its own listeners when it was woken.
    if (from === sender) return;
    hasOthers = true;
    for (const line of lines) {
      const [topic = "", detail] = line.split("\t");
      notify(topic, detail);
    }
  }

  async function flush(): Promise<void> {
    flushTimer = undefined;
    const lines = [...pending];
    pending.clear();
    if (!hasOthers) return;
    for (const payload of inPayloads(sender, lines)) {
      await sendHint(db, payload).catch((error: Error) => {
        log.debug({ reason: error.message }, "a wake-up could not be sent; polling covers it");
      });
    }
  }

  async function listen(): Promise<void> {
    const next = newClient({
      ...directConnection,
      application_name: listenerName(instance_id),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // The next count may come while the server has not answered the last.
      pipeline: true,
    });
    next.on("notification", (message) => receive(message.payload ?? ""));
    next.on("error", () => lost(next));
    next.on("end", () => lost(next));
    client = next;
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      await next.query("select pg_notify($1, $2)", [CHANNEL, sender]);
      await countOthers(next);
      // Notifications sent while no session listened are lost: wake every listener once.
      if (client === next) for (const topic of listeners.keys()) notify(topic);
    } catch {
      lost(next);
    }
  }

  async function countOthers(listening: pg.Client): Promise<void> {
    const { rows } = await listening.query<{ has_others: boolean }>(
      `select count(*) > 1 as has_others from pg_stat_activity
       where datname = current_database() and starts_with(application_name, $1)`,
      [LISTENER],
    );
    hasOthers = rows[0]?.has_others ?? true;
  }

  function lost(gone: pg.Client): void {
    if (stopped || client !== gone) return;
    client = undefined;
    void gone.end().catch(() => {});
    reconnectTimer = setTimeout(() => void listen(), RECONNECT_MS).unref();
  }

  void listen();
  const counting = setInterval(() => {
    if (client) countOthers(client).catch(() => {});
  }, COUNT_EVERY_MS).unref();
  return {
    wake: (topic, detail) => {
      notify(topic, detail);
      pending.add(detail === undefined ? topic : `${topic}\t${detail}`);
      flushTimer ??= setTimeout(() => void flush(), COALESCE_MS);
    },
    onWake: (topic, callback) => {
      const callbacks = listeners.get(topic) ?? new Set();
      listeners.set(topic, callbacks.add(callback));
      return () => callbacks.delete(callback);
    },
    stop: async () => {
      stopped = true;
      clearInterval(counting);
      clearTimeout(flushTimer);
      clearTimeout(reconnectTimer);
      await client?.end().catch(() => {});
    },
  };
}

/** Commits with notifications are serialized across sessions, so a mere hint must not wait for the disk. */
async function sendHint(db: Db, payload: string): Promise<void> {
  await sql`
    /* prepared */
    select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${payload})`.execute(db);
}

/** The connection's application name in the database. */
export function listenerName(instance_id: string): string {
  return `${LISTENER} ${instance_id}`;
}

/** One line per wake-up, after a line with the sender. */
function inPayloads(sender: string, lines: string[]): string[] {
  const payloads: string[] = [];
  let current = sender;
  for (const line of lines) {
    if (current !== sender && Buffer.byteLength(current) + Buffer.byteLength(line) > MAX_PAYLOAD_BYTES) {
      payloads.push(current);
      current = sender;
    }
    current = `${current}\n${line}`;
  }
  return current === sender ? payloads : [...payloads, current];
}
