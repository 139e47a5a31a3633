import type { ActiveVersion, VersionImpact } from "@millrace/contract/workflow-versions";
import type { Workflow, WorkflowVersion } from "@millrace/contract/workflows";
import { useMemo, useState } from "react";
import { useRefusal } from "../../api/me.ts";
import { type Page, useApi, useApiList, useChange } from "../../api/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Section } from "../../parts/facts.tsx";
import { formatCount, plural } from "../../parts/format.ts";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useSearchParams } from "../../shell/place.ts";
import { VersionDiff } from "./version-diff.tsx";

/** Every version that ever was, with the runs in flight on it; two of them beside each other. */
export function VersionsTab({ workflow }: { workflow: Workflow }) {
  const [{ a, b }, change] = useSearchParams();
  const path = `/v1/workflows/${workflow.id}`;
  const { rows, error, refetch, hasNextPage, fetchNextPage } = useApiList<WorkflowVersion>(`${path}/versions`, {
    order: "desc",
  });
  const { data: active } = useApi<Page<ActiveVersion>>(`${path}/active-versions`, { limit: 100 });
  const inFlight = useMemo(() => new Map(active?.data.map((each) => [each.version_id, each])), [active]);
  if (!rows) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonLines lines={6} />;
  const byNumber = (number: string | undefined) => rows.find(({ version }) => String(version) === number);
  const to = byNumber(b) ?? rows[0];
  const from = byNumber(a) ?? rows.find(({ version }) => version === (to?.version ?? 0) - 1);
  return (
    <div className="flex flex-col gap-6">
      <div className="card overflow-x-auto">
        <table className="w-full min-w-[620px] text-left">
          <thead className="border-b bg-surface text-ink-2 text-xs">
            <tr>
              {["Version", "Steps", "In flight", "Made by", "Made", ""].map((name) => (
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
                active={inFlight.get(version.id)}
                onCompare={() =>
                  change({ a: String(version.version), b: String(workflow.current_version) }, { replace: true })
                }
              />
            ))}
          </tbody>
        </table>
      </div>
      {hasNextPage && (
        <Button size="small" onClick={() => void fetchNextPage()}>
          Show older
        </Button>
      )}
      {rows.length > 1 && from && to && (
        <Section title="Compare two versions">
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
      )}
    </div>
  );
}

type RowProps = {
  workflow: Workflow;
  version: WorkflowVersion;
  active: ActiveVersion | undefined;
  onCompare: () => void;
};

function VersionRow({ workflow, version, active, onCompare }: RowProps) {
  const [isAsked, setAsked] = useState(false);
  const noWrite = useRefusal("workflows:write");
  const isCurrent = version.id === workflow.version_id;
  const activate = useChange<void, Workflow>({
    run: (_, send) => send("POST", `/v1/workflows/${workflow.id}/versions/${version.id}/activate`),
    done: ({ active_runs_on_previous_version: left }) =>
      `Version ${version.version} is current${left ? `; ${plural(left, "run")} stay on the one before` : ""}`,
    outdates: ["/v1/workflows"],
  });
  return (
    <tr className="border-b last:border-0">
      <td className="h-10 whitespace-nowrap px-3">
        <span className="font-mono text-xs">{version.version}</span> {isCurrent && <Badge tone="good">current</Badge>}{" "}
        {version.breaking_change && <Badge tone="warn">breaking</Badge>}
      </td>
      <td className="px-3 font-mono text-xs">{version.steps.length}</td>
      <td className="px-3">{active ? <InFlight active={active} /> : <span className="text-ink-3">–</span>}</td>
      <td className="max-w-48 truncate px-3">{version.created_by}</td>
      <td className="px-3 text-ink-2">
        <Time at={version.created_at} />
      </td>
      <td className="whitespace-nowrap px-3 text-right">
        {!isCurrent && (
          <span className="inline-flex gap-2">
            <Button size="small" onClick={onCompare}>
              Compare
            </Button>
            <Button size="small" refusal={noWrite} onClick={() => setAsked(true)}>
              Make current
            </Button>
          </span>
        )}
        <ConfirmDialog
          open={isAsked}
          onClose={() => setAsked(false)}
          title={`Make version ${version.version} current?`}
          action="Make current"
          onConfirm={() => activate.mutateAsync()}
        >
          <p>
            New runs take version {version.version} from now on. Runs in flight stay on the version they were started
            with.
          </p>
          {isAsked && <Impact workflow={workflow} />}
        </ConfirmDialog>
      </td>
    </tr>
  );
}

/** How much of what the workflow does just now is on the version that is left. */
function Impact({ workflow }: { workflow: Workflow }) {
  const { data } = useApi<VersionImpact>(`/v1/workflows/${workflow.id}/versions/${workflow.version_id}/impact`);
  if (!data) return null;
  return (
    <p>
      Of the newest {plural(data.sampled_runs, "run")}, {formatCount(data.matching_runs)} took version{" "}
      {workflow.current_version}; {formatCount(data.active_matching_runs)} of them have not ended.
    </p>
  );
}

function InFlight({ active: { pending, running, paused } }: { active: ActiveVersion }) {
  const parts = [running && `${running} running`, pending && `${pending} pending`, paused && `${paused} paused`];
  return <>{parts.filter(Boolean).join(", ")}</>;
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
