import { Stat } from "../../parts/chart/stat.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { useReadiness } from "../use-readiness.ts";

/** Readiness of the service, and the failing check. */
export function ServiceStat() {
  const { data, error } = useReadiness();
  const { at } = usePlace();
  const bad = Object.entries(data?.checks ?? {}).filter(([, result]) => result !== "ok");
  const isBad = error !== null || bad.length > 0;
  const failing = bad.map(([name, result]) => `${name}: ${result}`).join(", ");
  const passing = data && `${Object.keys(data.checks).length} checks passing`;
  return (
    <Stat
      label="Service"
      href={at("system-health")}
      value={
        data || error ? (
          <span className="flex h-9 items-center font-medium text-base tracking-normal">
            <StatusMark status={isBad ? "unhealthy" : "ok"} label={isBad ? "Not ready" : "Ready"} />
          </span>
        ) : undefined
      }
      hint={error ? "Not responding" : failing || passing}
    />
  );
}
