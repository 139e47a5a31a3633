import { FilterX, Workflow as WorkflowIcon } from "lucide-react";
import { useState } from "react";
import { withQuery } from "../../api/call.ts";
import { LiveSwitch } from "../../live/live-switch.tsx";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { TimeRange } from "../../parts/filter/time-range.tsx";
import { Button } from "../../parts/form/button.tsx";
import { shortId } from "../../parts/id.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { SavedViews } from "../shared-views/saved-views.tsx";
import { useWorkflowRunRows } from "../shared-workflows/use-workflow-run-rows.ts";
import {
  useWorkflowRunFilter,
  useWorkflowRuns,
  type WorkflowRunFilter,
} from "../shared-workflows/use-workflow-runs.ts";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";

const PRESETS = [
  { id: "all", label: "All", status: "" },
  { id: "live", label: "Open", status: "pending,running" },
  { id: "attention", label: "Needs attention", status: "failed,timed_out" },
  { id: "paused", label: "Paused", status: "paused" },
  { id: "completed", label: "Completed", status: "completed" },
];

const VIEW = ["status", "workflow", "tag", "since"];

/** All workflow runs of the project, newest first. */
export default function WorkflowRunsPage() {
  const [{ status, workflow, tag, since }, change] = useSearchParams();
  const [isPaused, setPaused] = useState(false);
  const filter = useWorkflowRunFilter({ status, workflow, tag, since });
  const list = useWorkflowRuns(filter, isPaused);
  const table = useWorkflowRunRows(list.rows);
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
    <ListPage
      {...table}
      title="Workflow runs"
      actions={
        <>
          <LiveSwitch isPaused={isPaused} onPause={setPaused} />
          <SavedViews resource="workflow_runs" names={VIEW} />
          <AsCode code={codeOfList(filter)} about="Workflow runs" />
        </>
      }
      toolbar={<Filters />}
      list={list}
      empty={isFiltered ? <NoMatch onClear={clear} /> : <NoneEver />}
    />
  );
}

function Filters() {
  const [{ status = "", workflow, tag, since }, change] = useSearchParams();
  const workflows = [...(useWorkflows()?.values() ?? [])];
  const isUnknown = workflow !== undefined && !workflows.some(({ id }) => id === workflow);
  return (
    <>
      <Segments
        label="Presets"
        value={PRESETS.find((preset) => preset.status === status)?.id ?? ""}
        options={PRESETS.map(({ id, label }) => ({ id, label }))}
        onChange={(id) => change({ status: PRESETS.find((preset) => preset.id === id)?.status })}
      />
      <select
        aria-label="Workflow"
        className="field !w-auto max-w-56"
        value={workflow ?? ""}
        onChange={(event) => change({ workflow: event.target.value })}
      >
        <option value="">All workflows</option>
        {isUnknown && <option value={workflow}>{shortId(workflow)}</option>}
        {workflows.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <input
        key={tag}
        aria-label="Tag"
        placeholder="tag or tag:value"
        className="field !w-40 max-sm:!w-auto max-sm:min-w-40 max-sm:flex-1"
        defaultValue={tag ?? ""}
        spellCheck={false}
        onBlur={(event) => event.target.value.trim() !== (tag ?? "") && change({ tag: event.target.value.trim() })}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
      />
      <TimeRange value={since} allTime onChange={(range) => change({ since: range })} />
    </>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<FilterX size={20} />}
      title="No workflow runs match this filter"
      action={
        <Button size="small" onClick={onClear}>
          Show all
        </Button>
      }
    >
      A workflow run must match every condition. Remove one to see more.
    </EmptyState>
  );
}

function NoneEver() {
  const code = `curl -s ${location.origin}/v1/workflows/my-workflow/trigger \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"payload": {"order": {"id": 7}}}'`;
  return (
    <EmptyState
      icon={<WorkflowIcon size={20} />}
      title="No workflow runs yet"
      code={<CodeBlock title="Trigger a workflow" code={code} />}
    >
      A workflow run is one execution of a workflow. Trigger a workflow and its run appears here.
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
