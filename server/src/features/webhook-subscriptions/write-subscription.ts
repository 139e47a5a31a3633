import { actorOf } from "../../platform/actor.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";

type SubscriptionSettings = {
  id: string;
  environment_id: string | null;
  url: string;
  description: string | null;
  events: string[];
  filter: string | null;
  headers: Buffer | null;
  enabled: boolean;
};

export async function insertSubscription(ctx: ProjectCtx & InTransaction, row: SubscriptionSettings): Promise<void> {
  await sql`
    insert into webhook_subscriptions (
      project_id, id, environment_id, url, description, events, filter, headers, enabled, created_by, created_by_id, created_at,
      updated_at)
    values (${ctx.project_id}, ${row.id}, ${row.environment_id}, ${row.url}, ${row.description}, ${row.events},
      ${row.filter}, ${row.headers}, ${row.enabled}, ${ctx.caller.name}, ${actorOf(ctx.caller).id}, clock(), clock())`.execute(
    ctx.db,
  );
}

export async function updateSubscriptionRow(ctx: ProjectCtx & InTransaction, row: SubscriptionSettings): Promise<void> {
  await sql`
    update webhook_subscriptions set environment_id = ${row.environment_id}, url = ${row.url},
      description = ${row.description}, events = ${row.events}, filter = ${row.filter}, headers = ${row.headers},
      enabled = ${row.enabled}, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${row.id}`.execute(ctx.db);
}

export async function deleteSubscriptionRow(ctx: ProjectCtx & InTransaction, id: string): Promise<void> {
  await sql`
    delete from webhook_subscriptions where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
}
