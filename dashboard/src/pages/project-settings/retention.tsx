import { Link } from "../../parts/link.tsx";
import { usePlace } from "../../shell/place/place.ts";

const KEPT: [data: string, setting: string, standard: string][] = [
  ["Runs, with input, output and history", "RUN_RETENTION", "90 days"],
  ["Workflow runs with their steps", "WORKFLOW_RUN_RETENTION", "90 days"],
  ["Log lines", "LOG_RETENTION", "30 days"],
  ["Webhook deliveries", "DELIVERY_RETENTION", "30 days"],
  ["Waits and received events", "EVENT_TRIGGER_RETENTION", "30 days"],
  ["Audit log", "AUDIT_RETENTION", "1 year"],
];

/** Retention is a setting of the whole service, so this only explains it, and how to delete data earlier. */
export function Retention() {
  const { at } = usePlace();
  return (
    <section aria-label="Retention" className="flex max-w-2xl flex-col gap-3">
      <p className="text-ink-2">
        Retention is set for the whole service by its operator, see{" "}
        <a href="/docs/operate/settings" className="text-accent underline">
          Settings
        </a>
        . Only finished objects are deleted.
      </p>
      <div className="card overflow-x-auto">
        <table className="w-full min-w-[480px] text-left">
          <thead className="border-b bg-surface text-ink-2 text-xs">
            <tr>
              <th className="h-9 px-4 font-medium">Data</th>
              <th className="px-4 font-medium">Setting</th>
              <th className="px-4 font-medium">Default</th>
            </tr>
          </thead>
          <tbody>
            {KEPT.map(([data, setting, standard]) => (
              <tr key={setting} className="border-b last:border-0">
                <td className="h-9 px-4">{data}</td>
                <td className="px-4 font-mono text-xs">{setting}</td>
                <td className="px-4 text-ink-2">{standard}</td>
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
