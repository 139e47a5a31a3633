import { holdsScope, type ScopeList } from "@millrace/contract/access/scopes";
import type { ErrorCode } from "@millrace/contract/error-codes/all-codes";
import { isOpenToTokens } from "../../src/api/gate/token-routes.ts";
import type { Route } from "../../src/platform/route.ts";

export type Headers = Record<string, string>;

/** The identity behind a credential, as the API layer must resolve it. */
export type Who =
  | { kind: "nobody"; code: ErrorCode }
  | { kind: "internal"; by: "header" | "session" }
  | { kind: "key"; scopes: (route: Route) => ScopeList }
  /** The token of another run than the one in the request. */
  | { kind: "run" }
  /** A scoped token. */
  | { kind: "token"; scopes: ScopeList }
  /** A user with an OIDC token and a role in the project that the request names. */
  | { kind: "member"; scopes: ScopeList }
  /** A key that is rejected regardless of its scopes: with this code on project routes, as any key on the others. */
  | { kind: "rejected"; by: (route: Route) => "admitted" | ErrorCode };

export type Credential = {
  name: string;
  who: Who;
  headers: (route: Route) => Headers | Promise<Headers>;
  /** Sends a cookie from a page of another site. */
  crossSite?: true;
};

/** What the route's declaration grants this credential: access, or the expected error code. */
export function expectedAccess(
  route: Route,
  { who, crossSite }: Pick<Credential, "who" | "crossSite">,
): "admitted" | ErrorCode {
  if (route.auth.kind === "none") return "admitted";
  if (route.auth.kind === "operator") {
    return who.kind === "internal" && who.by === "header" ? "admitted" : "unauthorized";
  }
  if (route.auth.kind === "run") return who.kind === "run" ? "forbidden" : "unauthorized";
  if (who.kind === "run") return "unauthorized";
  if (who.kind === "nobody") return who.code;
  if (crossSite && route.method !== "GET") return "cross_site_request";
  if (who.kind === "internal") return "admitted";
  if (who.kind === "token" && !isOpenToTokens(route)) return "forbidden";
  if (route.auth.kind === "internal") return "forbidden";
  if (who.kind === "rejected") return who.by(route);
  const { scope } = route.auth;
  // Outside a project, members may read.
  if (who.kind === "member" && route.auth.kind === "caller" && route.method === "GET") return "admitted";
  if (who.kind === "member" && route.auth.kind === "caller") return scope === undefined ? "admitted" : "scope_missing";
  const scopes = who.kind === "key" ? who.scopes(route) : who.scopes;
  return scope === undefined || holdsScope(scopes, scope) ? "admitted" : "scope_missing";
}
