import { SYSTEM_ROLES } from "@millrace/contract/access/roles";
import { SCOPES, type Scope, type ScopeList } from "@millrace/contract/access/scopes";
import { TOKEN_SCOPES } from "@millrace/contract/access/tokens";
import type { ErrorCode } from "@millrace/contract/error-codes/all-codes";
import { newKey } from "../../src/platform/access/credentials/key-format.ts";
import type { Route } from "../../src/platform/route.ts";
import { INTERNAL_SECRET, type TestProject } from "../world/world.ts";
import type { Credential, Headers } from "./expected-access.ts";

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const jwt = (header: object) =>
  `${[header, { sub: "somebody", exp: 4_000_000_000 }].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.c2lnbmF0dXJl`;

export function nobody(name: string, headers: Headers, code: ErrorCode = "unauthorized"): Credential {
  return { name, who: { kind: "nobody", code }, headers: () => headers };
}

/** No credential, or one that the service never issued. */
export function unknownCredentials(): Credential[] {
  const valid = newKey();
  const wrongChecksum = `${valid.slice(0, -1)}${valid.endsWith("0") ? "1" : "0"}`;
  return [
    nobody("no credential", {}),
    nobody("an empty Authorization", { authorization: "" }),
    nobody("an empty bearer", { authorization: "Bearer " }),
    nobody("a junk bearer", bearer("junk")),
    nobody("a bearer of 7,000 characters", bearer("x".repeat(7_000))),
    nobody("two bearers", { authorization: "Bearer a b" }),
    nobody("a key with a wrong checksum", bearer(wrongChecksum)),
    nobody("a key that is too short", bearer("svc_abc")),
    nobody("a well-formed unknown key", bearer(newKey())),
    nobody("Basic", { authorization: `Basic ${Buffer.from(`admin:${INTERNAL_SECRET}`).toString("base64")}` }),
    nobody("a JWT", bearer(jwt({ alg: "RS256", typ: "JWT" }))),
    nobody("a JWT that needs no signature", bearer(jwt({ alg: "none", typ: "JWT" }))),
    nobody("a run token", bearer(jwt({ alg: "HS256", typ: "run+jwt" }))),
    nobody("a scoped token that nobody signed", bearer(jwt({ alg: "HS256", typ: "access+jwt" }))),
    nobody("a junk session cookie", { cookie: "millrace_session=junk" }, "session_expired"),
    nobody("an empty session cookie", { cookie: "millrace_session=" }),
  ];
}

/** The internal secret in both headers, valid and invalid. It acts in the project that the request names. */
export function internalCredentials(project: TestProject, key: string): Credential[] {
  const internal = (name: string, headers: Headers): Credential => ({
    name,
    who: { kind: "internal", by: "header" },
    headers: () => ({ "x-project-id": project.id, ...headers }),
  });
  const almost = `${INTERNAL_SECRET.slice(0, -1)}!`;
  return [
    internal("the internal secret", { "x-internal-secret": INTERNAL_SECRET }),
    internal("the internal secret as a bearer", bearer(INTERNAL_SECRET)),
    internal("the internal secret with a junk bearer", { "x-internal-secret": INTERNAL_SECRET, ...bearer("junk") }),
    nobody("a wrong internal secret", { "x-internal-secret": almost }),
    nobody("a wrong internal secret as a bearer", bearer(almost)),
    nobody("an empty internal secret", { "x-internal-secret": "" }),
    nobody("a wrong internal secret with a good key", { "x-internal-secret": almost, ...bearer(key) }),
    nobody("an API key as internal secret", { "x-internal-secret": key }),
  ];
}

/** A valid run token: it grants the SDK paths of its own run and nothing else. */
export function runCredential(name: string, token: string): Credential {
  return { name, who: { kind: "run" }, headers: () => bearer(token) };
}

/** Scoped tokens of the project's key: one with every scope that a token can have, one with a single scope. */
export async function tokenCredentials({ api }: TestProject): Promise<Credential[]> {
  const lists = [[...TOKEN_SCOPES], ["events:read"]];
  return Promise.all(
    lists.map(async (scopes) => {
      const response = await api.post("/v1/tokens", { scopes, tags: { of: "nobody" } });
      if (response.status !== 201) throw new Error(`no token: ${response.text}`);
      return {
        name: `a token for ${scopes.length} scopes`,
        who: { kind: "token" as const, scopes },
        headers: () => bearer(response.body.token),
      };
    }),
  );
}

export function keyCredential(name: string, key: string, scopes: ScopeList = null): Credential {
  return { name, who: { kind: "key", scopes: () => scopes }, headers: () => bearer(key) };
}

export function endedKey(name: string, key: string, code: "key_expired" | "key_revoked"): Credential {
  return nobody(name, bearer(key), code);
}

/** Users with each role of the service, with tokens of their issuer. Their requests name the project. */
export async function memberCredentials(
  { id, api }: TestProject,
  sign: (subject: string) => Promise<string>,
): Promise<Credential[]> {
  return Promise.all(
    SYSTEM_ROLES.map(async ({ name, permissions }) => {
      const joined = await api.post("/v1/members", { subject: `the-${name}`, role_id: name });
      if (joined.status >= 300) throw new Error(`no member: ${joined.text}`);
      const token = await sign(`the-${name}`);
      return {
        name: `a member who is ${name}`,
        who: { kind: "member" as const, scopes: [...permissions] },
        headers: () => ({ ...bearer(token), "x-project-id": id }),
      };
    }),
  );
}

/** A key that is denied everything, one that names another project than its own, and one bound to an environment. */
export async function restrictedCredentials(project: TestProject, other: TestProject): Promise<Credential[]> {
  const denied = await project.newKey();
  const policy = { effect: "deny", actions: ["*"], resource_type: "*", resource_id: "*" };
  const made = await project.api.post("/v1/resource-policies", { ...policy, subject: `api_key:${denied.id}` });
  if (made.status !== 201) throw new Error(`no policy: ${made.text}`);
  const scopeOf = ({ auth }: Route) => ("scope" in auth ? auth.scope : undefined);
  return [
    {
      name: "a key that a policy denies everything",
      who: { kind: "rejected", by: (route) => (scopeOf(route) === undefined ? "admitted" : "policy_denied") },
      headers: () => bearer(denied.key),
    },
    {
      name: "a key of another project",
      who: { kind: "rejected", by: ({ auth }) => (auth.kind === "project" ? "project_mismatch" : "admitted") },
      headers: () => ({ ...bearer(other.key), "x-project-id": project.id }),
    },
  ];
}

/** Keys created for each route: one with exactly the scope it requires, one with all other scopes. */
export async function scopedCredentials(project: TestProject): Promise<Credential[]> {
  const exact = new Map<Scope, string>();
  const others = new Map<Scope, string>();
  await Promise.all(
    SCOPES.map(async (scope) => {
      exact.set(scope, (await project.newKey({ scopes: [scope] })).key);
      others.set(scope, (await project.newKey({ scopes: SCOPES.filter((other) => other !== scope) })).key);
    }),
  );
  const needed = (route: Route): Scope => ("scope" in route.auth && route.auth.scope) || "usage:read";
  return [
    {
      name: "a key with exactly the scope",
      who: { kind: "key", scopes: (route) => [needed(route)] },
      headers: (route) => bearer(exact.get(needed(route)) ?? ""),
    },
    {
      name: "a key with every scope but that one",
      who: { kind: "key", scopes: (route) => SCOPES.filter((scope) => scope !== needed(route)) },
      headers: (route) => bearer(others.get(needed(route)) ?? ""),
    },
  ];
}
