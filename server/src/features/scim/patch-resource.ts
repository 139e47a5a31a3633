import { ApiError } from "../../platform/errors/errors.ts";
import { changeGroup, type GroupFields, memberIdsIn } from "./groups.ts";
import { known } from "./resources.ts";
import type { Scim } from "./scim-request.ts";
import { textOf, userFields } from "./user-fields.ts";
import { changeUser } from "./users.ts";

type Body = Record<string, unknown>;
type Operation = { op: "add" | "remove" | "replace"; path: string | undefined; value: unknown };

const OPS: readonly string[] = ["add", "remove", "replace"];
const MAX_OPERATIONS = 1_000;

export async function patchResource(scim: Scim, id: string, body: Body): Promise<object> {
  const operations = operationsIn(body);
  if (scim.resource === "Users")
    return changeUser(scim, known(id), ({ user_name, external_id, active, attributes }) => {
      const user: Body = { userName: user_name, externalId: external_id, active, ...attributes };
      for (const operation of operations) patchUser(user, operation);
      return userFields(user);
    });
  if (scim.resource === "Groups") return changeGroup(scim, known(id), (group) => operations.reduce(patchGroup, group));
  throw new ApiError("bad_request", "It can only be read.");
}

/** Entra writes `Replace`, RFC 7644 `replace`. */
function operationsIn(body: Body): Operation[] {
  const given = Object.entries(body).find(([name]) => name.toLowerCase() === "operations")?.[1];
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_OPERATIONS)
    throw new ApiError("bad_request", "Operations must be a list.");
  return given.map((each: Body | null) => {
    const op = String(each?.op).toLowerCase();
    if (!OPS.includes(op)) throw new ApiError("bad_request", "op must be add, remove or replace.");
    const path = typeof each?.path === "string" ? each.path : undefined;
    return { op: op as Operation["op"], path, value: each?.value };
  });
}

/** Without a path the value has the attributes to change. Attributes that are not kept are ignored. */
function patchUser(user: Body, { op, path, value }: Operation): void {
  if (path === undefined) {
    const attributes = typeof value === "object" && value !== null ? Object.entries(value) : [];
    for (const [name, each] of attributes) patchUser(user, { op, path: name, value: each });
    return;
  }
  const [, first = "", , rest] = /^(\w+)(\[[^\]]*\])?(?:\.(\w+))?$/.exec(path) ?? [];
  const set = op === "remove" ? undefined : value;
  if (first === "name" && rest) user.name = { ...(user.name as Body), [rest]: set };
  else if (first === "emails" && rest === "value")
    user.emails = set === undefined ? [] : [{ value: set, primary: true }];
  else if (["userName", "externalId", "displayName", "active", "name", "emails"].includes(first)) user[first] = set;
}

/** Providers add and remove members one by one, or replace all of them. */
function patchGroup(group: GroupFields, { op, path, value }: Operation): GroupFields {
  if (path === undefined) {
    const attributes = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return attributes.reduce((changed, [name, each]) => patchGroup(changed, { op, path: name, value: each }), group);
  }
  const name = textOf(value);
  if (path === "displayName" && name !== undefined) return { ...group, display_name: name };
  if (path === "externalId") return { ...group, external_id: name ?? null };
  const [, one] = /^members\[\s*value\s+eq\s+"([^"]*)"\s*\]$/i.exec(path) ?? [];
  if (one === undefined && path !== "members") return group;
  const ids = one === undefined ? memberIdsIn(value) : [one];
  if (op === "replace") return { ...group, member_ids: ids };
  if (op === "add") return { ...group, member_ids: [...new Set([...group.member_ids, ...ids])] };
  // Without a value all members are removed (RFC 7644, 3.5.2.2).
  const isAll = one === undefined && value === undefined;
  return { ...group, member_ids: isAll ? [] : group.member_ids.filter((id) => !ids.includes(id)) };
}
