import type { ActiveVersion, VersionImpact } from "@millrace/contract/workflows/workflow-versions";
import type { Workflow, WorkflowVersion } from "@millrace/contract/workflows/workflows";
import { useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Button } from "../../../parts/form/button.tsx";
import { formatCount, plural } from "../../../parts/format.ts";
import { ConfirmDialog } from "../../../parts/overlay/confirm-dialog.tsx";
import { Badge } from "../../../parts/state/badge.tsx";
import { Time } from "../../../parts/time.tsx";

type Props = {
  workflow: Workflow;
  version: WorkflowVersion;
  /** Null: none. Undefined: still loading. */
  active: ActiveVersion | null | undefined;
  onCompare: () => void;
};

export function VersionRow({ workflow, version, active, onCompare }: Props) {
  const isCurrent = version.id === workflow.version_id;
  return (
    <tr className="border-b last:border-0">
      <td className="h-10 whitespace-nowrap px-3">
        <span className="font-mono text-xs">{version.version}</span> {isCurrent && <Badge tone="good">current</Badge>}{" "}
        {version.breaking_change && <Badge tone="warn">breaking</Badge>}
      </td>
      <td className="px-3 font-mono text-xs">{version.steps.length}</td>
      <td className="px-3">
        {active === null ? <span className="text-ink-3">–</span> : active && <InFlight active={active} />}
      </td>
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
            <MakeCurrent workflow={workflow} version={version} />
          </span>
        )}
      </td>
    </tr>
  );
}

function InFlight({ active: { pending, running, paused } }: { active: ActiveVersion }) {
  const parts = [running && `${running} running`, pending && `${pending} pending`, paused && `${paused} paused`];
  return <>{parts.filter(Boolean).join(", ")}</>;
}

function MakeCurrent({ workflow, version: { id, version } }: { workflow: Workflow; version: WorkflowVersion }) {
  const [isConfirming, setConfirming] = useState(false);
  const noWrite = useDisabledReason("workflows:write");
  const activate = useChange<void, Workflow>({
    run: (_, send) => send("POST", `/v1/workflows/${workflow.id}/versions/${id}/activate`),
    done: ({ active_runs_on_previous_version: left }) =>
      `Version ${version} is current${left ? `; ${plural(left, "run stays", "runs stay")} on the previous version` : ""}`,
    invalidates: ["/v1/workflows"],
  });
  return (
    <>
      <Button size="small" disabledReason={noWrite} onClick={() => setConfirming(true)}>
        Make current
      </Button>
      <ConfirmDialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Make version ${version} current?`}
        action="Make current"
        onConfirm={() => activate.mutateAsync()}
      >
        <p>New runs use version {version}. Runs in flight stay on the version they started with.</p>
        {isConfirming && <Impact workflow={workflow} />}
      </ConfirmDialog>
    </>
  );
}

/** Recent runs on the version that is being replaced. */
function Impact({ workflow }: { workflow: Workflow }) {
  const { data } = useApi<VersionImpact>(`/v1/workflows/${workflow.id}/versions/${workflow.version_id}/impact`);
  if (!data) return null;
  return (
    <p>
      Of the newest {plural(data.sampled_runs, "run")}, {formatCount(data.matching_runs)} used version{" "}
      {workflow.current_version}; {formatCount(data.active_matching_runs)} of them are still in flight.
    </p>
  );
}
