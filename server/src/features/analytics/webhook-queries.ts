import { sql } from "kysely";
import { visible } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import type { Range } from "./range.ts";
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

/** So many of the newest deliveries that failed are looked at. */
const MOST = 500;

/** The last that failed for good of each receiver, among the newest. */
export async function readLastFailures(ctx: ProjectCtx, { from, to }: Range): Promise<Map<string, Failure>> {
  const { rows } = await sql<Failure & { endpoint: string }>`
    select distinct on (endpoint) d.* from (
      select case when d.subscription_id is null then ${NIL_ID} || ' ' || d.host else d.subscription_id || ' ' end as endpoint,
        d.id as delivery_id, d.failed_at, d.last_status_code as status_code, d.last_error as error
      from webhook_deliveries d
      where d.project_id = ${ctx.project_id} and d.status = 'failed' and d.created_at >= ${from} and d.created_at < ${to}
        and ${visible(ctx, "webhook_deliveries", "d")}
      order by d.created_at desc limit ${MOST}
    ) d order by endpoint, d.failed_at desc`.execute(ctx.db);
  return new Map(rows.map(({ endpoint, ...failure }) => [endpoint, failure]));
}
