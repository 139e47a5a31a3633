import { seedSubscription } from "../seed/seed-subscription.ts";
import { runSql } from "../world/database.ts";
import type { World } from "../world/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
export type PublishedEvent = { type: string; id: string; created_at: string; data: any; transition: any };

/** A subscription to a project's events, and the events published to it so far, in order. */
export async function listener(world: World, project_id: string, fields: Parameters<typeof seedSubscription>[2] = {}) {
  const id = await seedSubscription(world.connection, project_id, fields);
  const published = async (): Promise<PublishedEvent[]> => {
    while (await world.tick("publish-webhooks"));
    while (await world.tick("run-outbox"));
    const rows = await runSql<{ body: string }>(
      world.connection,
      "select body from webhook_deliveries where subscription_id = $1",
      [id],
    );
    const events: PublishedEvent[] = rows.map(({ body }) => JSON.parse(body));
    return events.toSorted((a, b) => placeOf(a).localeCompare(placeOf(b)));
  };
  return { id, published, types: async () => (await published()).map(({ type }) => type) };
}

function placeOf({ created_at, transition }: PublishedEvent): string {
  return `${created_at} ${String(transition?.ordinal ?? 0).padStart(6, "0")}`;
}
