import { holdsScope, type ScopeList } from "@millrace/contract/access/scopes";
import type { ErrorCode } from "@millrace/contract/error-codes/all-codes";
import { isOpenToTokens } from "../../src/api/gate/token-routes.ts";
import type { Route } from "../../src/platform/route.ts";

export type Headers = Record<string, string>;

/** The identity behind a credential, as the API layer must resolve it. */
export type Who =
  | { kind: "nobody"; code: ErrorCode }
  | { kind: "internal"; by: "header" | "session" }
  | { kind: "key"; scopes: (row: Route) => ScopeList }
  /** The token of another run than the one in the request. */
  | { kind: "run" }
  /** A scoped token. */
  | { kind: "token"; scopes: ScopeList }
  /** A user with an OIDC token and a role in the project that the request names. */
  | { kind: "member"; scopes: ScopeList }
  /** A key that is rejected regardless of its scopes: with this code on project routes, as any key on the others. */
  | { kind: "rejected"; by: (row: Route) => "admitted" | ErrorCode };

export type Credential = {
  name: string;
  who: Who;
  headers: (row: Route) => Headers | Promise<Headers>;
  /** Sends a cookie from a page of another site. */
  crossSite?: true;
};

/** What the route's declaration grants this credential: access, or the expected error code. */
export function expectedAccess(
  row: Route,
  { who, crossSite }: Pick<Credential, "who" | "crossSite">,
): "admitted" | ErrorCode {
  if (row.auth.kind === "none") return "admitted";
  if (row.auth.kind === "operator") {
    return who.kind === "internal" && who.by === "header" ? "admitted" : "unauthorized";
  }
  if (row.auth.kind === "run") return who.kind === "run" ? "forbidden" : "unauthorized";
  if (who.kind === "run") return "unauthorized";
  if (who.kind === "nobody") return who.code;
  if (crossSite && row.method !== "GET") return "cross_site_request";
  if (who.kind === "internal") return "admitted";
  if (who.kind === "token" && !isOpenToTokens(row)) return "forbidden";
  if (row.auth.kind === "internal") return "forbidden";
  if (who.kind === "rejected") return who.by(row);
  const { scope } = row.auth;
  // Outside a project, members may read.
  if (who.kind === "member" && row.auth.kind === "caller" && row.method === "GET") return "admitted";
  if (who.kind === "member" && row.auth.kind === "caller") return scope === undefined ? "admitted" : "scope_missing";
  const scopes = who.kind === "key" ? who.scopes(row) : who.scopes;
  return scope === undefined || holdsScope(scopes, scope) ? "admitted" : "scope_missing";
}
