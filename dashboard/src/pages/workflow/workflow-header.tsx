import type { Workflow } from "@millrace/contract/workflows/workflows";
import { Pause, Play } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Id } from "../../parts/id.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { TagList } from "../../parts/tag-list.tsx";
import { Time } from "../../parts/time.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { codeOf } from "../code-of.ts";
import { TriggerWorkflow } from "./trigger-workflow.tsx";

export function WorkflowHeader({ workflow }: { workflow: Workflow }) {
  const [isTriggering, setTriggering] = useState(false);
  const noScope = useDisabledReason("workflows:trigger");
  const noWrite = useDisabledReason("workflows:write");
  const noTrigger = noScope ?? (workflow.enabled ? undefined : "The workflow is disabled.");
  const toggle = useChange<boolean>({
    run: (enabled, send) => send("PATCH", `/v1/workflows/${workflow.id}`, { enabled }),
    done: (_, enabled) => (enabled ? "Workflow enabled" : "Workflow disabled"),
    undo: (enabled) => !enabled,
    invalidates: ["/v1/workflows"],
  });
  const verb = workflow.enabled ? "Disable" : "Enable";
  useShortcut("n r", () => noTrigger ?? setTriggering(true));
  useShortcut("p", () => noWrite ?? toggle.mutate(!workflow.enabled));
  useCommands([
    { label: "Trigger workflow", keys: "n r", run: () => noTrigger ?? setTriggering(true) },
    { label: `${verb} workflow`, keys: "p", run: () => noWrite ?? toggle.mutate(!workflow.enabled) },
  ]);
  const path = `/v1/workflows/${workflow.slug}`;
  const code = codeOf(
    { method: "POST", path: `${path}/trigger`, body: { payload: {} } },
    { typescript: `const run = await millrace.workflows.trigger("${workflow.slug}", {});\nconsole.log(run.id);` },
  );
  return (
    <PageHeader
      lead={<StatusMark status={workflow.enabled ? "active" : "disabled"} as="badge" />}
      title={workflow.name}
      count={<Id value={workflow.id} head={8} tail={12} />}
      actions={
        <>
          <AsCode code={code} about="Workflow" />
          <Button
            icon={workflow.enabled ? <Pause size={14} /> : <Play size={14} />}
            disabledReason={noWrite}
            busy={toggle.isPending}
            onClick={() => toggle.mutate(!workflow.enabled)}
          >
            {verb}
          </Button>
          <Button
            kind="primary"
            icon={<Play size={14} />}
            disabledReason={noTrigger}
            onClick={() => setTriggering(true)}
          >
            Trigger
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-2">
        <code className="font-mono text-xs">{workflow.slug}</code>
        <Badge>
          version {workflow.current_version}
          {workflow.version !== workflow.current_version && `, latest ${workflow.version}`}
        </Badge>
        {workflow.cron && <Badge mono>{`${workflow.cron} ${workflow.timezone}`}</Badge>}
        {Object.keys(workflow.tags).length > 0 && <TagList tags={workflow.tags} />}
        <span className="text-xs">
          updated <Time at={workflow.updated_at} />
        </span>
        {workflow.description && <p className="basis-full">{workflow.description}</p>}
      </div>
      {isTriggering && <TriggerWorkflow workflow={workflow} onClose={() => setTriggering(false)} />}
    </PageHeader>
  );
}
