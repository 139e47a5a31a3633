import type { WebhookEndpointHealth, WebhookHealthQuery } from "@millrace/contract/analytics-beyond-runs";
import type { ProjectCtx } from "../../platform/context.ts";
import { type Distribution, NO_DISTRIBUTION } from "./distribution.ts";
import { fillTimes } from "./fill-times.ts";
import { measureQuery } from "./measure-query.ts";
import { meanOf, percentilesOf, ratio, timeOf } from "./measures.ts";
import { openReader } from "./open-reader.ts";
import type { Range } from "./range.ts";
import { readAsOf } from "./read-names.ts";
import { named, readRollups, type Sums } from "./read-rollups.ts";
import { NIL_ID } from "./series.ts";
import { type EndpointNames, readEndpointNames, readLastFailures } from "./webhook-queries.ts";

type Endpoint = WebhookEndpointHealth["data"][number];

/** How receivers of webhooks answered: those that failed most first. */
export async function getWebhookHealth(
  ctx: ProjectCtx,
  query: WebhookHealthQuery,
): Promise<Omit<WebhookEndpointHealth, "$schema">> {
  const reader = await openReader(ctx, "webhooks", query);
  return measureQuery(ctx, reader.range, async () => {
    const [sums, as_of] = await Promise.all([
      readRollups(reader, { split: "endpoint", by: ["subject", "part"] }),
      readAsOf(ctx, "webhooks"),
    ]);
    const shown = sums.toSorted(byFailures).slice(0, query.limit ?? 20);
    const subject_ids = [...new Set(shown.map(({ subject_id }) => subject_id))];
    const [times, names, failures] = await Promise.all([
      readRollups(reader, { split: "endpoint", by: ["time", "subject", "part"], subject_ids }),
      readEndpointNames(ctx, subject_ids),
      readLastFailures(reader.ctx, reader.range),
    ]);
    const data = shown.map((each) => ({
      ...present(each, names),
      last_failure: failures.get(keyOf(each)) ?? null,
      buckets: bucketsOf(
        reader.range,
        times.filter((time) => keyOf(time) === keyOf(each)),
      ),
    }));
    return { ...timeOf(ctx, reader.range, as_of), data };
  });
}

type Sum = Sums<"webhooks">;

function byFailures(a: Sum, b: Sum): number {
  const failures = ({ counts }: Sum) => counts.attempts - counts.delivered;
  return failures(b) - failures(a) || b.counts.attempts - a.counts.attempts || (keyOf(a) < keyOf(b) ? -1 : 1);
}

/** As `webhook-queries.ts` names them. */
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
    mean_ms: meanOf(durations, counts.duration_ms),
  };
}

function measures({ counts, durations }: { counts: Sum["counts"]; durations: Distribution }) {
  const { duration_ms: _, ...shown } = counts;
  return { ...shown, success_rate: ratio(shown.delivered, shown.attempts), ...percentilesOf(durations) };
}

function bucketsOf(range: Range, times: readonly Sum[]): Endpoint["buckets"] {
  const rows = times.map((each) => ({ starts_at: each.starts_at ?? "", ...measures(each) }));
  return fillTimes(range, rows, measures({ counts: named("webhooks", []), durations: NO_DISTRIBUTION }));
}
