import { setTimeout as pause } from "node:timers/promises";
import { makeClient } from "../../client.ts";
import { FAILS, type Fails, type Workflows } from "./orders.ts";

/** `started`: every run whose creation was answered, with what must become of it. */
export type Load = { started: Map<string, Fails>; sent: number; repeated: number; done: Promise<void> };

type Plan = { orders: number; everyMs: number; name: string };

/**
 * Starts orders at a steady pace, each with one who listens for it, and sends the event each waits for. What is not
 * answered is asked again elsewhere, with the same key: every order is started once, whoever is killed meanwhile.
 */
export function startLoad(
  { key, order, listener }: Workflows,
  { urls, random }: { urls: () => string[]; random: () => number },
  { orders, everyMs, name }: Plan,
): Load {
  const load: Load = { started: new Map(), sent: 0, repeated: 0, done: Promise.resolve() };

  /** The first answer that is one of these; nobody there, or a 5xx, is asked again. */
  async function insist(path: string, body: object, statuses: number[]) {
    for (;;) {
      const all = urls();
      const url = all[Math.floor(random() * all.length)] ?? "";
      const client = makeClient(url, { authorization: `Bearer ${key}` });
      const answer = await client.post(path, body).catch(() => undefined);
      if (answer && statuses.includes(answer.status)) return answer;
      if (answer && answer.status < 500 && answer.status !== 404) throw new Error(`${path}: ${answer.text}`);
      load.repeated++;
      await pause(answer ? 400 : 50);
    }
  }

  async function place(nth: number): Promise<void> {
    const id = `${name}-${nth}`;
    const fails = FAILS[nth % FAILS.length] ?? "none";
    const trigger = (workflow: string, payload: object) =>
      insist(`/v1/workflows/${workflow}/trigger`, { payload, idempotency_key: id }, [200, 201]);
    load.started.set((await trigger(order, { id, fails })).body.id, fails);
    // An order that fails may never tell, and its event may never be waited for.
    if (fails === "strict") return;
    load.started.set((await trigger(listener, { id })).body.id, "none");
    await insist(`/v1/events/paid-${id}/send`, { payload: { paid: id } }, [200]);
    load.sent++;
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
