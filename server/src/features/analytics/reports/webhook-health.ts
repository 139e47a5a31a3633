import type { WebhookEndpointHealth, WebhookHealthQuery } from "@millrace/contract/analytics/analytics-beyond-runs";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { inChunks } from "../rollups/in-chunks.ts";
import { readRollups } from "../rollups/read-rollups.ts";
import { named, type Sums } from "../rollups/rollup-rows.ts";
import { type Durations, NO_DURATIONS } from "./distribution.ts";
import { measureQuery } from "./measure-query.ts";
import { durationsOf, ratio, timeOf } from "./measures.ts";
import { openReader, type Reader } from "./open-reader.ts";
import type { Range } from "./range.ts";
import { readAsOf } from "./read-names.ts";
import { fillTimes, NIL_ID } from "./series.ts";

type Endpoint = WebhookEndpointHealth["data"][number];

/** How receivers of webhooks responded; those that failed most come first. */
export async function getWebhookHealth(
  ctx: ProjectCtx,
  query: WebhookHealthQuery,
): Promise<Omit<WebhookEndpointHealth, "$schema">> {
  const reader = await openReader(ctx, "webhooks", query);
  return measureQuery(ctx, reader.range, async () => {
    const [all, as_of] = await Promise.all([
      readRollups(reader, { ...EACH, withoutDurations: true }),
      readAsOf(ctx, "webhooks"),
    ]);
    const shown = all.toSorted(byFailures).slice(0, query.limit ?? 20);
    const subject_ids = [...new Set(shown.map(({ subject_id }) => subject_id))];
    const of = { subject_ids, parts: [...new Set(shown.map(({ part }) => part))] };
    const [sums, times, names, failures] = await Promise.all([
      readRollups(reader, { ...EACH, ...of }),
      readRollups(reader, { ...EACH, ...of, by: ["time", ...EACH.by] }),
      readEndpointNames(ctx, subject_ids),
      readLastFailures(reader),
    ]);
    const [sumsBy, timesBy] = [new Map(sums.map((each) => [keyOf(each), each])), groupBy(times, keyOf)];
    const data = await inChunks(shown.map(keyOf), CHUNK, (key) => {
      const sum = sumsBy.get(key);
      const buckets = bucketsOf(reader.range, timesBy.get(key) ?? []);
      return sum ? [{ ...present(sum, names), last_failure: failures.get(key) ?? null, buckets }] : [];
    });
    return { ...timeOf(ctx, reader.range, as_of), data: data.flat() };
  });
}

/** Receivers whose buckets are measured without yielding to the event loop. */
const CHUNK = 4;
const EACH = { split: "endpoint", by: ["subject", "part"] } as const;

type Sum = Sums<"webhooks">;

function byFailures(a: Sum, b: Sum): number {
  const failures = ({ counts }: Sum) => counts.attempts - counts.delivered;
  return failures(b) - failures(a) || b.counts.attempts - a.counts.attempts || (keyOf(a) < keyOf(b) ? -1 : 1);
}

/** The key of a receiver, as in `webhook-queries.ts`. */
function keyOf({ subject_id, part }: Sum): string {
  return `${subject_id} ${part}`;
}

function present(
  { subject_id, part, counts, durations }: Sum,
  names: EndpointNames,
): Omit<Endpoint, "last_failure" | "buckets"> {
  const subscription = names.get(subject_id);
  return {
    endpoint: subject_id === NIL_ID ? part : (subscription?.url ?? `subscription ${subject_id}`),
    subscription_id: subject_id === NIL_ID ? null : subject_id,
    enabled: subscription?.enabled ?? null,
    ...measures({ counts, durations }),
  };
}

function measures({ counts, durations }: { counts: Sum["counts"]; durations: Durations }) {
  const { duration_ms, ...shown } = counts;
  return { ...shown, success_rate: ratio(shown.delivered, shown.attempts), ...durationsOf(durations, duration_ms) };
}

function bucketsOf(range: Range, times: readonly Sum[]): Endpoint["buckets"] {
  return fillTimes(range, times.map(bucketOf), bucketOf({ counts: named("webhooks", []), durations: NO_DURATIONS }));
}

/** Field by field: there may be many thousand, and omitting one field from a copy takes longer than measuring it. */
function bucketOf({ starts_at, counts, durations }: Pick<Sum, "counts" | "durations"> & { starts_at?: string | null }) {
  const { attempts, delivered, refused, retryable, lost } = counts;
  const { p50_ms, p95_ms, p99_ms } = durationsOf(durations, 0);
  const success_rate = ratio(delivered, attempts);
  return {
    starts_at: starts_at ?? "",
    attempts,
    delivered,
    refused,
    retryable,
    lost,
    success_rate,
    p50_ms,
    p95_ms,
    p99_ms,
  };
}

type EndpointNames = Map<string, { url: string; enabled: boolean }>;

async function readEndpointNames(ctx: ProjectCtx, ids: readonly string[]): Promise<EndpointNames> {
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
async function readLastFailures({ ctx, range, seen }: Reader<"webhooks">): Promise<Map<string, Failure>> {
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
