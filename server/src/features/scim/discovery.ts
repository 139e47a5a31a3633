import { notFound } from "../../platform/errors/errors.ts";
import type { Scim } from "./scim-request.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const CONFIG = {
  schemas: [`${CORE}:ServiceProviderConfig`],
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

const simple = (name: string, { type = "string", required = false, uniqueness = "none" } = {}) => ({
  ...{ name, type, required, uniqueness, multiValued: false, caseExact: false },
  ...{ mutability: "readWrite", returned: "default" },
});
const complex = (name: string, multiValued: boolean, parts: string[]) => ({
  ...{ name, type: "complex", multiValued, required: false, mutability: "readWrite", returned: "default" },
  subAttributes: parts.map((part) => simple(part, part === "primary" ? { type: "boolean" } : {})),
});

const SCHEMAS = {
  User: [
    simple("userName", { required: true, uniqueness: "server" }),
    ...[simple("externalId"), simple("displayName"), simple("active", { type: "boolean" })],
    complex("name", false, ["formatted", "givenName", "familyName"]),
    complex("emails", true, ["value", "type", "primary"]),
  ],
  Group: [
    simple("displayName", { required: true, uniqueness: "server" }),
    simple("externalId"),
    complex("members", true, ["value", "$ref"]),
  ],
};

/** The discovery endpoints (RFC 7644, 4). */
export function describeService({ resource, base }: Scim): object {
  if (resource === "ServiceProviderConfig") return CONFIG;
  const resources = resource === "Schemas" ? schemas(base) : resourceTypes(base);
  const totals = { totalResults: resources.length, startIndex: 1, itemsPerPage: resources.length };
  return { schemas: [LIST], ...totals, Resources: resources };
}

export function describeOne(scim: Scim, id: string): object {
  const all = scim.resource === "Schemas" ? schemas(scim.base) : resourceTypes(scim.base);
  const found = scim.resource === "ServiceProviderConfig" ? undefined : all.find((each) => each.id === id);
  if (!found) throw notFound("resource");
  return found;
}

function schemas(base: string) {
  return Object.entries(SCHEMAS).map(([name, attributes]) => ({
    ...{ schemas: [`${CORE}:Schema`], id: `${CORE}:${name}`, name, attributes },
    meta: { resourceType: "Schema", location: `${base}/Schemas/${CORE}:${name}` },
  }));
}

function resourceTypes(base: string) {
  return Object.keys(SCHEMAS).map((name) => ({
    ...{ schemas: [`${CORE}:ResourceType`], id: name, name, endpoint: `/${name}s`, schema: `${CORE}:${name}` },
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  }));
}
