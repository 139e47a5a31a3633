import type { ActiveVersion } from "@millrace/contract/workflows/workflow-versions";
import type { Workflow, WorkflowVersion } from "@millrace/contract/workflows/workflows";
import { useMemo } from "react";
import { type Page, useApi, useApiList } from "../../../api/use-api.ts";
import { Section } from "../../../parts/facts.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { useSearchParams } from "../../../shell/place/place.ts";
import { VersionDiff } from "./version-diff.tsx";
import { VersionRow } from "./version-row.tsx";

/** All versions with their runs in flight, and a comparison of two. */
export function VersionsTab({ workflow }: { workflow: Workflow }) {
  const { rows, error, refetch, hasNextPage, fetchNextPage } = useApiList<WorkflowVersion>(
    `/v1/workflows/${workflow.id}/versions`,
    { order: "desc" },
  );
  if (!rows) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonLines lines={6} />;
  return (
    <div className="flex flex-col gap-6">
      <VersionTable workflow={workflow} rows={rows} />
      {hasNextPage && (
        <Button size="small" onClick={() => void fetchNextPage()}>
          Show older
        </Button>
      )}
      {rows.length > 1 && <Compared workflow={workflow} rows={rows} />}
    </div>
  );
}

type Props = { workflow: Workflow; rows: WorkflowVersion[] };

function VersionTable({ workflow, rows }: Props) {
  const [, change] = useSearchParams();
  const { data } = useApi<Page<ActiveVersion>>(`/v1/workflows/${workflow.id}/active-versions`, { limit: 100 });
  const inFlight = useMemo(() => data && new Map(data.data.map((each) => [each.version_id, each])), [data]);
  const compare = ({ version }: WorkflowVersion) =>
    change({ a: String(version), b: String(workflow.current_version) }, { replace: true });
  return (
    <div className="card overflow-x-auto">
      <table className="w-full min-w-[620px] text-left">
        <thead className="border-b bg-surface text-ink-2 text-xs">
          <tr>
            {["Version", "Steps", "In flight", "Created by", "Created", ""].map((name) => (
              <th key={name} scope="col" className="h-9 px-3 font-medium">
                {name || <span className="sr-only">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((version) => (
            <VersionRow
              key={version.id}
              workflow={workflow}
              version={version}
              active={inFlight && (inFlight.get(version.id) ?? null)}
              onCompare={() => compare(version)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The versions in the URL, otherwise the newest and the one before it. */
function Compared({ workflow, rows }: Props) {
  const [{ a, b }, change] = useSearchParams();
  const byNumber = (number: string | undefined) => rows.find(({ version }) => String(version) === number);
  const to = byNumber(b) ?? rows[0];
  const from = byNumber(a) ?? rows.find(({ version }) => version === (to?.version ?? 0) - 1);
  if (!from || !to) return null;
  return (
    <Section title="Compare versions">
      <div className="flex flex-wrap items-center gap-2">
        <VersionChoice
          label="From version"
          rows={rows}
          value={from.version}
          onChange={(value) => change({ a: value }, { replace: true })}
        />
        <span className="text-ink-3">→</span>
        <VersionChoice
          label="To version"
          rows={rows}
          value={to.version}
          onChange={(value) => change({ b: value }, { replace: true })}
        />
      </div>
      <VersionDiff workflowId={workflow.id} from={from} to={to} />
    </Section>
  );
}

type ChoiceProps = { label: string; rows: WorkflowVersion[]; value: number; onChange: (version: string) => void };

function VersionChoice({ label, rows, value, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      className="field !w-auto"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {rows.map(({ version }) => (
        <option key={version} value={version}>
          Version {version}
        </option>
      ))}
    </select>
  );
}
