import type { ProblemError } from "@millrace/contract/schema/problem";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

type Person = { approver: string; ids: string[]; name: string | null };

const INTERNAL_SECRET = "internal secret"; // the name of the internal secret as a caller

/**
 * Resolves approvers to what is stored: keys by id, members by subject. Names are resolved now, so that a later caller
 * with the same name cannot decide. `kept`: stored steps, whose approvers may be gone.
 */
export async function resolveApprovers(
  ctx: ProjectCtx,
  steps: readonly StepInput[],
  kept: readonly { approvers?: string[] }[] = [],
): Promise<{ steps: StepInput[]; issues: ProblemError[] }> {
  const known = new Set([INTERNAL_SECRET, ...kept.flatMap(({ approvers = [] }) => approvers)]);
  const requested = steps.flatMap(({ approvers = [] }) => approvers).filter((name) => !known.has(name));
  const people = requested.length === 0 ? [] : await findPeople(ctx, [...new Set(requested)]);
  const issues: ProblemError[] = [];
  const resolved = steps.map((step, at) => {
    if (!step.approvers) return step;
    const approvers = step.approvers.map((name, index) => {
      const found = known.has(name) ? [name] : matching(people, name);
      if (found.length === 1 && found[0] !== undefined) return found[0];
      const message = found.length === 0 ? UNKNOWN : AMBIGUOUS;
      if (name !== "") issues.push({ location: `body.steps[${at}].approvers[${index}]`, message, value: name });
      return name;
    });
    return { ...step, approvers };
  });
  return { steps: resolved, issues };
}

const UNKNOWN = "is neither an API key nor a member of this project: give the id of a key, or the subject of a member";
const AMBIGUOUS = "is the name of more than one key or member: give the id of the key, or the subject of the member";

/** An id or subject matches only itself; a name matches everyone with it. */
function matching(people: readonly Person[], name: string): string[] {
  const own = people.filter(({ ids }) => ids.includes(name));
  return (own.length > 0 ? own : people.filter((each) => each.name === name)).map(({ approver }) => approver);
}

async function findPeople({ db, project_id }: ProjectCtx, names: readonly string[]): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select k.id::text as approver, array[k.id::text] as ids, k.name from api_keys k
    where k.project_id = ${project_id} and (k.name = any(${names}::text[]) or k.id::text = any(${names}::text[]))
      and k.subject is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock())
    union all
    select m.subject, array[m.subject, m.id::text], m.name from members m
    where m.project_id = ${project_id}
      and (m.name = any(${names}::text[]) or m.subject = any(${names}::text[]) or m.id::text = any(${names}::text[]))`.execute(
    db,
  );
  return rows;
}
