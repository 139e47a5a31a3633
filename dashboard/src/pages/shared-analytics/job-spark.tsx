import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import { plural } from "../../parts/format.ts";

type Job = Pick<PerformanceReport["slowest_jobs"][number], "ended_by_bucket" | "failed_by_bucket">;

const [WIDTH, HEIGHT] = [96, 22];

/** Finished runs of a job over time, failures on top. */
export function JobSpark({ name, job }: { name: string; job: Job | undefined }) {
  const ended = job?.ended_by_bucket ?? [];
  const max = Math.max(1, ...ended);
  const step = WIDTH / Math.max(1, ended.length);
  const width = Math.max(1, step - 1);
  const tall = (count = 0) => (count === 0 ? 0 : Math.max(1.5, (count / max) * (HEIGHT - 2)));
  const all = ended.reduce((sum, count) => sum + count, 0);
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`${name}: ${plural(all, "run")} finished`}
      className="inline-block align-middle"
    >
      <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="stroke-border" />
      {ended.map((count, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its position
        <g key={nth} transform={`translate(${nth * step + 0.5} ${HEIGHT - 1 - tall(count)})`}>
          <rect width={width} height={tall(count)} className="fill-accent/60" />
          <rect width={width} height={tall(job?.failed_by_bucket[nth])} className="fill-failed" />
        </g>
      ))}
    </svg>
  );
}
