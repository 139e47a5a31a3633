import { sql } from "kysely";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { Reader } from "./open-reader.ts";
import { NIL_ID } from "./series.ts";

export type EndpointNames = Map<string, { url: string; enabled: boolean }>;

export async function readEndpointNames(ctx: ProjectCtx, ids: readonly string[]): Promise<EndpointNames> {
  const { rows } = await sql<{ id: string; url: string; enabled: boolean }>`
    select s.id, s.url, s.enabled from webhook_subscriptions s
    where s.project_id = ${ctx.project_id} and s.id = any(${ids}::uuid[])
      and ${visible(ctx, "webhook_subscriptions", "s")}`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

type Failure = { delivery_id: string; failed_at: string; status_code: number | null; error: string | null };

/** The number of newest failed deliveries that are searched. */
const MAX_RECEIVERS = 500;

/** The last permanent failure of each receiver, among the newest, in the environments of the query. */
export async function readLastFailures({ ctx, range, seen }: Reader<"webhooks">): Promise<Map<string, Failure>> {
  const { rows } = await sql<Failure & { endpoint: string }>`
    select distinct on (endpoint) u.* from (
      select case when u.subscription_id is null then ${NIL_ID} || ' ' || u.host else u.subscription_id || ' ' end as endpoint,
        u.id as delivery_id, u.failed_at, u.last_status_code as status_code, u.last_error as error
      from webhook_deliveries u
      where u.project_id = ${ctx.project_id} and u.status = 'failed' and u.created_at >= ${range.from}
        and u.created_at < ${range.to} and ${seen}
      order by u.created_at desc limit ${MAX_RECEIVERS}
    ) u order by endpoint, u.failed_at desc`.execute(ctx.db);
  return new Map(rows.map(({ endpoint, ...failure }) => [endpoint, failure]));
}
