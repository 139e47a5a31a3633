import { FilterX, Pause, Play, Workflow as WorkflowIcon } from "lucide-react";
import { useState } from "react";
import { withQuery } from "../../api/call.ts";
import { useLiveState } from "../../live/use-live.ts";
import { AsCode } from "../../parts/as-code.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { LiveDot } from "../../parts/live-dot.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { TimeRange } from "../../parts/time-range.tsx";
import { useShortcut } from "../../parts/use-shortcut.ts";
import { useCommands } from "../../shell/commands.ts";
import { useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { useWorkflowRunFilter, useWorkflowRuns, type WorkflowRunFilter } from "../of-workflows/use-workflow-runs.ts";
import { useWorkflows } from "../of-workflows/use-workflows.ts";
import { WorkflowRunTable } from "../of-workflows/workflow-run-table.tsx";

const PRESETS = [
  { id: "all", label: "All", status: "" },
  { id: "live", label: "In flight", status: "pending,running" },
  { id: "attention", label: "Needs attention", status: "failed,timed_out" },
  { id: "paused", label: "Paused", status: "paused" },
  { id: "completed", label: "Completed", status: "completed" },
];

/** Every workflow run of the project, newest first. */
export default function WorkflowRunsPage() {
  const [{ status, workflow, tag, since }, change] = useSearchParams();
  const [isPaused, setPaused] = useState(false);
  const state = useLiveState();
  const filter = useWorkflowRunFilter({ status, workflow, tag, since });
  const list = useWorkflowRuns(filter, isPaused);
  const isFiltered = [status, workflow, tag, since].some((each) => each !== undefined);
  const clear = () => change({ status: undefined, workflow: undefined, tag: undefined, since: undefined });
  useShortcut(".", () => setPaused(!isPaused));
  useCommands(
    PRESETS.map((preset) => ({
      label: `Workflow runs: ${preset.label.toLowerCase()}`,
      run: () => change({ status: preset.status }),
    })),
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Workflow runs"
        actions={
          <>
            <span className="max-sm:hidden">
              <LiveDot state={isPaused ? "paused" : state} />
            </span>
            <IconButton
              label={isPaused ? "Go on live" : "Pause live"}
              keys="."
              pressed={isPaused}
              icon={isPaused ? <Play size={15} /> : <Pause size={15} />}
              onClick={() => setPaused(!isPaused)}
            />
            <AsCode code={codeOfList(filter)} about="These workflow runs" />
          </>
        }
      >
        <Filters />
      </PageHeader>
      <WorkflowRunTable list={list} empty={isFiltered ? <NoMatch onClear={clear} /> : <NoneEver />} />
    </div>
  );
}

function Filters() {
  const [{ status = "", workflow, tag, since }, change] = useSearchParams();
  const workflows = useWorkflows();
  return (
    <div className="flex flex-wrap items-center gap-2 pb-3">
      <div className="flex min-w-0 max-w-full overflow-x-auto">
        <Segments
          label="Presets"
          value={PRESETS.find((preset) => preset.status === status)?.id ?? ""}
          options={PRESETS.map(({ id, label }) => ({ id, label }))}
          onChange={(id) => change({ status: PRESETS.find((preset) => preset.id === id)?.status })}
        />
      </div>
      <select
        aria-label="Workflow"
        className="field !w-auto max-w-56"
        value={workflow ?? ""}
        onChange={(event) => change({ workflow: event.target.value })}
      >
        <option value="">All workflows</option>
        {[...workflows.values()].map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <input
        key={tag}
        aria-label="Tag"
        placeholder="tag or tag:value"
        className="field !w-40 max-sm:!w-32"
        defaultValue={tag ?? ""}
        spellCheck={false}
        onBlur={(event) => event.target.value.trim() !== (tag ?? "") && change({ tag: event.target.value.trim() })}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
      />
      <TimeRange value={since} allTime onChange={(range) => change({ since: range })} />
    </div>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<FilterX size={20} />}
      title="No workflow run fits this filter"
      action={
        <Button size="small" onClick={onClear}>
          Show all
        </Button>
      }
    >
      Each part of it must hold. Take one away to see more.
    </EmptyState>
  );
}

function NoneEver() {
  const code = `curl -s ${location.origin}/v1/workflows/my-workflow/trigger \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"payload": {"order": {"id": 7}}}'`;
  return (
    <EmptyState
      icon={<WorkflowIcon size={20} />}
      title="No workflow runs here yet"
      code={<CodeBlock title="Trigger a workflow" code={code} />}
    >
      A workflow run takes the steps of a workflow in their order. Trigger one, and it appears here at once.
    </EmptyState>
  );
}

function codeOfList(filter: WorkflowRunFilter) {
  const flags = [
    filter.status && `--status ${filter.status}`,
    filter.workflow_id && `--workflow ${filter.workflow_id}`,
  ];
  return codeOf(
    { method: "GET", path: withQuery("/v1/workflow-runs", { ...filter, limit: 50 }) },
    {
      cli: ["millrace workflow-runs list", ...flags].filter(Boolean).join(" "),
      typescript: `for await (const run of millrace.workflowRuns.list(${JSON.stringify(filter)})) {\n  console.log(run.id, run.status);\n}`,
    },
  );
}
