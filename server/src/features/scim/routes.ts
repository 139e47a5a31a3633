import Type from "typebox";
import { publicRoute, type Route } from "../../platform/route.ts";
import { patchResource } from "./patch-resource.ts";
import { createResource, deleteResource, getResource, listResources, replaceResource } from "./resources.ts";
import { authenticateProvider, openScim, readBody } from "./scim-request.ts";

const Parameter = Type.Optional(Type.String({ maxLength: 1_000 }));
/** Providers add parameters of their own, which are ignored. */
const shown = { attributes: Parameter, excludedAttributes: Parameter };
const ScimQuery = Type.Object({ filter: Parameter, startIndex: Parameter, count: Parameter, ...shown });

const ScimResource = Type.Object(
  { schemas: Type.Array(Type.String()) },
  { description: "A resource or list of RFC 7643 and RFC 7644.", additionalProperties: true },
);

/**
 * SCIM 2.0 (RFC 7644) for identity providers: `{resource}` is Users or Groups, `{provider}` one of SIGN_IN_PROVIDERS.
 * Bodies are those of the RFC, not of this API, so they have no schema here.
 */
const shared = {
  ...{ produces: "application/scim+json", producesSchema: ScimResource },
  ...{ signed: true, authenticate: authenticateProvider },
  errors: ["unauthorized", "not_found", "conflict", "bad_request"],
} as const;

export const scimRoutes: Route[] = [
  publicRoute("GET /scim/v2/{provider}/{resource}", {
    summary:
      "List provisioned users or groups; ServiceProviderConfig, Schemas and ResourceTypes describe the service (SCIM 2.0)",
    ...shared,
    query: ScimQuery,
    run: (ctx, { params, query }) => json(listResources(openScim(ctx, params), query)),
  }),
  publicRoute("POST /scim/v2/{provider}/{resource}", {
    summary: "Provision a user or group (SCIM 2.0)",
    ...shared,
    status: 201,
    run: async (ctx, { params, signed }, reply) => {
      const created = await createResource(openScim(ctx, params), readBody(signed));
      reply.header("location", created.meta.location);
      return JSON.stringify(created);
    },
  }),
  publicRoute("GET /scim/v2/{provider}/{resource}/{scimID}", {
    summary: "Get a provisioned user or group (SCIM 2.0)",
    ...shared,
    query: Type.Object(shown),
    run: (ctx, { params, query }) => json(getResource(openScim(ctx, params), params.scimID, query)),
  }),
  publicRoute("PUT /scim/v2/{provider}/{resource}/{scimID}", {
    summary: "Replace a provisioned user or group (SCIM 2.0)",
    ...shared,
    run: (ctx, { params, signed }) => json(replaceResource(openScim(ctx, params), params.scimID, readBody(signed))),
  }),
  publicRoute("PATCH /scim/v2/{provider}/{resource}/{scimID}", {
    summary: "Change a provisioned user or group; `active: false` signs the person out (SCIM 2.0)",
    ...shared,
    run: (ctx, { params, signed }) => json(patchResource(openScim(ctx, params), params.scimID, readBody(signed))),
  }),
  publicRoute("DELETE /scim/v2/{provider}/{resource}/{scimID}", {
    summary: "Delete a provisioned user or group (SCIM 2.0)",
    errors: shared.errors,
    signed: true,
    authenticate: authenticateProvider,
    run: (ctx, { params }) => deleteResource(openScim(ctx, params), params.scimID),
  }),
];

async function json(result: Promise<object>): Promise<string> {
  return JSON.stringify(await result);
}
