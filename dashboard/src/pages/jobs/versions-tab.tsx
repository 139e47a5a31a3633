import type { JobsByVersion } from "@millrace/contract/analytics/job-analytics";
import type { Job, JobVersion } from "@millrace/contract/jobs/jobs";
import { useMay } from "../../api/me.ts";
import { useApi, useApiList } from "../../api/use-api.ts";
import { Diff } from "../../parts/code/diff.tsx";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { formatCount, formatDuration, formatPercent } from "../../parts/format.ts";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useSearchParams } from "../../shell/place/place.ts";

/** Versions with their metrics, and a diff of any two. */
export function VersionsTab({ job }: { job: Job }) {
  const list = useApiList<JobVersion>(`/v1/jobs/${job.id}/versions`, { limit: 100 });
  const { data } = useApi<JobsByVersion>(
    "/v1/analytics/jobs/by-version",
    { job_id: job.id, limit: 100 },
    useMay("analytics:read"),
  );
  const { rows, error } = list;
  if (error && !rows) return <ErrorState error={error} onRetry={() => void list.refetch()} />;
  if (!rows) return <SkeletonLines />;
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorState error={error} as="banner" onRetry={() => void list.refetch()} />}
      <section className="card overflow-x-auto -outline-offset-2" tabIndex={0} aria-label="Versions">
        <table className="w-full min-w-[640px] text-left">
          <thead className="text-ink-2 text-xs">
            <tr className="h-9 border-b [&>th]:px-4 [&>th]:font-medium">
              <th>Version</th>
              <th className="text-right">Runs, 24 h</th>
              <th className="text-right">Success</th>
              <th className="text-right">p50</th>
              <th className="text-right">p95</th>
              <th>Created by</th>
              <th className="text-right">Created</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((version) => (
              <Row
                key={version.id}
                version={version}
                isCurrent={version.id === job.version_id}
                measures={data && (data.data.find((each) => each.job_version_id === version.id) ?? NO_RUNS)}
              />
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > 1 && <Compared versions={rows} />}
    </div>
  );
}

type Measures = Pick<JobsByVersion["data"][number], "success_rate" | "p50_ms" | "p95_ms"> & { created: number | null };

const NO_RUNS: Measures = { created: null, success_rate: null, p50_ms: null, p95_ms: null };

/** `measures`: undefined while loading; a dash means no data. */
type RowProps = { version: JobVersion; isCurrent: boolean; measures: Measures | undefined };

function Row({ version, isCurrent, measures }: RowProps) {
  const of = (name: keyof Measures, format: (value: number) => string) => {
    const value = measures?.[name];
    return value === null ? "–" : value !== undefined && format(value);
  };
  return (
    <tr className="h-9 border-b last:border-0 [&>td]:px-4">
      <td className="font-medium">
        {version.version} {isCurrent && <span className="font-normal text-ink-3">current</span>}
      </td>
      <td className="text-right font-mono text-xs">{of("created", formatCount)}</td>
      <td className="text-right font-mono text-xs">{of("success_rate", formatPercent)}</td>
      <td className="text-right font-mono text-xs">{of("p50_ms", formatDuration)}</td>
      <td className="text-right font-mono text-xs">{of("p95_ms", formatDuration)}</td>
      <td className="max-w-40 truncate">{version.created_by}</td>
      <td className="text-right text-ink-2">
        <Time at={version.created_at} />
      </td>
    </tr>
  );
}

function Compared({ versions }: { versions: JobVersion[] }) {
  const [{ from, to }, change] = useSearchParams();
  const newer = versions.find(({ id }) => id === to) ?? versions[0];
  const older = versions.find(({ id }) => id === from) ?? versions[1];
  if (!newer || !older) return null;
  const choices = versions.map(({ id, version }): Choice => [id, `Version ${version}`]);
  const choose = (changes: { from: string } | { to: string }) => change(changes, { replace: true });
  return (
    <>
      <div className="grid max-w-[480px] grid-cols-2 gap-3">
        <ChoiceField label="From" choices={choices} value={older.id} onChange={(id) => choose({ from: id })} />
        <ChoiceField label="To" choices={choices} value={newer.id} onChange={(id) => choose({ to: id })} />
      </div>
      <Diff
        before={settingsOf(older)}
        after={settingsOf(newer)}
        labels={[`Version ${older.version}`, `Version ${newer.version}`]}
      />
    </>
  );
}

/** The settings of a version, without its author and time. */
function settingsOf(version: JobVersion): object {
  const {
    id: _,
    project_id: __,
    job_id: ___,
    version: ____,
    created_by: _____,
    created_at: ______,
    $schema: _______,
    ...settings
  } = version as JobVersion & { $schema?: string };
  return settings;
}
