import { groupBy } from "../../../src/platform/group-by.ts";
import type { History } from "../history.ts";

const TRIGGER = /^\/v1\/(?:jobs|workflows)\/([^/]+)\/trigger(?:\/bulk)?$/;

/** I1 */
export function createsExist(history: History): string[] {
  const created = history.calls.filter(({ path, status }) => TRIGGER.test(path) && status >= 200 && status < 300);
  const known = new Set([...history.runs, ...history.workflow_runs].map(({ id }) => id));
  const lost = created.flatMap(({ ids, path }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${id} was acknowledged by ${path}, but does not exist`),
  );
  const repeated = [...groupBy(keyedCreates(history), ({ scope }) => scope)].flatMap(([scope, some]) => {
    const ids = new Set(some.map(({ id }) => id));
    return ids.size > 1 ? [`${[...ids].join(", ")} share the idempotency key ${scope}`] : [];
  });
  return [...lost, ...repeated];
}

/** The ids that belong to an idempotency key, in responses and in the database, including unanswered calls. */
function keyedCreates({ calls, runs, workflow_runs }: History): { scope: string; id: string }[] {
  const answered = calls.flatMap(({ project_id, path, idempotency_key, status, ids }) => {
    const target = TRIGGER.exec(path)?.[1];
    if (!target || idempotency_key === null || status < 200 || status >= 300) return [];
    return ids.map((id) => ({ scope: `${project_id} ${target} ${idempotency_key}`, id }));
  });
  const rows = [
    ...runs.map((row) => ({ ...row, target: row.job_id })),
    ...workflow_runs.map((row) => ({ ...row, target: row.workflow_id })),
  ];
  const stored = rows
    .filter(({ idempotency_key }) => idempotency_key !== null)
    .map(({ project_id, target, idempotency_key, id }) => ({
      scope: `${project_id} ${target} ${idempotency_key}`,
      id,
    }));
  return [...answered, ...stored];
}

/** I16 */
export function tenantsAgree(history: History): string[] {
  const ownerOf = new Map(
    [...history.jobs, ...history.runs, ...history.workflow_runs, ...history.waits].map(({ id, project_id }) => [
      id,
      project_id,
    ]),
  );
  const links = [
    ...history.runs.flatMap((row) => link(row, `run ${row.id}`, row.job_id, row.workflow_run_id, row.parent_run_id)),
    ...history.transitions.flatMap((row) => link(row, `transition ${row.ordinal} of ${row.run_id}`, row.run_id)),
    ...history.leases.flatMap((row) => link(row, `lease of ${row.run_id}`, row.run_id)),
    ...history.workflow_runs.flatMap((row) => link(row, `workflow run ${row.id}`, row.parent_workflow_run_id)),
    ...history.decisions.flatMap((row) =>
      link(row, `decision ${row.ordinal} of ${row.workflow_run_id}`, row.workflow_run_id),
    ),
    ...history.steps.flatMap((row) => link(row, `step ${row.step_ref} of ${row.workflow_run_id}`, row.workflow_run_id)),
    ...history.items.flatMap((row) =>
      link(row, `item of ${row.step_ref} of ${row.workflow_run_id}`, row.workflow_run_id, row.run_id),
    ),
    ...history.waits.flatMap((row) => link(row, `wait ${row.id}`, row.workflow_run_id, row.job_run_id)),
    ...history.deliveries.flatMap((row) => link(row, `delivery ${row.id}`, row.source_id)),
    ...history.dispatches.flatMap((row) =>
      link(row, `dispatch of ${row.run_id}`, row.run_id, row.job_id, row.workflow_run_id),
    ),
    ...history.calls.flatMap((row) => link(row, `response to ${row.path}`, ...row.ids)),
  ];
  return links
    .filter(({ project_id, parent }) => (ownerOf.get(parent) ?? project_id) !== project_id)
    .map(({ project_id, what, parent }) => `${what} is in ${project_id}, but ${parent} is in ${ownerOf.get(parent)}`);
}

function link({ project_id }: { project_id: string }, what: string, ...parents: (string | null)[]) {
  return parents.flatMap((parent) => (parent === null ? [] : [{ project_id, what, parent }]));
}
