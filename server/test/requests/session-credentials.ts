import type { ErrorCode } from "@millrace/contract/error-codes/all-codes";
import type { Route } from "../../src/platform/route.ts";
import { INTERNAL_SECRET, type TestProject, type World } from "../world/world.ts";
import { bearer, nobody } from "./access-credentials.ts";
import type { Credential, Who } from "./expected-access.ts";

/** Sessions: one for all routes, but a new one for each route that may end it. */
export async function sessionCredentials(world: World, project: TestProject): Promise<Credential[]> {
  const signInAs = async (credential: Record<string, string>) => {
    const shared = await signIn(world, credential);
    const endsIt = ({ method, path }: Route) => method !== "GET" && path.startsWith("/v1/session");
    return async (route: Route) => ({ cookie: endsIt(route) ? await signIn(world, credential) : shared });
  };
  const ofKey = await signInAs({ api_key: project.key });
  const ofInternal = await signInAs({ internal_secret: INTERNAL_SECRET });
  const ofSecret = async (route: Route) => ({ ...(await ofInternal(route)), "x-project-id": project.id });
  const key: Who = { kind: "key", scopes: () => null };
  const internal: Who = { kind: "internal", by: "session" };
  const foreign = { origin: "https://evil.example" };
  return [
    { name: "a session of a key", who: key, headers: ofKey },
    { name: "a session of the internal secret", who: internal, headers: ofSecret },
    {
      name: "a session, own origin",
      who: key,
      headers: async (route) => ({ ...(await ofKey(route)), origin: world.url }),
    },
    {
      name: "a session, foreign origin",
      who: key,
      crossSite: true,
      headers: async (route) => ({ ...(await ofKey(route)), ...foreign }),
    },
    {
      name: "an internal session, foreign origin",
      who: internal,
      crossSite: true,
      headers: async (route) => ({ ...(await ofSecret(route)), ...foreign }),
    },
    {
      name: "a session, opaque origin",
      who: key,
      crossSite: true,
      headers: async (route) => ({ ...(await ofKey(route)), origin: "null" }),
    },
    {
      name: "a session, cross-site fetch",
      who: key,
      crossSite: true,
      headers: async (route) => ({ ...(await ofKey(route)), "sec-fetch-site": "cross-site" }),
    },
    {
      name: "a session with a junk bearer",
      who: { kind: "nobody", code: "unauthorized" },
      headers: async (route) => ({ ...(await ofKey(route)), ...bearer("junk") }),
    },
  ];
}

export function endedSession(name: string, cookie: string, code: ErrorCode): Credential {
  return nobody(name, { cookie }, code);
}

/** The cookie of a new session. Also sends the internal secret, which is exempt from the sign-in limit. */
export async function signIn(world: World, credential: Record<string, string>): Promise<string> {
  const response = await world.admin.post("/v1/session", credential);
  if (response.status !== 201) throw new Error(`no session: ${response.text}`);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}
