import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { canonicalName, withoutCoreSchema } from "./attribute-names.ts";
import { describeOne, describeService } from "./discovery.ts";
import { createGroup, deleteGroup, findGroup, listGroups, presentGroup, replaceGroup } from "./groups.ts";
import { pageOf, parseFilter } from "./parse-filter.ts";
import type { Presented, Scim } from "./scim-request.ts";
import { createUser, deleteUser, findUser, listUsers, presentUser, replaceUser } from "./users.ts";

type Query = { filter?: string; startIndex?: string; count?: string; attributes?: string; excludedAttributes?: string };
type Body = Record<string, unknown>;

const ALWAYS = ["schemas", "id", "meta"];

export async function listResources(scim: Scim, query: Query): Promise<object> {
  if (isDescription(scim)) return describeService(scim);
  const conditions = parseFilter(query.filter);
  const page = pageOf(query);
  const { total, resources } =
    scim.resource === "Users" ? await listUsers(scim, conditions, page) : await listGroups(scim, conditions, page);
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    ...{ totalResults: total, startIndex: page.start, itemsPerPage: resources.length },
    Resources: resources.map((each) => withoutExcluded(each, query)),
  };
}

export async function createResource(scim: Scim, body: Body): Promise<Presented> {
  refuseDescription(scim);
  return scim.resource === "Users" ? createUser(scim, body) : createGroup(scim, body);
}

export async function getResource(scim: Scim, id: string, query: Query): Promise<object> {
  if (isDescription(scim)) return describeOne(scim, id);
  const found =
    scim.resource === "Users"
      ? presentUser(scim, await findUser(scim, known(id)))
      : presentGroup(scim, await findGroup(scim, known(id)));
  return withoutExcluded(found, query);
}

/** Providers exclude the members of large groups, which they would not read. */
function withoutExcluded(resource: object, { attributes, excludedAttributes }: Query): object {
  const names = (list: string) => list.split(",").map((name) => canonicalName(withoutCoreSchema(name.trim())));
  const excluded = names(excludedAttributes ?? "");
  const wanted = attributes === undefined ? undefined : names(attributes);
  const isKept = (name: string) => ALWAYS.includes(name) || (wanted?.includes(name) ?? !excluded.includes(name));
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isKept(name)));
}

export async function replaceResource(scim: Scim, id: string, body: Body): Promise<object> {
  refuseDescription(scim);
  return scim.resource === "Users" ? replaceUser(scim, known(id), body) : replaceGroup(scim, known(id), body);
}

export async function deleteResource(scim: Scim, id: string): Promise<undefined> {
  refuseDescription(scim);
  await (scim.resource === "Users" ? deleteUser(scim, known(id)) : deleteGroup(scim, known(id)));
}

function isDescription({ resource }: Scim): boolean {
  return resource !== "Users" && resource !== "Groups";
}

function refuseDescription(scim: Scim): void {
  if (isDescription(scim)) throw new ApiError("bad_request", "This resource is read-only.");
}

export function known(id: string): string {
  if (!isId(id)) throw notFound("resource");
  return id;
}
