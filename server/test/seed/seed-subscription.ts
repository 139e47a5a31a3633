import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";

type SeedSubscription = Partial<{
  url: string;
  events: string[];
  filter: string;
  environment_id: string;
  enabled: boolean;
  created_at: string;
}>;

/** Inserts a subscription directly. Without a URL, its receiver refuses all connections. Returns its id. */
export async function seedSubscription(
  connection: TestConnection,
  project_id: string,
  subscription: SeedSubscription = {},
): Promise<string> {
  const id = newId();
  const { url = "http://127.0.0.1:1024/hook", events = ["*"], filter = null, environment_id = null } = subscription;
  await runSql(
    connection,
    `insert into webhook_subscriptions (project_id, id, environment_id, url, events, filter, enabled, created_by,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'seed', coalesce($8, clock()), clock())`,
    [
      project_id,
      id,
      environment_id,
      url,
      events,
      filter,
      subscription.enabled ?? true,
      subscription.created_at ?? null,
    ],
  );
  return id;
}
