import { Sql, sql } from "../../../platform/database/sql.ts";
import { JSON_SEPARATOR } from "../json-separator.ts";
import type { NewRun } from "./new-run.ts";

/** The columns that the runs of a batch usually share, with their types. */
const COLUMNS = {
  is_budgeted: "boolean",
  is_over_budget: "boolean",
  project_id: "uuid",
  job_id: "uuid",
  job_version_id: "uuid",
  job_revision: "int",
  environment_id: "uuid",
  host: "text",
  is_job_paused: "boolean",
  max_attempts: "int",
  timeout_secs: "int",
  heartbeat_timeout_secs: "int",
  priority: "int",
  metadata: "jsonb",
  tags: "jsonb",
  debounce_key: "text",
  run_ttl_secs: "int",
  batch_id: "uuid",
  created_by_id: "text",
  trigger_type: "text",
  parent_run_id: "uuid",
  spawn_depth: "int",
  replay_of: "uuid",
  schedule_id: "uuid",
  awaited_by: "uuid",
  scheduled_at: "timestamptz(3)",
  delay_secs: "float8",
} as const satisfies Partial<Record<keyof NewRun, string>>;

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

type BatchColumns = Pick<NewRun, keyof typeof COLUMNS> & {
  batch_created_by: string | null;
  is_chosen: boolean;
  columns_no: number;
};

/** The columns in which runs of a batch may differ, with their types. Most runs have none of them. */
const RUN_COLUMNS = {
  concurrency_key: "text",
  idempotency_key: "text",
  dedup_hash: "text",
  workflow_run_id: "uuid",
  step_ref: "text",
  step_generation: "int",
  parent_outputs: "jsonb",
  open_dependencies: "int",
  traceparent: "text",
} as const satisfies Partial<Record<keyof NewRun, string>>;

const RUN_TYPES = Object.entries(RUN_COLUMNS);
const RUN_COLUMN_TYPES = sql.raw(RUN_TYPES.map(([name, type]) => `${name} ${type}`).join(", "));
const NO_RUN_COLUMNS = sql.raw(RUN_TYPES.map(([name, type]) => `null::${type} as ${name}`).join(", "));
/** Of `runRows`. */
export const OWN_COLUMNS = sql.raw(
  ["id", "payload", ...Object.keys(RUN_COLUMNS)].map((name) => `o.${name}`).join(", "),
);

export const BATCH_COLUMNS = sql.raw(
  `columns_no int, is_chosen boolean, batch_created_by text, ${NAMES.map((name) => `${name} ${COLUMNS[name]}`).join(", ")}`,
);

/** All columns of runs that share them, as parameters with their names: a row to select. */
export function uniformColumns(run: NewRun): Sql {
  const values = NAMES.map((name) => (COLUMNS[name] === "jsonb" ? JSON.stringify(run[name]) : (run[name] ?? null)));
  return sql`${new Sql(PARAMETER_TEXTS, values)}, ${run.created_by}::text as created_by, ${NO_RUN_COLUMNS}`;
}

const PARAMETER_TEXTS = [
  "",
  ...NAMES.map((name, at) => `::${COLUMNS[name]} as ${name}${at < NAMES.length - 1 ? ", " : ""}`),
];

/**
 * Splits the columns of new runs: the batch columns, which most runs of a batch share, are sent once, and the run
 * columns of each run name them by number. `ids`: the runs chosen to be created running.
 */
export function splitBatchColumns(newRuns: readonly NewRun[], ids: ReadonlySet<string>) {
  const columnsNos = new Map<string, number>();
  const batchColumns: BatchColumns[] = [];
  let last: { run: NewRun; columns_no: number } | undefined;

  function columnsNoOf(run: NewRun): number {
    const is_chosen = ids.has(run.id);
    // Runs of one job follow one another, and share the job's objects by identity.
    if (last && batchColumns[last.columns_no]?.is_chosen === is_chosen && haveSameColumns(last.run, run))
      return last.columns_no;
    const rest = { ...pickBatchColumns(run), batch_created_by: batchCreatedBy(run), is_chosen };
    const text = JSON.stringify(rest);
    const columns_no = columnsNos.get(text) ?? batchColumns.push({ ...rest, columns_no: batchColumns.length }) - 1;
    columnsNos.set(text, columns_no);
    last = { run, columns_no };
    return columns_no;
  }
  return { runColumns: newRuns.map((run) => runColumnsOf(run, columnsNoOf(run))), batchColumns };
}

type RunRow = ReturnType<typeof runColumnsOf>;

/** Omits nulls: they would be read for nothing. */
function runColumnsOf(run: NewRun, columns_no: number) {
  return {
    columns_no,
    id: run.id,
    payload: run.payload,
    concurrency_key: run.concurrency_key ?? undefined,
    idempotency_key: run.idempotency_key ?? undefined,
    dedup_hash: run.dedup_hash ?? undefined,
    workflow_run_id: run.workflow_run_id ?? undefined,
    step_ref: run.step_ref ?? undefined,
    step_generation: run.step_generation ?? undefined,
    parent_outputs: run.parent_outputs ?? undefined,
    open_dependencies: run.open_dependencies || undefined,
    traceparent: run.traceparent ?? undefined,
  };
}

function pickBatchColumns(run: NewRun): Pick<NewRun, keyof typeof COLUMNS> {
  return Object.fromEntries(NAMES.map((name) => [name, run[name]])) as Pick<NewRun, keyof typeof COLUMNS>;
}

/** Column by column, those that differ most first: a loop over names took longer than the rest of the split. */
export function haveSameColumns(one: NewRun, other: NewRun): boolean {
  return hasSameJob(one, other) && hasSameTrigger(one, other) && batchCreatedBy(one) === batchCreatedBy(other);
}

function hasSameJob(one: NewRun, other: NewRun): boolean {
  return (
    one.job_id === other.job_id &&
    one.job_revision === other.job_revision &&
    one.job_version_id === other.job_version_id &&
    one.project_id === other.project_id &&
    one.environment_id === other.environment_id &&
    one.host === other.host &&
    one.is_job_paused === other.is_job_paused &&
    one.is_budgeted === other.is_budgeted &&
    one.is_over_budget === other.is_over_budget &&
    one.heartbeat_timeout_secs === other.heartbeat_timeout_secs &&
    one.run_ttl_secs === other.run_ttl_secs
  );
}

function hasSameTrigger(one: NewRun, other: NewRun): boolean {
  return (
    one.metadata === other.metadata &&
    one.tags === other.tags &&
    one.priority === other.priority &&
    one.max_attempts === other.max_attempts &&
    one.timeout_secs === other.timeout_secs &&
    one.debounce_key === other.debounce_key &&
    one.batch_id === other.batch_id &&
    one.created_by_id === other.created_by_id &&
    one.trigger_type === other.trigger_type &&
    one.parent_run_id === other.parent_run_id &&
    one.spawn_depth === other.spawn_depth &&
    one.replay_of === other.replay_of &&
    one.schedule_id === other.schedule_id &&
    one.awaited_by === other.awaited_by &&
    one.scheduled_at === other.scheduled_at &&
    one.delay_secs === other.delay_secs
  );
}

/** The creator of a step's run is read from its workflow run: steps of many runs then share the same text. */
function batchCreatedBy({ workflow_run_id, created_by }: NewRun): string | null {
  return workflow_run_id === null ? created_by : null;
}

/**
 * The run columns of each new run, as rows to select from. Most runs have only an id and a payload: these are sent as
 * lists, and each payload is read once. In objects of one JSON document it would be read three times, which takes a
 * sixth of the statement's time.
 */
export function runRows(runColumns: readonly RunRow[]): Sql {
  return runColumns.every(fitsLists) ? rowsAsLists(runColumns) : rowsAsJson(runColumns);
}

function rowsAsLists(runColumns: readonly RunRow[]): Sql {
  const columnsNos = `{${runColumns.map(({ columns_no }) => columns_no).join(",")}}`;
  const ids = `{${runColumns.map(({ id }) => id).join(",")}}`;
  const payloads = runColumns.map(({ payload }) => JSON.stringify(payload)).join(JSON_SEPARATOR);
  return sql`(
    select u.columns_no, u.id, u.payload::jsonb as payload, ${NO_RUN_COLUMNS}
    from unnest(${columnsNos}::int[], ${ids}::uuid[], string_to_array(${payloads}, ${JSON_SEPARATOR})) as u(columns_no, id, payload)
  ) o`;
}

function rowsAsJson(runColumns: readonly RunRow[]): Sql {
  return sql`json_to_recordset(${JSON.stringify(runColumns)}::json) as o(
    columns_no int, id uuid, payload jsonb, ${RUN_COLUMN_TYPES})`;
}

/** Whether a run differs from others with the same batch columns only by its id and payload. */
export function hasPayloadOnly(run: NewRun): boolean {
  return (
    run.concurrency_key === null &&
    run.idempotency_key === null &&
    run.dedup_hash === null &&
    run.workflow_run_id === null &&
    run.parent_outputs === null &&
    run.traceparent === null &&
    run.cancel_keys === undefined &&
    !run.open_dependencies
  );
}

function fitsLists({ columns_no: _, id: __, payload: ___, ...more }: RunRow): boolean {
  return Object.values(more).every((value) => value === undefined);
}
