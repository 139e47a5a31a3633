import type { Retention as Kept } from "@millrace/contract/projects/retention";
import { useApi } from "../../api/use-api.ts";
import { plural } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { usePlace } from "../../shell/place/place.ts";

const HOUR_SECS = 3_600;
const DAY_SECS = 24 * HOUR_SECS;

type Field = Exclude<keyof Kept, "$schema">;
const KEPT: [data: string, setting: string, field: Field, defaultDays: number][] = [
  ["Runs, with input, output and history", "RUN_RETENTION", "runs_secs", 90],
  ["Workflow runs with their steps", "WORKFLOW_RUN_RETENTION", "workflow_runs_secs", 90],
  ["Log lines", "LOG_RETENTION", "logs_secs", 30],
  ["Webhook deliveries", "DELIVERY_RETENTION", "webhook_deliveries_secs", 30],
  ["Waits and received events", "EVENT_TRIGGER_RETENTION", "event_triggers_secs", 30],
  ["Audit log", "AUDIT_RETENTION", "audit_events_secs", 365],
];

/** Retention is a setting of the whole service, so this only shows it, and explains how to delete data earlier. */
export function Retention() {
  const { at } = usePlace();
  const { data: kept, error, refetch } = useApi<Kept>("/v1/retention");
  return (
    <section aria-label="Retention" className="flex max-w-2xl flex-col gap-3">
      <p className="text-ink-2">
        Retention is set for the whole service by its operator, see{" "}
        <a href="/docs/operate/settings" className="text-accent underline">
          Settings
        </a>
        . Only finished objects are deleted.
      </p>
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      <div className="card overflow-x-auto">
        <table className="w-full min-w-[480px] text-left">
          <thead className="border-b bg-surface text-ink-2 text-xs">
            <tr>
              <th className="h-9 px-4 font-medium">Data</th>
              <th className="px-4 font-medium">Setting</th>
              <th className="px-4 font-medium">Kept for</th>
              <th className="px-4 font-medium">Default</th>
            </tr>
          </thead>
          <tbody>
            {KEPT.map(([data, setting, field, defaultDays]) => (
              <tr key={setting} className="border-b last:border-0">
                <td className="h-9 px-4">{data}</td>
                <td className="px-4 font-mono text-xs">{setting}</td>
                <td className="px-4">{kept ? lengthOf(kept[field]) : "…"}</td>
                <td className="px-4 text-ink-2">{lengthOf(defaultDays * DAY_SECS)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="text-ink-2">
        To delete data earlier, use the page of a finished run, or purge finished waits in{" "}
        <Link href={at("events")} className="text-accent underline">
          Events
        </Link>
        .
      </p>
    </section>
  );
}

function lengthOf(secs: number): string {
  if (secs % DAY_SECS === 0) return plural(secs / DAY_SECS, "day");
  return secs % HOUR_SECS === 0 ? plural(secs / HOUR_SECS, "hour") : plural(secs, "second");
}
