import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { appendStates } from "./append-changes.ts";

type SeedDelivery = Partial<{
  url: string;
  status: "pending" | "delivered" | "failed";
  environment_id: string;
  event_type: string;
  attempts: number;
  created_at: string;
}>;

/** Refuses all connections. */
const NOBODY = "http://127.0.0.1:1024/hook";

/** Inserts a delivery directly, due now if it is pending. Returns its id. */
export async function seedDelivery(
  connection: TestConnection,
  project_id: string,
  delivery: SeedDelivery = {},
): Promise<string> {
  const [id] = await seedDeliveries(connection, project_id, 1, delivery);
  if (id === undefined) throw new Error("no delivery");
  return id;
}

/** Inserts many of them, due in the order of their ids. */
export async function seedDeliveries(
  connection: TestConnection,
  project_id: string,
  count: number,
  delivery: SeedDelivery = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  const { url = NOBODY, status = "pending", event_type = "thing.happened" } = delivery;
  await runSql(
    connection,
    `with changed as (insert into webhook_deliveries (project_id, id, environment_id, url, host, event_type, body, source_type, source_id,
       prev_status, status, attempts, next_attempt_at, failed_at, delivered_at, last_error, created_at, updated_at)
     select $1, id, $3, $4, $5, $6, json_build_object('type', $6::text, 'id', id)::text, 'thing', '7',
       case when $7 <> 'pending' then 'pending' end, $7, $8, case when $7 = 'pending' then coalesce($9, clock()) end,
       case when $7 = 'failed' then clock() end, case when $7 = 'delivered' then clock() end,
       case when $7 = 'failed' then 'The receiver responded with 400.' end, coalesce($9, clock()), clock()
     from unnest($2::uuid[]) as id
     returning *)
     ${appendStates("webhook_delivery")}`,
    [
      project_id,
      ids,
      delivery.environment_id ?? null,
      url,
      new URL(url).host,
      event_type,
      status,
      delivery.attempts ?? (status === "pending" ? 0 : 1),
      delivery.created_at ?? null,
    ],
  );
  return ids;
}
