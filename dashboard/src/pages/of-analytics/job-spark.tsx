import type { RunTimeseries } from "@millrace/contract/analytics";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call, type Query } from "../../api/call.ts";
import { useMay } from "../../api/me.ts";
import { plural } from "../../parts/format.ts";
import { usePlace } from "../../shell/place.ts";
import { inLine } from "./in-line.ts";
import { endedOf } from "./run-series.ts";

type Props = { jobId: string; name: string; since: string; query: Query };

const [WIDTH, HEIGHT] = [96, 22];
const FRESH_MS = 5 * 60_000;

/** The ends of a job's runs over time, what failed above. Read once it is in sight, one job after the other. */
export function JobSpark({ jobId, name, since, query }: Props) {
  const { project } = usePlace();
  const [place, isSeen] = useSeen();
  const mayRead = useMay("analytics:read");
  const { data } = useQuery({
    queryKey: [project, "job-spark", jobId, since, query.environment_id],
    queryFn: ({ signal }) =>
      inLine(() =>
        call<RunTimeseries>("GET", "/v1/analytics/timeseries", {
          query: { ...query, job_id: jobId },
          project,
          signal,
        }),
      ),
    enabled: isSeen && mayRead,
    staleTime: FRESH_MS,
  });
  return (
    <span ref={place} className="inline-block align-middle" style={{ width: WIDTH, height: HEIGHT }}>
      {data && <Bars buckets={data.buckets} label={`${name}: ${plural(endedOf(data.total), "run")} ended`} />}
    </span>
  );
}

function Bars({ buckets, label }: { buckets: RunTimeseries["buckets"]; label: string }) {
  const bars = buckets.map((each) => {
    const bad = each.failed + each.timed_out;
    return { bad, all: bad + each.completed + each.canceled };
  });
  const most = Math.max(1, ...bars.map(({ all }) => all));
  const step = WIDTH / Math.max(1, bars.length);
  const tall = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * (HEIGHT - 2)));
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="stroke-border" />
      {bars.map(({ bad, all }, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a bar is
        <g key={nth} transform={`translate(${nth * step + 0.5} 0)`}>
          <rect
            y={HEIGHT - 1 - tall(all)}
            width={Math.max(1, step - 1)}
            height={tall(all)}
            className="fill-accent/60"
          />
          <rect y={HEIGHT - 1 - tall(all)} width={Math.max(1, step - 1)} height={tall(bad)} className="fill-failed" />
        </g>
      ))}
    </svg>
  );
}

/** True as soon as it has been in the window. */
function useSeen() {
  const place = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const node = place.current;
    if (!node) return;
    const watch = new IntersectionObserver((found) => {
      if (!found.some(({ isIntersecting }) => isIntersecting)) return;
      setSeen(true);
      watch.disconnect();
    });
    watch.observe(node);
    return () => watch.disconnect();
  }, []);
  return [place, isSeen] as const;
}
