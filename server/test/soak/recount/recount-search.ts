import type { Json } from "../differential/json.ts";
import type { Project } from "../differential/project.ts";
import { readRows } from "./read-rows.ts";
import type { Compared } from "./recount-published.ts";

type Run = {
  id: string;
  status: string;
  job: string;
  payload: Json;
  tags: Record<string, string>;
  concurrency_key: string | null;
  trigger_type: string;
  is_dead: boolean;
  is_child: boolean;
  is_step: boolean;
  is_replay: boolean;
  attempt: number;
  error: { code?: string; message?: string } | null;
};

/** Searches, and what they mean for a run. The values are those of the random sequences. */
const SEARCHES: [search: string, matches: (run: Run) => boolean][] = [
  ['payload_contains={"color":"green"}', ({ payload }) => payload?.color === "green"],
  [
    'payload_contains={"do":"report","color":"grey"}',
    ({ payload }) => payload?.do === "report" && payload.color === "grey",
  ],
  ["tag=customer:ann", ({ tags }) => tags.customer === "ann"],
  ["tag=team", ({ tags }) => tags.team !== undefined],
  ["concurrency_key=x", ({ concurrency_key }) => concurrency_key === "x"],
  ["trigger_type=replay", ({ trigger_type }) => trigger_type === "replay"],
  ["dead_letter=true", ({ is_dead }) => is_dead],
  ["status=failed,canceled", ({ status }) => /^(failed|canceled)$/.test(status)],
  ["status=completed", ({ status }) => status === "completed"],
  ["status=pending,running,waiting,paused", ({ status }) => /^(pending|running|waiting|paused)$/.test(status)],
  ["job_id=job-a", ({ job }) => job === "job-a"],
  ["q=payload.n:3", ({ payload }) => payload?.n === 3],
  ['q=error:"broken"', ({ error }) => /broken/i.test(`${error?.message} ${error?.code}`)],
  ["q=attempts:>1", ({ attempt }) => attempt > 1],
  ["q=is:child", ({ is_child }) => is_child],
  ["q=is:step -status:completed", ({ is_step, status }) => is_step && status !== "completed"],
  ["q=is:replay status:completed", ({ is_replay, status }) => is_replay && status === "completed"],
  [
    "q=job:job-b -tag:team status:completed,failed",
    ({ job, tags, status }) => job === "job-b" && tags.team === undefined && /^(completed|failed)$/.test(status),
  ],
];

/** The lists that searches return, oldest first, and a scan of all runs; and that the index has each run once. */
export async function recountSearch(project: Project): Promise<Compared> {
  const runs = await readRows<Run>(
    project,
    `select r.id::text, r.status, j.slug as job, r.payload, r.tags, r.concurrency_key, r.trigger_type, r.attempt, r.error,
       r.dead_lettered_at is not null as is_dead, r.parent_run_id is not null as is_child,
       r.workflow_run_id is not null as is_step, r.replay_of is not null as is_replay
     from runs r join jobs j on j.project_id = r.project_id and j.id = r.job_id where r.project_id = $1 order by r.id`,
  );
  const indexed = await readRows<{ id: string; status: string }>(
    project,
    `select run_id::text as id, coalesce(ended_status, living_status) as status from unindexed_runs where project_id = $1
     union all select i.id::text, b.status from run_blocks b cross join unnest(b.run_ids) as i(id) where b.project_id = $1
     order by 1`,
  );
  const jobs = await readRows<{ slug: string }>(
    project,
    "select slug from jobs where project_id = $1 and deleted_at is null",
  );
  const isThere = (job: string) => jobs.some(({ slug }) => slug === job);
  // The name of a job that does not exist is refused.
  const searches = SEARCHES.filter(([search]) => (search.match(/job-[abc]/g) ?? []).every(isThere));
  const found = await Promise.all(
    searches.map(async ([search]) => {
      const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(search) ?? [];
      const { status, body } = await project.api.get(
        `/v1/runs?order=asc&limit=100&${name}=${encodeURIComponent(value)}`,
      );
      if (status !== 200) return [search, `${status} ${body?.code}`];
      if (!body.has_more) return [search, body.data.map(({ id }: Json) => id)];
      const all = await project.list(`/v1/runs?order=asc&${name}=${encodeURIComponent(value)}`);
      return [search, all.map(({ id }) => id)];
    }),
  );
  return {
    tables: {
      searches: Object.fromEntries(
        searches.map(([search, matches]) => [search, runs.filter(matches).map(({ id }) => id)]),
      ),
      indexed: runs.map(({ id, status }) => `${id} ${status}`),
    },
    shown: {
      searches: Object.fromEntries(found),
      indexed: indexed.map(({ id, status }) => `${id} ${status}`),
    },
  };
}
