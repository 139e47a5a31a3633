import { ApiError } from "../../platform/errors/errors.ts";
import { changeGroup, type GroupFields, memberIdsIn } from "./groups.ts";
import { patchEmails } from "./patch-emails.ts";
import { type Op, readPath } from "./patch-path.ts";
import { known } from "./resources.ts";
import type { Scim } from "./scim-request.ts";
import { onlyValue, textOf, userFields } from "./user-fields.ts";
import { changeUser } from "./users.ts";

type Body = Record<string, unknown>;
type Operation = { op: Op; path: string | undefined; value: unknown };

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
  throw new ApiError("bad_request", "This resource is read-only.");
}

/** Entra writes `Replace`, RFC 7644 `replace`. */
function operationsIn(body: Body): Operation[] {
  const given = Object.entries(body).find(([name]) => name.toLowerCase() === "operations")?.[1];
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_OPERATIONS)
    throw new ApiError("bad_request", "Operations must be a list.");
  return given.flatMap((each: Body | null) => {
    const op = String(each?.op).toLowerCase() as Op;
    if (!OPS.includes(op)) throw new ApiError("bad_request", "op must be add, remove or replace.");
    const { path, value } = each ?? {};
    if (typeof path === "string") return [{ op, path, value }];
    // Without a path the value has the attributes to change.
    const attributes = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return attributes.map(([name, one]) => ({ op, path: name, value: one }));
  });
}

/** Attributes that are not stored are ignored. */
function patchUser(user: Body, { op, path = "", value }: Operation): void {
  const at = readPath(path);
  if (!at) return;
  const set = op === "remove" ? undefined : value;
  if (at.name === "name" && at.part) user.name = { ...(user.name as Body), [at.part]: onlyValue(set) };
  else if (at.name === "emails") user.emails = patchEmails(user.emails as Body[] | undefined, { op, at, value });
  else if (["userName", "externalId", "displayName", "active"].includes(at.name)) user[at.name] = onlyValue(set);
  else if (at.name === "name") user.name = set;
}

/** Providers add and remove members one by one, or replace all of them. */
function patchGroup(group: GroupFields, { op, path = "", value }: Operation): GroupFields {
  const at = readPath(path);
  const text = textOf(onlyValue(value));
  if (at?.name === "displayName" && text !== undefined) return { ...group, display_name: text };
  if (at?.name === "externalId") return { ...group, external_id: op === "remove" ? null : (text ?? null) };
  if (at?.name !== "members") return group;
  const one = at.by === "value" ? at.equal : undefined;
  const ids = one === undefined ? memberIdsIn(value) : [one];
  if (op === "replace") return { ...group, member_ids: ids };
  if (op === "add") return { ...group, member_ids: [...new Set([...group.member_ids, ...ids])] };
  // Without a value all members are removed (RFC 7644, 3.5.2.2).
  const isAll = one === undefined && value === undefined;
  return { ...group, member_ids: isAll ? [] : group.member_ids.filter((id) => !ids.includes(id)) };
}
