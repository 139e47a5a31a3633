import { randomFrom } from "../../seed/seed.ts";
import type { Operation, Pick } from "../differential/operation.ts";
import { sendOperation } from "../differential/play.ts";
import type { Project } from "../differential/project.ts";
import { readRows } from "./read-rows.ts";
import { untilFound } from "./until-found.ts";

const CALM_WITHIN_MS = 1_500;
const CONSUMED_WITHIN_MS = 20_000;
/** The share of operations that do not wait for what the one before them has started. */
const HURRIED = 0.35;

/** Sends the operations one after another; some meet what earlier ones have started in the middle of it. */
export async function playFreely(project: Project, operations: Operation[], seed: number): Promise<number[]> {
  const random = randomFrom(seed);
  const statuses: number[] = [];
  for (const operation of operations) {
    const isOfSubscription = operation.call.includes("/webhook-subscriptions");
    // An event is matched with the subscriptions that exist when it is published.
    if (isOfSubscription) await untilConsumed(project);
    const { status } = await sendOperation(project, operation, find);
    statuses.push(status ?? 0);
    if (isOfSubscription || random() > HURRIED) await untilCalm(project);
  }
  return statuses;
}

/** The projects of `$1` in which nothing is about to happen by itself, or not much longer than a retry takes. */
const CALM = `
  select p.id::text from unnest($1::uuid[]) as p(id)
  where not exists (
      select 1 from run_queue q where q.project_id = p.id and q.stopped is null and q.blocked_on is null and (
        case when q.lease_token is null then q.run_at < clock() + interval '3 seconds'
          else q.accepted_at is null or q.deadline < clock() + interval '3 seconds' end))
    and not exists (select 1 from outbox o where o.project_id = p.id)
    and not exists (
      select 1 from batch_operations b where b.project_id = p.id and b.status in ('pending', 'running'))
    and not exists (
      select 1 from event_triggers t
      where t.project_id = p.id and t.status = 'waiting' and t.expires_at < clock() + interval '3 seconds')`;

async function untilCalm(project: Project): Promise<void> {
  await untilFound(project, CALM, { withinMs: CALM_WITHIN_MS });
}

const SEQUENCED = `
  select p.id::text, h.position::int from unnest($1::uuid[]) as p(id) cross join changelog_head h
  where not exists (select 1 from changelog_inbox i where i.project_id = p.id)`;
/** `$2` has the position of the last change of each project, or a later one. */
const READ = `
  select p.id::text from unnest($1::uuid[], $2::bigint[]) as p(id, position)
  where not exists (select 1 from webhook_deliveries d where d.project_id = p.id and d.status = 'pending')
    and p.position <= all (
      select c.position from log_cursors c where c.consumer in ('sum-changes', 'publish-webhooks'))`;

/** Waits until everything that has happened was sequenced, summed, published and delivered. */
export async function untilConsumed(project: Project): Promise<void> {
  await untilCalm(project);
  const sequenced = await untilFound(project, SEQUENCED, { withinMs: CONSUMED_WITHIN_MS });
  await untilFound(project, READ, { withinMs: CONSUMED_WITHIN_MS, position: sequenced?.position ?? 0 });
}

const isOf = "project_id = $1 and ($2 = '' or status = any(string_to_array($2, ',')))";
export const CANDIDATES: Record<Pick["of"], string> = {
  run: `select id::text from runs where ${isOf} order by id`,
  dead: "select id::text from runs where project_id = $1 and $2 = $2 and dead_lettered_at is not null order by id",
  accepted: `
    select run_id::text as id from run_queue where project_id = $1 and $2 = $2 and accepted_at is not null order by 1`,
  workflow_run: `select id::text from workflow_runs where ${isOf} order by id`,
  step: `select workflow_run_id || '/steps/' || step_ref as id from step_runs where ${isOf} order by 1`,
  event: `
    select event_key as id from event_triggers
    where project_id = $1 and $2 = $2 and status = 'waiting' and wait_kind = 'event' order by created_at`,
  schedule: "select id::text from schedules where project_id = $1 and $2 = $2 order by id",
  // The first one receives everything, and stays.
  subscription: "select id::text from webhook_subscriptions where project_id = $1 and $2 = $2 order by id offset 1",
};

/** From the tables: a list of the API would take a request for each kind of object. */
async function find(project: Project, { of, status = "", nth }: Pick): Promise<string | undefined> {
  const rows = await readRows<{ id: string }>(project, CANDIDATES[of], [status]);
  const id = rows[nth % Math.max(1, rows.length)]?.id;
  return of === "event" && id !== undefined ? encodeURIComponent(id) : id;
}
