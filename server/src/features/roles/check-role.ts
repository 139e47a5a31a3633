import { MAX_ROLE_DEPTH } from "@millrace/contract/access/roles";
import { scopesBeyond } from "@millrace/contract/access/scopes";
import { refuseDeniedGrant } from "../../platform/access/policies/refuse-denied.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import type { RoleRow } from "./queries.ts";

type Drafted = Pick<RoleRow, "id" | "name" | "permissions" | "parent_role_id">;

const MAX_ROLES = 500;

/** Rejects a role whose chain of parents is a cycle or too long, and one that grants more than the caller holds. */
export async function checkRole(ctx: ProjectCtx, role: Drafted, others: readonly Drafted[]): Promise<void> {
  if (others.length >= MAX_ROLES) throw new ApiError("conflict", `A project has at most ${MAX_ROLES} roles.`);
  refuseTakenName(role, others);
  const all = new Map([...others, role].map((each) => [each.id, each]));
  const line = lineOf(role, all);
  const below = Math.max(...others.filter(({ id }) => id !== role.id).map((each) => lineOf(each, all).length), 0);
  if (Math.max(line.length, below) > MAX_ROLE_DEPTH) {
    throw invalid(
      "body.parent_role_id",
      `would make a chain of more than ${MAX_ROLE_DEPTH} roles`,
      role.parent_role_id,
    );
  }
  const permissions = [...new Set(line.flatMap((each) => each.permissions))];
  refuseWider(ctx, permissions);
  await refuseDeniedGrant(ctx, permissions);
}

/** The id of a parent given by id or name. */
export function findParent(ref: string, others: readonly Drafted[]): string {
  const found = others.find(({ id, name }) => id === ref || name === ref);
  if (!found) throw invalid("body.parent_role_id", "is not a role of this project", ref);
  return found.id;
}

function refuseTakenName({ id, name }: Drafted, others: readonly Drafted[]): void {
  if (others.some((other) => other.id !== id && other.name === name))
    throw new ApiError("conflict", `A role with the name ${name} already exists.`);
}

function lineOf(role: Drafted, all: ReadonlyMap<string, Drafted>): Drafted[] {
  const line = [role];
  for (let next = role.parent_role_id; next !== null; ) {
    const parent = all.get(next);
    if (!parent) break;
    if (line.includes(parent)) refuseCycle([...line, parent]);
    line.push(parent);
    next = parent.parent_role_id;
  }
  return line;
}

function refuseCycle(line: readonly Drafted[]): never {
  const names = line.map(({ name }) => name).join(" → ");
  throw invalid("body.parent_role_id", `would close a cycle: ${names}`, line[0]?.parent_role_id ?? null);
}

/** A caller can grant only what it holds, including permissions inherited from parents. */
function refuseWider({ caller }: ProjectCtx, permissions: readonly string[]): void {
  const beyond = scopesBeyond(caller.scopes, permissions);
  if (beyond.length === 0) return;
  throw new ApiError("grant_too_wide", `The caller does not hold ${beyond.join(", ")} and cannot grant it.`, {
    errors: beyond.map((value) => ({ location: "body.permissions", message: "is not held by the caller", value })),
  });
}
