import type { Run } from "@millrace/contract/runs/runs";
import { type Page, useApi } from "../../api/use-api.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Section } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { nameIn } from "../name-in.ts";
import { RunState } from "../shared-waits/run-state.tsx";
import { useRunWaits } from "../shared-waits/use-waits.ts";
import { useJobs } from "../use-jobs.ts";

/** Parent, children and replays. */
export function RelatedTab({ run }: { run: Run }) {
  const parent = useApi<Run>(`/v1/runs/${run.parent_run_id}`, {}, run.parent_run_id !== null);
  const original = useApi<Run>(`/v1/runs/${run.replay_of}`, {}, run.replay_of !== null);
  const children = useApi<Page<Run>>(`/v1/runs/${run.id}/children`, { limit: 100 });
  const replays = useApi<Page<Run>>("/v1/runs", { replay_of: run.id, limit: 50 });
  const groups: [string, Run[]][] = [
    ["Replay of", one(original.data)],
    ["Replayed as", replays.data?.data ?? []],
    ["Parent", one(parent.data)],
    ["Children", children.data?.data ?? []],
  ];
  const error = children.error ?? replays.error;
  const isEmpty = children.data && replays.data && groups.every(([, runs]) => runs.length === 0);
  return (
    <div className="flex flex-col gap-5">
      {error && (
        <ErrorState
          error={error}
          as="banner"
          onRetry={() => void Promise.all([children.refetch(), replays.refetch()])}
        />
      )}
      {!error && !(children.data && replays.data) && <SkeletonLines />}
      {isEmpty && (
        <EmptyState
          small
          title="No related runs"
          code={<CodeBlock code={'const child = await ctx.spawn("resize-image", { url });'} />}
        >
          Child runs and replays of this run are listed here.
        </EmptyState>
      )}
      {groups.map(([title, runs]) => runs.length > 0 && <Group key={title} title={title} runs={runs} />)}
    </div>
  );
}

function one(run: Run | undefined): Run[] {
  return run ? [run] : [];
}

function Group({ title, runs }: { title: string; runs: Run[] }) {
  const { at } = usePlace();
  const jobs = useJobs();
  const waits = useRunWaits(runs);
  return (
    <Section title={title}>
      <ul className="card divide-y">
        {runs.map((run) => (
          <li key={run.id} className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1">
            <span className="min-w-28">
              <RunState run={run} wait={waits.get(run.id)} />
            </span>
            <Link
              href={at(`runs/${run.id}`)}
              className="min-w-0 flex-1 truncate font-medium hover:text-accent hover:underline"
            >
              {nameIn(jobs, run.job_id)}
            </Link>
            <Id value={run.id} className="text-ink-2" />
            <Duration from={run.started_at} to={run.finished_at} />
            <Time at={run.created_at} className="text-ink-2" />
          </li>
        ))}
      </ul>
    </Section>
  );
}
