import type { System } from "@millrace/contract/service/system";
import { Sparkline } from "../../parts/chart/sparkline.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { formatDuration, formatPercent, formatShort } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { formatBytes } from "./format-bytes.ts";
import { type Figures, growthOf } from "./use-metrics.ts";

type Props = { system: System | undefined; seen: Figures[] };

/** Key figures with their history since the page was opened. */
export function Vitals({ system, seen }: Props) {
  const now = seen.at(-1);
  const lead = system && reconcilerOf(system);
  const spark = (values: number[], label: string) =>
    values.length > 1 ? <Sparkline width={72} label={label} values={values} /> : undefined;
  const of = (name: keyof Figures) => seen.map((each) => each[name]);
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Stat
        label="Version"
        value={system?.version}
        hint={system && `Node ${system.node}, ${system.mode === "dev" ? "development" : "production"}`}
      />
      <Stat
        label="Database size"
        value={system && formatBytes(system.database.size_bytes)}
        hint={system && `PostgreSQL ${versionOf(system)}${system.database.is_embedded ? ", embedded" : ""}`}
      />
      <Stat
        label="Queue depth"
        value={system && formatShort(system.queue.ready)}
        hint={system && <QueueHint queue={system.queue} />}
      />
      <Stat
        label="Last reconciliation"
        value={system && (lead?.ended_at ? <Time at={lead.ended_at} /> : lead ? "now" : "–")}
        hint={system && (lead ? `leader: ${lead.leader}` : "No leader")}
      />
      <Stat
        label="Active dispatches"
        value={now && formatShort(now.active)}
        hint={now && `${formatShort(now.queued)} queued${system ? ` · ${formatShort(system.pool.size)} slots` : ""}`}
        chart={spark(of("active"), "Dispatches in flight since the page was opened")}
      />
      <Stat
        label="Dequeue p95"
        value={now && formatDuration(now.dequeue_ms)}
        hint={now && `dispatch p95 ${formatDuration(now.dispatch_ms)}`}
        chart={spark(of("dequeue_ms"), "Dequeue time since the page was opened")}
      />
      <Stat
        label="Requests"
        value={now && formatShort(now.requests)}
        hint={now && `${formatPercent(now.requests === 0 ? 0 : now.serverErrors / now.requests)} failed with 5xx`}
        chart={spark(growthOf(seen, "requests"), "Requests per interval")}
      />
      <Stat
        label="Repaired"
        value={now && formatShort(now.repairs)}
        hint={now && (now.repairs === 0 ? "Reconciliation found no drift" : "See the service log")}
        chart={spark(growthOf(seen, "transitions"), "Run transitions per interval")}
      />
    </div>
  );
}

function QueueHint({ queue }: { queue: System["queue"] }) {
  if (queue.oldest_ready_at)
    return (
      <>
        oldest due <Time at={queue.oldest_ready_at} />
      </>
    );
  return <>{`${formatShort(queue.in_flight)} in flight, ${formatShort(queue.blocked)} blocked`}</>;
}

/** `16.4 (Debian …)` is too long for the card. */
function versionOf({ database }: System): string {
  return database.version.split(" ")[0] ?? "";
}

/** The last reconciliation pass and its leader. */
function reconcilerOf({ tasks, instances }: System): { ended_at: string | null; leader: string } | undefined {
  const own = tasks.filter(({ name }) => name.startsWith("reconcile"));
  const last = own.toSorted((a, b) => (b.ended_at ?? "9").localeCompare(a.ended_at ?? "9"))[0];
  if (!last) return undefined;
  const leader = instances.find(({ id }) => id === last.holder);
  return {
    ended_at: last.ended_at,
    leader: leader ? `${leader.address}${leader.is_this ? ", this instance" : ""}` : last.holder,
  };
}
