import { setTimeout as pause } from "node:timers/promises";
import type { ProjectClient } from "../../harness/client.ts";
import { FAILS, type Fails, type Workflows } from "./orders.ts";

/** `started`: every run whose creation was acknowledged, with its expected end. */
export type Load = { started: Map<string, Fails>; sent: number; done: Promise<void> };

type Plan = { orders: number; everyMs: number; name: string };

/**
 * Starts orders at a steady rate, each with a listener, and sends the event each waits for. Calls without a response
 * are repeated at another instance with the same key, so every order is started once, whichever instance is killed.
 */
export function startLoad(
  { insist, call }: ProjectClient,
  { order, listener }: Workflows,
  { orders, everyMs, name }: Plan,
): Load {
  const load: Load = { started: new Map(), sent: 0, done: Promise.resolve() };

  /** 404: nothing waits for it yet. */
  async function send(event_key: string, payload: object): Promise<void> {
    for (;;) {
      const response = await call("POST", `/v1/events/${event_key}/send`, { payload });
      if (response?.status === 200) break;
      if (response && response.status < 500 && response.status !== 404)
        throw new Error(`${event_key}: ${response.text}`);
      await pause(response ? 400 : 50);
    }
    load.sent++;
  }

  async function place(nth: number): Promise<void> {
    const id = `${name}-${nth}`;
    const fails = FAILS[nth % FAILS.length] ?? "none";
    const trigger = (workflow: string, payload: object) =>
      insist(`/v1/workflows/${workflow}/trigger`, { payload, idempotency_key: id });
    load.started.set((await trigger(order, { id, fails })).body.id, fails);
    // An order that fails may never emit its event, and may never wait for its own.
    if (fails === "strict") return;
    load.started.set((await trigger(listener, { id })).body.id, "none");
    await send(`paid-${id}`, { paid: id });
  }

  load.done = (async () => {
    const placed: Promise<void>[] = [];
    for (let nth = 0; nth < orders; nth++) {
      placed.push(place(nth));
      await pause(everyMs);
    }
    await Promise.all(placed);
  })();
  return load;
}
