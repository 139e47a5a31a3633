import type { Endpoint } from "@millrace/contract/jobs/endpoints";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";
import { plural } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";

/** Hosts that cannot be reached, because the pending runs in the list may wait for them. */
export function DownEndpoints() {
  const { at } = usePlace();
  const isReady = useFirstLoadDone();
  const isAllowed = useMay("jobs:read");
  const { data } = useApi<{ data: Endpoint[] }>(
    "/v1/endpoints",
    { state: "unreachable", limit: 5 },
    isReady && isAllowed,
  );
  if (!data || data.data.length === 0) return null;
  return (
    <ul aria-label="Endpoints that are down" className="flex flex-col gap-1 pb-2">
      {data.data.map(({ host, down_since, next_probe_at, waiting_runs }) => (
        <li key={host} className="flex flex-wrap items-center gap-x-1.5 text-ink-2">
          <StatusMark status="unhealthy" label="Unreachable" as="mark" />
          <Link href={at("endpoints")} className="font-mono text-xs hover:underline">
            {host}
          </Link>
          <span>
            down since {down_since && <Time at={down_since} />}
            {next_probe_at && (
              <>
                , next probe in <Countdown until={next_probe_at} />
              </>
            )}
            , {plural(waiting_runs, "run")} waiting
          </span>
        </li>
      ))}
    </ul>
  );
}
