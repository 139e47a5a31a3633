import type { Job, JobVersion } from "@millrace/contract/jobs/jobs";
import { triesOf } from "@millrace/contract/jobs/tries";
import type { Run } from "@millrace/contract/runs/runs";
import type { ReactNode } from "react";
import { Progress } from "../../parts/chart/progress.tsx";
import { AsCode } from "../../parts/code/as-code.tsx";
import { formatMoney } from "../../parts/format.ts";
import { hostOf } from "../../parts/host-of.ts";
import { Id, shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { TagList } from "../../parts/tag-list.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { StartedBy } from "../shared-runs/started-by.tsx";
import { RunState } from "../shared-waits/run-state.tsx";
import { useDownHosts } from "../shared-waits/use-down-hosts.ts";
import { useWaits } from "../shared-waits/use-waits.ts";
import { RunActions } from "./run-actions.tsx";

type Props = { run: Run; job: Job | undefined; version: Job | JobVersion | undefined };

export function RunHeader({ run, job, version }: Props) {
  const { at } = usePlace();
  const wait = useWaits("job_run_id", run.status === "waiting" ? [run.id] : []).get(run.id);
  const downSince = useDownHosts(run.status === "pending").get(hostOf(job?.endpoint_url ?? ""));
  const code = codeOf(
    { method: "GET", path: `/v1/runs/${run.id}` },
    { cli: `millrace runs get ${run.id}`, typescript: `const run = await millrace.runs.get("${run.id}");` },
  );
  return (
    <PageHeader
      lead={
        <>
          <RunState run={run} wait={wait} downSince={downSince} as="badge" />
          {run.dead_lettered_at && <StatusMark status="dead_lettered" label="Dead letter" as="badge" />}
        </>
      }
      title={
        <Link href={at(`jobs/${run.job_id}`)} className="hover:text-accent">
          {job?.name ?? "Run"}
        </Link>
      }
      count={<Id value={run.id} head={8} tail={12} />}
      actions={
        <>
          <AsCode code={code} about="Run" />
          <RunActions run={run} job={job} />
        </>
      }
    >
      <div className="flex flex-col gap-3 pb-1">
        <RunFacts run={run} version={version} />
        {run.progress && run.progress.percent !== null && run.finished_at === null && (
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Progress label="Progress" value={run.progress.percent} className="max-w-80 max-sm:max-w-64" />
            <span className="flex-none font-mono text-xs">{Math.round(run.progress.percent)}%</span>
            <span className="min-w-0 text-ink-2 max-sm:basis-full sm:truncate">{run.progress.message}</span>
          </div>
        )}
      </div>
    </PageHeader>
  );
}

function RunFacts({ run, version }: Omit<Props, "job">) {
  const { at } = usePlace();
  const facts: [string, ReactNode][] = [
    ["Version", version?.version ?? "–"],
    ["Trigger", <StartedBy key="t" run={run} />],
    ["Attempts", `${triesOf(run)} of ${run.max_attempts}`],
    ["Created", <Time key="c" at={run.created_at} />],
    ["Duration", <Duration key="d" from={run.started_at} to={run.finished_at} />],
  ];
  if (run.cost_microusd > 0)
    facts.push([
      "Cost",
      <span key="m" className="font-mono text-xs">
        {formatMoney(run.cost_microusd)}
      </span>,
    ]);
  if (run.concurrency_key)
    facts.push([
      "Concurrency key",
      <code key="k" className="font-mono text-xs">
        {run.concurrency_key}
      </code>,
    ]);
  if (run.batch_id)
    facts.push(["Batch", <RefLink key="b" href={at(`batch-operations/${run.batch_id}`)} id={run.batch_id} />]);
  if (run.workflow_run_id)
    facts.push([
      "Workflow run",
      <RefLink key="w" href={at(`workflow-runs/${run.workflow_run_id}`)} id={run.workflow_run_id} />,
    ]);
  if (Object.keys(run.tags).length > 0) facts.push(["Tags", <TagList key="t" tags={run.tags} />]);
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2">
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-w-0 flex-col">
          <dt className="text-ink-3 text-xs">{name}</dt>
          <dd className="min-w-0 truncate">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function RefLink({ href, id }: { href: string; id: string }) {
  return (
    <Link href={href} className="font-mono text-accent text-xs hover:underline" title={id}>
      {shortId(id)}
    </Link>
  );
}
