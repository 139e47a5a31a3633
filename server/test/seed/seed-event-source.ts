import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { seedJob } from "./seed-run.ts";

/** Inserts a source without a signature directly, with one subscription and one event. */
async function seedEventSource(connection: TestConnection, project_id: string) {
  const [id, subscription_id, event_id] = [newId(), newId(), newId()];
  const job = await seedJob(connection, project_id);
  await runSql(
    connection,
    `insert into event_sources (project_id, id, slug, name, signature, dedup_window_secs, enabled, created_by, created_at,
       updated_at)
     values ($1, $2::uuid, 'source-' || $2::text, 'Source', 'none', 60, true, 'seed', clock(), clock())`,
    [project_id, id],
  );
  await runSql(
    connection,
    `insert into event_subscriptions (project_id, id, source_id, job_id, enabled, created_by, created_at, updated_at)
     values ($1, $2, $3, $4, true, 'seed', clock(), clock())`,
    [project_id, subscription_id, id, job.id],
  );
  await runSql(
    connection,
    `insert into source_events (project_id, id, source_id, via, status, payload, metadata, results, matched, started, failed,
       chain_depth, received_by, created_at)
     values ($1, $2, $3, 'dispatch', 'dispatched', '{}', '{}', '[]', 0, 0, 0, 1, 'seed', clock())`,
    [project_id, event_id, id],
  );
  return { id, subscription_id, event_id, job_id: job.id };
}

/** One source for all parameters of a path, which must belong together. */
export function oneEventSource(connection: TestConnection, project_id: string): () => Promise<Record<string, string>> {
  let seeded: ReturnType<typeof seedEventSource> | undefined;
  return async () => {
    seeded ??= seedEventSource(connection, project_id);
    const { id, subscription_id, event_id } = await seeded;
    return { sourceID: id, subscriptionID: subscription_id, eventID: event_id };
  };
}
