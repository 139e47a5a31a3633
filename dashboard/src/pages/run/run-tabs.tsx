import type { Job, JobVersion } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { Json } from "../../parts/code/json.tsx";
import { type Tab, Tabs } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { RunLogs } from "../shared-runs/run-logs.tsx";
import type { Traced } from "../shared-trace/trace-items.ts";
import { CheckpointsTab } from "./checkpoints-tab.tsx";
import { DependenciesTab } from "./dependencies-tab.tsx";
import { OutputTab } from "./output-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { RelatedTab } from "./related-tab.tsx";
import { ToolCallsTab } from "./tool-calls-tab.tsx";
import { UsageTab } from "./usage-tab.tsx";
import { useTabCounts } from "./use-tab-counts.ts";

type Props = { run: Run; job: Job | undefined; version: Job | JobVersion | undefined; trace: Traced | undefined };

/** Details of a run. The URL keeps the open tab. Tabs without content are left out, unless the URL names one. */
export function RunTabs({ run, job, version, trace }: Props) {
  const counts = useTabCounts(run, trace);
  const [{ tab = "overview", log = "", level = "debug", line }, change] = useSearchParams();
  const tabs: Tab[] = [
    { id: "overview", label: "Overview", content: <OverviewTab run={run} job={job} version={version} /> },
    {
      id: "logs",
      label: "Logs",
      content: (
        <RunLogs
          runId={run.id}
          filter={{ q: log, min: level }}
          onFilter={({ q, min }) => change({ log: q, level: min === "debug" ? undefined : min }, { replace: true })}
          line={line}
          onLine={(id) => change({ line: id }, { replace: true })}
        />
      ),
    },
    { id: "payload", label: "Payload", content: <Json value={run.payload} open={4} /> },
    { id: "output", label: "Output", content: <OutputTab run={run} /> },
    { id: "checkpoints", label: "Checkpoints", content: <CheckpointsTab run={run} /> },
    { id: "tools", label: "Tool calls", content: <ToolCallsTab run={run} /> },
    { id: "usage", label: "Usage & cost", content: <UsageTab run={run} /> },
    { id: "dependencies", label: "Dependencies", content: <DependenciesTab run={run} /> },
    { id: "related", label: "Related", content: <RelatedTab run={run} /> },
    { id: "raw", label: "Raw", content: <Json value={run} open={1} /> },
  ];
  const shown = tabs
    .filter(({ id }) => id === tab || !(id in counts) || (counts[id] ?? 0) > 0)
    .map((each): Tab => ({ ...each, count: counts[each.id] || undefined }));
  return <Tabs label="Run sections" tabs={shown} value={tab} onChange={(id) => change({ tab: id })} />;
}
