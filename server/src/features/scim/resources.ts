import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { createGroup, deleteGroup, findGroup, listGroups, presentGroup, replaceGroup } from "./groups.ts";
import { pageOf, parseFilter } from "./parse-filter.ts";
import type { Scim } from "./scim-request.ts";
import { createUser, deleteUser, findUser, listUsers, presentUser, replaceUser } from "./users.ts";

const CONFIG = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    { type: "oauthbearertoken", name: "Bearer token", description: "SIGN_IN_<NAME>_SCIM_TOKEN of the settings." },
  ],
};

type Query = { filter?: string; startIndex?: string; count?: string };
type Body = Record<string, unknown>;

export async function listResources(scim: Scim, query: Query): Promise<object> {
  if (scim.resource === "ServiceProviderConfig") return CONFIG;
  const filter = parseFilter(query.filter);
  const page = pageOf(query);
  const { total, resources } =
    scim.resource === "Users" ? await listUsers(scim, filter, page) : await listGroups(scim, filter, page);
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    ...{ totalResults: total, startIndex: page.start, itemsPerPage: resources.length, Resources: resources },
  };
}

export async function createResource(scim: Scim, body: Body): Promise<object> {
  refuseConfig(scim);
  return scim.resource === "Users" ? createUser(scim, body) : createGroup(scim, body);
}

export async function getResource(scim: Scim, id: string): Promise<object> {
  if (scim.resource === "Users") return presentUser(scim, await findUser(scim, known(id)));
  refuseConfig(scim);
  return presentGroup(scim, await findGroup(scim, known(id)));
}

export async function replaceResource(scim: Scim, id: string, body: Body): Promise<object> {
  refuseConfig(scim);
  return scim.resource === "Users" ? replaceUser(scim, known(id), body) : replaceGroup(scim, known(id), body);
}

export async function deleteResource(scim: Scim, id: string): Promise<undefined> {
  refuseConfig(scim);
  await (scim.resource === "Users" ? deleteUser(scim, known(id)) : deleteGroup(scim, known(id)));
}

function refuseConfig({ resource }: Scim): void {
  if (resource === "ServiceProviderConfig") throw new ApiError("bad_request", "It can only be read.");
}

export function known(id: string): string {
  if (!isId(id)) throw notFound("resource");
  return id;
}
