import { isOpenToTokens } from "../../src/api/gate/token-routes.ts";
import { SESSION_COOKIE } from "../../src/platform/access/credentials/session-store.ts";
import type { Route } from "../../src/platform/route.ts";

export const SECURITY_SCHEMES = {
  apiKey: { type: "http", scheme: "bearer", bearerFormat: "svc_…", description: "An API key of a project." },
  scopedToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A scoped token, created by `POST /v1/tokens` with a subset of its API key's permissions.",
  },
  // Not `openIdConnect`, which names the address of one issuer: each installation has its own.
  oidc: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A token of the OpenID Connect issuer in `OIDC_ISSUER`. The member's roles determine its permissions.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: SESSION_COOKIE,
    description: "The dashboard's session, created by `POST /v1/session`. Only pages of this origin may make changes.",
  },
  internalSecret: {
    type: "apiKey",
    in: "header",
    name: "X-Internal-Secret",
    description: "The secret of the installation. It also works as a bearer token.",
  },
  runToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The `X-Svc-Run-Token` of a dispatch. Valid for the dispatched run only.",
  },
} as const;

type Requirement = Partial<Record<keyof typeof SECURITY_SCHEMES, readonly string[]>>;

/** Each of these alone authorizes the route; an API key, token or role must hold the listed scopes. */
export function securityOf(route: Route): Requirement[] {
  const { auth } = route;
  switch (auth.kind) {
    case "none":
      return [];
    case "operator":
      return [{ internalSecret: [] }];
    case "internal":
      return [{ session: [] }, { internalSecret: [] }];
    case "run":
      return [{ runToken: [] }];
    case "caller":
    case "project": {
      const scopes = auth.scope ? [auth.scope] : [];
      // Outside a project, members may read, and use routes that require no scope.
      const opensToMembers = auth.kind === "project" || route.method === "GET" || auth.scope === undefined;
      return [
        { apiKey: scopes },
        ...(isOpenToTokens(route) ? [{ scopedToken: scopes }] : []),
        ...(opensToMembers ? [{ oidc: scopes }] : []),
        { session: [] },
        { internalSecret: [] },
      ];
    }
  }
}
