import { sequenceChanges } from "../../../platform/changelog/sequence-changes.ts";
import type { Ctx } from "../../../platform/context.ts";
import { listFromPostgres } from "../../../platform/database/postgres-types.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { ClaimedDrain, DrainCursor } from "../claim-drains.ts";
import { LAST_ID, type Placed, type Unsent } from "../signal.ts";
import { type EndedRun, readEndedRuns, readEndedWorkflowRuns } from "./read-ended.ts";
import { runForm } from "./run-form.ts";
import { runSpans, workflowSpans } from "./spans.ts";
import { type UnwrittenSpans, unwritten } from "./unwritten-spans.ts";

/** The spans of a run or workflow run that has ended. */
export type Trace = Placed & { spans: UnwrittenSpans };

/**
 * Changes per reading. A drain that fell far behind and wants few of them catches up in larger steps. A row of the
 * changelog is never divided, so there may be more.
 */
const MAX_CHANGES = 4_000;
const MAX_SCANNED = 20_000;

/** The next traces of a drain in the order of the changelog. */
export async function readTraces(ctx: Ctx, drain: ClaimedDrain): Promise<Unsent<Trace>> {
  await sequenceChanges(ctx);
  const few = await readAmong(ctx, drain, MAX_CHANGES);
  return few.records.length === 0 && few.end?.is_all === false ? readAmong(ctx, drain, MAX_SCANNED) : few;
}

async function readAmong(ctx: Ctx, drain: ClaimedDrain, max: number): Promise<Unsent<Trace>> {
  const { rows, end } = await scan(ctx, drain, max);
  const times = new Map(rows.map(({ position, created_at }) => [position, created_at]));
  const positions = (kind: Row["kind"]) =>
    rows.filter((row) => row.kind === kind && !isPlain(row)).map((row) => row.position);
  const [runs, workflowRuns] = await Promise.all([
    readEndedRuns(ctx, drain, positions("run")),
    readEndedWorkflowRuns(ctx, drain, positions("workflow_run")),
  ]);
  const place = ({ position, id }: Pick<Placed, "position" | "id">) => ({
    ...{ position, id, created_at: times.get(position) ?? "" },
  });
  const forms = openForms();
  const traces = [
    ...rows.flatMap((row) => (isPlain(row) && isWanted(row, drain) ? plainTraces(row, forms) : [])),
    ...runs.map((run) => ({ ...place(run), spans: unwritten(runSpans(run)) })),
    ...workflowRuns.map((run) => ({ ...place(run), spans: unwritten(workflowSpans(run)) })),
  ];
  const isUnsent = ({ position, id }: Trace) => position > drain.position || id > drain.after_id;
  return { records: traces.filter(isUnsent).sort(byPlace), end };
}

function byPlace(one: Trace, other: Trace): number {
  return one.position - other.position || (one.id < other.id ? -1 : 1);
}

/** The lists as PostgreSQL writes them. */
type Plain = { ids: string[]; wall_ms: string; waited_ms: string; http_statuses: string } & Pick<
  EndedRun,
  "job_id" | "job_slug" | "environment_id" | "trigger_type"
>;
type Row = { position: number; kind: "run" | "workflow_run"; created_at: string; total: number } & (
  | Plain
  | { [field in keyof Plain]: null }
);

/**
 * The rows of the changelog in which something may have ended. Where all spans follow from the row (`http_statuses`), with
 * its lists and what its runs have in common, read from one of them.
 */
async function scan(ctx: Ctx, drain: ClaimedDrain, max: number) {
  const { rows } = await sql<Row & { head: number }>`
    /* prepared */
    select h.position as head, c.position, c.kind, c.created_at, c.total::int as total, r.*
    from changelog_head h left join (
      select c.*, sum(cardinality(c.ids)) over (order by c.position) as total from (
        select c.position, c.kind, c.created_at, c.ids, c.wall_ms, c.waited_ms, c.http_statuses from changelog c
        where c.project_id = ${drain.project_id} and c.position >= (select ${drain.position}::bigint)
          and c.kind in ('run', 'workflow_run')
          and (c.kind = 'workflow_run' or c.to_statuses && array['completed', 'failed', 'timed_out', 'canceled'])
        order by c.position limit (select ${max}::int)
      ) c
    ) c on c.total - cardinality(c.ids) < ${max}::int
    left join lateral (
      select c.ids, c.wall_ms::text as wall_ms, c.waited_ms::text as waited_ms, c.http_statuses::text as http_statuses,
        r.job_id, j.slug as job_slug, r.environment_id, r.trigger_type
      from runs r join jobs j on j.project_id = r.project_id and j.id = r.job_id
      where c.http_statuses is not null and r.project_id = ${drain.project_id} and r.id = c.ids[1] offset 0
    ) r on true
    order by c.position`.execute(ctx.db);
  const found = rows.filter((row) => row.position !== null);
  const last = found.at(-1);
  const is_all = !last || last.total < max;
  const end: DrainCursor = { position: (is_all ? rows[0]?.head : last.position) ?? drain.position, after_id: LAST_ID };
  return { rows: found, end: { ...end, is_all } };
}

function isPlain(row: Row): row is Row & Plain {
  return row.ids !== null;
}

function isWanted(row: Plain, { job_ids, environment_id }: ClaimedDrain): boolean {
  return (
    (job_ids === null || job_ids.includes(row.job_id)) &&
    (environment_id === null || environment_id === row.environment_id)
  );
}

function plainTraces(row: Row & Plain, forms: Forms): Trace[] {
  const { position, created_at, ids } = row;
  const finished_ms = Date.parse(created_at);
  const [walls, waits, statuses] = [row.wall_ms, row.waited_ms, row.http_statuses].map(listFromPostgres);
  const formOf = forms(row);
  return ids.map((id, nth) => {
    const started_ms = finished_ms - Number(walls?.[nth]);
    const own = { id, began_ms: started_ms - Number(waits?.[nth]), started_ms, finished_ms };
    return { position, id, created_at, spans: formOf(statuses?.[nth] ?? null)(own) };
  });
}

type Forms = ReturnType<typeof openForms>;

/** A form for the runs of each job, environment, kind of trigger and response. */
function openForms() {
  const forms = new Map<string, Map<string | null, ReturnType<typeof runForm>>>();
  return (row: Plain) => {
    const key = `${row.job_id} ${row.environment_id} ${row.trigger_type}`;
    const ofRow = forms.get(key) ?? new Map<string | null, ReturnType<typeof runForm>>();
    forms.set(key, ofRow);
    return (status: string | null) => {
      const form = ofRow.get(status) ?? runForm(plainRun(row, status === null ? null : Number(status)));
      ofRow.set(status, form);
      return form;
    };
  };
}

function plainRun({ job_id, job_slug, environment_id, trigger_type }: Plain, http_status: number | null): EndedRun {
  const own = { job_id, job_slug, environment_id, trigger_type, http_status };
  const filledIn = { id: "", began_ms: 0, started_ms: 0, finished_ms: 0 };
  const without = { error: null, traceparent: null, workflow_run_id: null, step_ref: null, parent_run_id: null };
  return { ...own, ...filledIn, ...without, status: "completed", attempt: 1, attempts: null };
}
