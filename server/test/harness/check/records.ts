import { type ChainedEvent, chainHash, NO_HASH } from "../../../src/features/audit-events/chain.ts";
import { groupBy } from "../../../src/platform/group-by.ts";
import { synchronous } from "../../world/synchronous.ts";
import type { Audit, History, JournaledCall } from "../history.ts";
import { ENDED } from "./read-log.ts";

const AUDITED = [
  /^\/v1\/(jobs|workflows)$/,
  /^\/v1\/(runs|workflow-runs|jobs)\/[^/]+\/(cancel|pause|resume|retry|replay|discard)$/,
  /^\/v1\/workflow-runs\/[^/]+\/steps\/[^/]+\/(retry|replay-subtree|skip|approve|reject)$/,
  /^\/v1\/(runs|workflow-runs)\/bulk-/,
];

/** I14. Of calls that were repeated until they got a response, at least one has an audit event. */
export function changesAreAudited(history: History): string[] {
  const changes = history.calls.filter(
    ({ method, path, status }) =>
      method !== "GET" && status >= 200 && status < 300 && AUDITED.some((each) => each.test(path)),
  );
  const rows = groupBy(history.audit, ({ request_id }) => request_id ?? "");
  const missing = [...groupBy(changes, (call) => (isCreate(call.path) ? (call.request_id ?? "") : call.path)).values()]
    .filter((calls) => !calls.some(({ request_id }) => rows.has(request_id ?? "")))
    .filter((calls) => !isRepeat(history, calls) && !isCanceledInBulk(history, calls))
    .map(([call]) => `${call?.path} returned ${call?.status}, but has no audit event`);
  const doubled = [
    ...groupBy(
      history.audit.filter(({ request_id }) => request_id !== null),
      (row) => `${row.request_id} ${row.action} ${row.resource_id}`,
    ),
  ]
    .filter(([, some]) => some.length > 1)
    .map(([change, some]) => `${change} has ${some.length} audit events`);
  return [...missing, ...doubled, ...brokenChains(history)];
}

/**
 * The response to the first call was lost with its instance, so its request id is unknown: the audit event is found by
 * the object that it names.
 */
function isRepeat({ calls, audit }: History, [answered]: readonly JournaledCall[]): boolean {
  const path = answered?.path ?? "";
  const isLost = calls.some((call) => call.path === path && call.status === 0);
  return isLost && audit.some(({ resource_id }) => path.includes(resource_id));
}

/** The cancel of a run that is canceled already changes nothing; the audit event of a bulk cancel names no run. */
function isCanceledInBulk({ audit }: History, [answered]: readonly JournaledCall[]): boolean {
  const kind = /^\/v1\/(run|workflow-run)s\/[^/]+\/cancel$/.exec(answered?.path ?? "")?.[1]?.replace("-", "_");
  const isOfIt = (action: string) => action.startsWith(`${kind}.bulk_canceled`);
  return audit.some(({ project_id, action }) => project_id === answered?.project_id && isOfIt(action));
}

function isCreate(path: string): boolean {
  return AUDITED[0]?.test(path) === true;
}

function brokenChains({ audit, audit_heads }: History): string[] {
  const chains = groupBy(
    audit.filter(({ chain_no }) => chain_no !== null),
    ({ project_id }) => project_id,
  );
  return audit_heads.flatMap(({ project_id, count, hash }) => {
    const chain = (chains.get(project_id) ?? []).toSorted((a, b) => Number(a.chain_no) - Number(b.chain_no));
    const broken = chain.findIndex((event, nth) => event.chain_no !== nth + 1 || event.hash !== hashOf(chain, nth));
    if (broken >= 0) return [`the chain of ${project_id} breaks at ${broken + 1} (${chain[broken]?.id})`];
    const isWhole = chain.length === count && (chain.at(-1)?.hash ?? NO_HASH.toString("hex")) === hash;
    return isWhole ? [] : [`the chain of ${project_id} has ${chain.length} events, but its head has ${count}`];
  });
}

function hashOf(chain: readonly Audit[], nth: number): string {
  const previous = Buffer.from(chain[nth - 1]?.hash ?? NO_HASH.toString("hex"), "hex");
  return synchronous(chainHash)(previous, nth + 1, chain[nth]?.sealed as ChainedEvent).toString("hex");
}

/** I15 */
export function usageIsCounted({ usage, transitions }: History): string[] {
  const byProject = groupBy(transitions, ({ project_id }) => project_id);
  return [...byProject].flatMap(([project_id, some]) => {
    const recorded = usage.find((row) => row.project_id === project_id);
    const counted: Record<string, number> = {
      dispatches: some.filter(({ from_status }) => from_status === "running").length,
    };
    for (const status of ENDED) counted[status] = some.filter(({ to_status }) => to_status === status).length;
    return Object.entries(counted)
      .filter(([name, count]) => count !== (recorded?.[name as "completed"] ?? 0))
      .map(
        ([name, count]) =>
          `${project_id} has ${count} ${name}, but its usage has ${recorded?.[name as "completed"] ?? 0}`,
      );
  });
}
