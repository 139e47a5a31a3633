import type { ErrorCode } from "@millrace/contract/error-codes";
import { SYSTEM_ROLES } from "@millrace/contract/roles";
import { holdsScope, SCOPES, type Scope, type ScopeList } from "@millrace/contract/scopes";
import { TOKEN_SCOPES } from "@millrace/contract/tokens";
import { isOpenToTokens } from "../src/api/token-rows.ts";
import { newKey } from "../src/platform/access/key-format.ts";
import type { RouteRow } from "../src/platform/route.ts";
import { INTERNAL_SECRET, type TestProject, type World } from "./world.ts";

type Headers = Record<string, string>;

/** Who a credential is, if the edge reads it rightly. */
type Who =
  | { kind: "nobody"; code: ErrorCode }
  | { kind: "internal"; by: "header" | "session" }
  | { kind: "key"; scopes: (row: RouteRow) => ScopeList }
  /** The token of a run, which is not the one that the walk asks for. */
  | { kind: "run" }
  /** A narrow token for browsers. */
  | { kind: "token"; scopes: ScopeList }
  /** Somebody with an OIDC token, and with a role in the project that the request names. */
  | { kind: "member"; scopes: ScopeList }
  /** A key of which something is not as the scopes say: in a project each row refuses it so, beyond those, as a key. */
  | { kind: "hindered"; by: (row: RouteRow) => "admitted" | ErrorCode };

export type Credential = {
  name: string;
  who: Who;
  headers: (row: RouteRow) => Headers | Promise<Headers>;
  /** Comes by a cookie from a page of another site. */
  crossSite?: true;
};

/** What the row's own declaration promises this credential: to be admitted, or the code of the refusal. */
export function promisedTo(
  row: RouteRow,
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
  if (who.kind === "hindered") return who.by(row);
  const { scope } = row.auth;
  // Outside of a project a member may look.
  if (who.kind === "member" && row.auth.kind === "caller" && row.method === "GET") return "admitted";
  if (who.kind === "member" && row.auth.kind === "caller") return scope === undefined ? "admitted" : "scope_missing";
  const scopes = who.kind === "key" ? who.scopes(row) : who.scopes;
  return scope === undefined || holdsScope(scopes, scope) ? "admitted" : "scope_missing";
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const jwt = (header: object) =>
  `${[header, { sub: "somebody", exp: 4_000_000_000 }].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.c2lnbmF0dXJl`;

function nobody(name: string, headers: Headers, code: ErrorCode = "unauthorized"): Credential {
  return { name, who: { kind: "nobody", code }, headers: () => headers };
}

/** Nothing, or what no service of ours ever gave out. */
export function unknownCredentials(): Credential[] {
  const well = newKey();
  const wrongChecksum = `${well.slice(0, -1)}${well.endsWith("0") ? "1" : "0"}`;
  return [
    nobody("no credential", {}),
    nobody("an empty Authorization", { authorization: "" }),
    nobody("an empty bearer", { authorization: "Bearer " }),
    nobody("a junk bearer", bearer("junk")),
    nobody("a bearer of 7,000 characters", bearer("x".repeat(7_000))),
    nobody("two bearers", { authorization: "Bearer a b" }),
    nobody("a key with a wrong checksum", bearer(wrongChecksum)),
    nobody("a key that is too short", bearer("svc_abc")),
    nobody("a well-formed key nobody has", bearer(newKey())),
    nobody("Basic", { authorization: `Basic ${Buffer.from(`admin:${INTERNAL_SECRET}`).toString("base64")}` }),
    nobody("a JWT", bearer(jwt({ alg: "RS256", typ: "JWT" }))),
    nobody("a JWT that needs no signature", bearer(jwt({ alg: "none", typ: "JWT" }))),
    nobody("a run token", bearer(jwt({ alg: "HS256", typ: "run+jwt" }))),
    nobody("a token for browsers that nobody signed", bearer(jwt({ alg: "HS256", typ: "access+jwt" }))),
    nobody("a junk session cookie", { cookie: "millrace_session=junk" }, "session_expired"),
    nobody("an empty session cookie", { cookie: "millrace_session=" }),
  ];
}

/** The internal secret by both headers, right and wrong. It acts in the project it names. */
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
    internal("the internal secret beside a junk bearer", { "x-internal-secret": INTERNAL_SECRET, ...bearer("junk") }),
    nobody("a wrong internal secret", { "x-internal-secret": almost }),
    nobody("a wrong internal secret as a bearer", bearer(almost)),
    nobody("an empty internal secret", { "x-internal-secret": "" }),
    nobody("a wrong internal secret beside a good key", { "x-internal-secret": almost, ...bearer(key) }),
    nobody("an API key as internal secret", { "x-internal-secret": key }),
  ];
}

/** A good one: opens the SDK paths of its own run, and nothing else. */
export function runCredential(name: string, token: string): Credential {
  return { name, who: { kind: "run" }, headers: () => bearer(token) };
}

/** Narrow tokens of the project's key: one with every scope that a token can have, one with a single one. */
export async function tokenCredentials({ api }: TestProject): Promise<Credential[]> {
  const lists = [[...TOKEN_SCOPES], ["events:read"]];
  return Promise.all(
    lists.map(async (scopes) => {
      const answer = await api.post("/v1/tokens", { scopes, tags: { of: "nobody" } });
      if (answer.status !== 201) throw new Error(`no token: ${answer.text}`);
      return {
        name: `a token for ${scopes.length} scopes`,
        who: { kind: "token" as const, scopes },
        headers: () => bearer(answer.body.token),
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

/** People with each role of the service, by tokens of their issuer. They name their project. */
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

/** A key to which everything is denied, one that names another project than its own, one bound to an environment. */
export async function hinderedCredentials(project: TestProject, other: TestProject): Promise<Credential[]> {
  const denied = await project.newKey();
  const policy = { effect: "deny", actions: ["*"], resource_type: "*", resource_id: "*" };
  const made = await project.api.post("/v1/resource-policies", { ...policy, subject: `api_key:${denied.id}` });
  if (made.status !== 201) throw new Error(`no policy: ${made.text}`);
  const scopeOf = ({ auth }: RouteRow) => ("scope" in auth ? auth.scope : undefined);
  return [
    {
      name: "a key that a policy denies everything",
      who: { kind: "hindered", by: (row) => (scopeOf(row) === undefined ? "admitted" : "policy_denied") },
      headers: () => bearer(denied.key),
    },
    {
      name: "a key of another project",
      who: { kind: "hindered", by: ({ auth }) => (auth.kind === "project" ? "project_mismatch" : "admitted") },
      headers: () => ({ ...bearer(other.key), "x-project-id": project.id }),
    },
  ];
}

/** Keys made for each row: one with exactly the scope it needs, one with every other. */
export async function scopedCredentials(project: TestProject): Promise<Credential[]> {
  const exact = new Map<Scope, string>();
  const others = new Map<Scope, string>();
  await Promise.all(
    SCOPES.map(async (scope) => {
      exact.set(scope, (await project.newKey({ scopes: [scope] })).key);
      others.set(scope, (await project.newKey({ scopes: SCOPES.filter((other) => other !== scope) })).key);
    }),
  );
  const needed = (row: RouteRow): Scope => ("scope" in row.auth && row.auth.scope) || "usage:read";
  return [
    {
      name: "a key with exactly the scope",
      who: { kind: "key", scopes: (row) => [needed(row)] },
      headers: (row) => bearer(exact.get(needed(row)) ?? ""),
    },
    {
      name: "a key with every scope but that one",
      who: { kind: "key", scopes: (row) => SCOPES.filter((scope) => scope !== needed(row)) },
      headers: (row) => bearer(others.get(needed(row)) ?? ""),
    },
  ];
}

/** Sessions: one for all rows, but a fresh one for each row that may end it. */
export async function sessionCredentials(world: World, project: TestProject): Promise<Credential[]> {
  const signInAs = async (credential: Record<string, string>) => {
    const shared = await signIn(world, credential);
    const endsIt = ({ method, path }: RouteRow) => method !== "GET" && path.startsWith("/v1/session");
    return async (row: RouteRow) => ({ cookie: endsIt(row) ? await signIn(world, credential) : shared });
  };
  const ofKey = await signInAs({ api_key: project.key });
  const ofInternal = await signInAs({ internal_secret: INTERNAL_SECRET });
  const ofSecret = async (row: RouteRow) => ({ ...(await ofInternal(row)), "x-project-id": project.id });
  const key: Who = { kind: "key", scopes: () => null };
  const internal: Who = { kind: "internal", by: "session" };
  const foreign = { origin: "https://evil.example" };
  return [
    { name: "a session of a key", who: key, headers: ofKey },
    { name: "a session of the internal secret", who: internal, headers: ofSecret },
    { name: "a session, own origin", who: key, headers: async (row) => ({ ...(await ofKey(row)), origin: world.url }) },
    {
      name: "a session, foreign origin",
      who: key,
      crossSite: true,
      headers: async (row) => ({ ...(await ofKey(row)), ...foreign }),
    },
    {
      name: "an internal session, foreign origin",
      who: internal,
      crossSite: true,
      headers: async (row) => ({ ...(await ofSecret(row)), ...foreign }),
    },
    {
      name: "a session, opaque origin",
      who: key,
      crossSite: true,
      headers: async (row) => ({ ...(await ofKey(row)), origin: "null" }),
    },
    {
      name: "a session, cross-site fetch",
      who: key,
      crossSite: true,
      headers: async (row) => ({ ...(await ofKey(row)), "sec-fetch-site": "cross-site" }),
    },
    {
      name: "a session beside a junk bearer",
      who: { kind: "nobody", code: "unauthorized" },
      headers: async (row) => ({ ...(await ofKey(row)), ...bearer("junk") }),
    },
  ];
}

export function endedSession(name: string, cookie: string, code: ErrorCode): Credential {
  return nobody(name, { cookie }, code);
}

/** The cookie of a new session. With the internal secret beside it, so that the limit of sign-ins is not met. */
export async function signIn(world: World, credential: Record<string, string>): Promise<string> {
  const answer = await world.admin.post("/v1/session", credential);
  if (answer.status !== 201) throw new Error(`no session: ${answer.text}`);
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}
