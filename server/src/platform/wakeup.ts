import { sql } from "kysely";
import pg from "pg";
import type { Db } from "./database/db.ts";
import type { Log } from "./log.ts";

const CHANNEL = "millrace";
const COALESCE_MS = 5; // a NOTIFY in each write cut 8.5 k transactions/s to 2.6 k
const RECONNECT_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_PAYLOAD_BYTES = 7_000; // PostgreSQL allows 8,000

export type Wakeup = {
  /** Tells every instance, this one included, that there may be work under `topic`. Call it after the commit. */
  wake: (topic: string) => void;
  /** Calls back soon after a wake-up of `topic`. A hint: whoever relies on it also polls. */
  onWake: (topic: string, callback: () => void) => () => void;
  stop: () => Promise<void>;
};

/** Wake-ups over LISTEN and NOTIFY. Lost ones cost latency, never correctness. */
export function openWakeup(db: Db, directConnection: pg.ClientConfig, log: Log): Wakeup {
  const listeners = new Map<string, Set<() => void>>();
  const pending = new Set<string>();
  let flushTimer: NodeJS.Timeout | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;
  let stopped = false;

  function heard(payload: string): void {
    for (const topic of payload.split("\n")) {
      for (const callback of listeners.get(topic) ?? []) callback();
    }
  }

  async function flush(): Promise<void> {
    flushTimer = undefined;
    const topics = [...pending];
    pending.clear();
    // Nobody here need wait for the round trip over the database.
    heard(topics.join("\n"));
    for (const payload of inPayloads(topics)) {
      await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db).catch((error: Error) => {
        log.debug({ reason: error.message }, "a wake-up could not be sent; polling covers it");
      });
    }
  }

  async function listen(): Promise<void> {
    const next = new pg.Client({
      ...directConnection,
      application_name: "millrace listen",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    next.on("notification", (message) => heard(message.payload ?? ""));
    next.on("error", () => lost(next));
    next.on("end", () => lost(next));
    client = next;
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      // What was sent while nobody listened is lost: everybody looks once.
      if (client === next) heard([...listeners.keys()].join("\n"));
    } catch {
      lost(next);
    }
  }

  function lost(gone: pg.Client): void {
    if (stopped || client !== gone) return;
    client = undefined;
    void gone.end().catch(() => {});
    reconnectTimer = setTimeout(() => void listen(), RECONNECT_MS).unref();
  }

  void listen();
  return {
    wake: (topic) => {
      pending.add(topic);
      flushTimer ??= setTimeout(() => void flush(), COALESCE_MS);
    },
    onWake: (topic, callback) => {
      const callbacks = listeners.get(topic) ?? new Set();
      listeners.set(topic, callbacks.add(callback));
      return () => callbacks.delete(callback);
    },
    stop: async () => {
      stopped = true;
      clearTimeout(flushTimer);
      clearTimeout(reconnectTimer);
      await client?.end().catch(() => {});
    },
  };
}

function inPayloads(topics: string[]): string[] {
  const payloads: string[] = [];
  let current = "";
  for (const topic of topics) {
    if (current && Buffer.byteLength(current) + Buffer.byteLength(topic) > MAX_PAYLOAD_BYTES) {
      payloads.push(current);
      current = "";
    }
    current = current ? `${current}\n${topic}` : topic;
  }
  return current ? [...payloads, current] : payloads;
}
