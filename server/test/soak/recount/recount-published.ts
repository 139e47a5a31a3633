import type { Json } from "../differential/json.ts";
import type { Project } from "../differential/project.ts";
import { readRows } from "./read-rows.ts";

export type Compared = { tables: Json; shown: Json };

const LAST_STATES = {
  batches: `select id::text, concat_ws(' ', status, total, processed, succeeded, failed, skipped) as state
    from batch_operations where project_id = $1`,
  deliveries: `select id::text, concat_ws(' ', status, attempts, last_status_code) as state
    from webhook_deliveries where project_id = $1`,
};

/** What a stream has sent since the project exists, and what the tables say that it should have. */
export async function recountStream(project: Project): Promise<Compared> {
  const transitions = await readRows<{ id: string; change: string }>(
    project,
    `select run_id::text as id, concat_ws(' ', ordinal, from_status, to_status, cause, attempt,
       to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as change
     from run_history where project_id = $1 order by run_id, ordinal`,
  );
  const decisions = await readRows<{ id: string; change: string }>(
    project,
    `select workflow_run_id::text as id, concat_ws(' ', ordinal, decision_type, step_ref) as change
     from workflow_decisions where project_id = $1 order by workflow_run_id, ordinal`,
  );
  const states = async (name: keyof typeof LAST_STATES) =>
    Object.fromEntries(
      (await readRows<{ id: string; state: string }>(project, LAST_STATES[name])).map(({ id, state }) => [id, state]),
    );
  const changes = project.stream.events.filter(({ event }) => event === "change").map(({ data }) => data);
  const listOf = (type: string, say: (object: Json, at: string) => unknown[]) =>
    listed(
      changes
        .filter((each) => each.type === type)
        .map(({ id, at, object }) => ({ id, change: say(object, at).filter(isThere).join(" ") })),
    );
  const lastOf = (type: string, say: (object: Json) => unknown[]) =>
    Object.fromEntries(Object.entries(listOf(type, say)).map(([id, list]) => [id, list.at(-1)]));
  return {
    tables: {
      runs: listed(transitions),
      decisions: listed(decisions),
      batches: await states("batches"),
      deliveries: await states("deliveries"),
      resets: 0,
    },
    shown: {
      runs: listOf("run.status", (o, at) => [o.ordinal, o.from_status, o.status, o.cause, o.attempt, at]),
      decisions: listOf("workflow_run.decision", (o) => [o.ordinal, o.decision_type, o.step_ref]),
      batches: lastOf("batch.progress", (o) => [o.status, o.total, o.processed, o.succeeded, o.failed, o.skipped]),
      deliveries: lastOf("webhook_delivery.status", (o) => [o.status, o.attempts, o.last_status_code]),
      resets: project.stream.events.filter(({ event }) => event === "reset").length,
    },
  };
}

const isThere = (value: unknown) => value !== null && value !== undefined;

function listed(changes: readonly { id: string; change: string }[]): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const { id, change } of changes) {
    lists[id] ??= [];
    lists[id].push(change);
  }
  return lists;
}

type Event = { type: string; source_id: string; ordinal: number | null; created_at: Date };

/** The events of docs/reference/webhooks.md that happened in the project, from the history of its objects. */
async function readEvents(project: Project): Promise<Event[]> {
  return readRows<Event>(
    project,
    `select e.type, t.run_id::text as source_id, t.ordinal, t.created_at from run_history t cross join lateral (
       select 'run.' || case when t.from_status is null then 'created' when t.to_status = 'running' then 'started'
         when t.to_status <> 'pending' then t.to_status when t.from_status = 'running' then 'retrying' else 'resumed' end as type
       union all select 'run.dead_lettered' where t.to_status in ('failed', 'timed_out')
     ) e where t.project_id = $1
     union all
     select 'workflow_run.' || case d.decision_type when 'pause' then 'paused' when 'resume' then 'resumed'
       else d.detail ->> 'status' end, d.workflow_run_id::text, d.ordinal, d.created_at
     from workflow_decisions d
     where d.project_id = $1 and d.step_ref is null and d.decision_type in ('pause', 'resume', 'end')
     union all
     select 'workflow_run.retried', d.workflow_run_id::text, min(d.ordinal), d.created_at from workflow_decisions d
     where d.project_id = $1 and d.decision_type = 'retry' group by d.workflow_run_id, d.created_at
     union all
     select 'workflow_run.started', w.id::text, min(d.ordinal), min(d.created_at)
     from workflow_runs w join workflow_decisions d on d.project_id = w.project_id and d.workflow_run_id = w.id
     where w.project_id = $1 and w.started_at is not null and d.step_ref is not null and d.created_at >= w.started_at
       and d.decision_type not in ('cancel', 'retry')
     group by w.id
     union all
     select 'event_trigger.' || h.happened, t.id::text, null, case h.happened when 'created' then t.created_at else t.finished_at end
     from event_triggers t cross join lateral (values ('created'), (nullif(t.status, 'waiting'))) h(happened)
     where t.project_id = $1 and t.wait_kind in ('event', 'approval') and h.happened is not null`,
  );
}

type Subscription = {
  id: string;
  events: string[];
  filter: string | null;
  created_at: Date;
  is_changed: boolean;
};
type Delivery = {
  id: string;
  event_id: string | null;
  subscription_id: string | null;
  receiver: string;
  event_type: string;
  source_id: string;
  ordinal: number | null;
  status: string;
  /** By its attempts: one that was in flight when the data was erased is no longer recorded at the delivery. */
  requests: number;
};

/**
 * The deliveries of each subscription that has not been changed since its creation, and the requests of each delivery.
 * `isErased`: some have lost their body, and with it the number of the change.
 */
export async function recountWebhooks(project: Project, isErased: boolean): Promise<Compared> {
  const [events, subscriptions, deliveries] = await Promise.all([
    readEvents(project),
    readRows<Subscription>(
      project,
      `select id::text, events, filter, created_at, updated_at > created_at as is_changed from webhook_subscriptions
       where project_id = $1`,
    ),
    readRows<Delivery>(
      project,
      `select d.id::text, d.event_id::text, d.subscription_id::text, substring(d.url from '[^/]*$') as receiver, d.event_type,
         d.source_id, (d.body::jsonb -> 'transition' ->> 'ordinal')::int as ordinal, d.status, (
           select count(*)::int from webhook_attempts a
           where a.project_id = d.project_id and a.delivery_id = d.id and a.status_code is not null) as requests
       from webhook_deliveries d where d.project_id = $1 and d.source_type in ('run', 'workflow_run', 'event_trigger')`,
    ),
  ]);
  const nameOf = (type: string, source_id: string, ordinal: number | null) =>
    `${type} ${source_id}${isErased || ordinal === null ? "" : ` ${ordinal}`}`;
  const known = subscriptions.filter(
    ({ is_changed, filter }) => !is_changed && (filter === null || filter === NOT_CREATED),
  );
  const wanted = known.map(({ id, events: patterns, filter, created_at }) => [
    id,
    events
      .filter((each) => each.created_at >= created_at && matches(patterns, filter, each.type))
      .map(({ type, source_id, ordinal }) => nameOf(type, source_id, ordinal))
      .sort(),
  ]);
  const written = known.map(({ id }) => [
    id,
    deliveries
      .filter(({ subscription_id }) => subscription_id === id)
      .map(({ event_type, source_id, ordinal }) => nameOf(event_type, source_id, ordinal))
      .sort(),
  ]);
  const received = project.seen.webhooks.filter(({ body }) => /^(run|workflow_run|event_trigger)\./.test(body.type));
  const all = new Set(events.map(({ type, source_id }) => `${type} ${source_id}`));
  return {
    tables: {
      deliveries: Object.fromEntries(wanted),
      requests: countsOf(deliveries.flatMap((each) => Array(each.requests).fill(requestOf(each)))),
      pending: [],
      unfounded: [],
    },
    shown: {
      deliveries: Object.fromEntries(written),
      requests: countsOf(received.map(({ receiver, webhook_id }) => `${receiver} ${webhook_id}`)),
      pending: deliveries.filter(({ status }) => status === "pending").map(({ id }) => id),
      unfounded: deliveries
        .map(({ event_type, source_id }) => `${event_type} ${source_id}`)
        .filter((name) => !all.has(name)),
    },
  };
}

const NOT_CREATED = 'event.type != "run.created"';

function matches(patterns: string[], filter: string | null, type: string): boolean {
  const kind = type.replace(/\..*/, ".*");
  return (
    patterns.some((each) => each === "*" || each === kind || each === type) &&
    !(filter === NOT_CREATED && type === "run.created")
  );
}

function requestOf({ receiver, event_id, id }: Delivery): string {
  return `${receiver} ${event_id ?? id}`;
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
