import type { System } from "@millrace/contract/service/system";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { FigureTable } from "../shared-analytics/figure-table.tsx";

type Instance = System["instances"][number];

/** Instances that sent a heartbeat within the last hour. */
export function Instances({ system }: { system: System | undefined }) {
  return (
    <FigureTable
      title="Instances"
      rows={system?.instances}
      rowKey={({ id }) => id}
      none="No instance has registered yet"
      figures={[
        {
          header: "Instance",
          isText: true,
          value: ({ address }: Instance) => address,
          show: ({ address, is_this, is_alive }) => (
            <span className="inline-flex items-center gap-2 align-middle">
              <StatusMark
                status={is_alive ? "ok" : "unhealthy"}
                label={is_alive ? "Healthy" : "Not responding"}
                as="mark"
              />
              {address} {is_this && <span className="text-ink-3 text-xs">this instance</span>}
            </span>
          ),
        },
        { header: "Roles", isText: true, value: ({ roles }) => roles.join(", ") },
        { header: "Version", value: ({ version }) => version },
        {
          header: "Started",
          value: ({ started_at }) => started_at,
          show: ({ started_at }) => <Time at={started_at} />,
        },
        { header: "Last seen", value: ({ seen_at }) => seen_at, show: ({ seen_at }) => <Time at={seen_at} /> },
      ]}
    />
  );
}
