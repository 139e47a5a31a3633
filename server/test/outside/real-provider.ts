import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import type { SignInProvider } from "../../src/platform/settings/sign-in-settings.ts";
import { whenFileEnds } from "../world/end-of-file.ts";

/**
 * A certified OpenID provider on this machine. Everyone is in these groups, whatever password they give. For a browser,
 * `localhost` is another site than 127.0.0.1.
 */
export async function realProvider(id: string, host: "127.0.0.1" | "localhost" = "127.0.0.1") {
  let listener: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenFileEnds(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const settings: SignInProvider = {
    ...{ id, name: id, issuer, client_id: id, client_secret: "client-secret-of-the-test" },
    ...{ scopes: "openid email offline_access", groups_claim: "groups", trusts_email: false, scim_token: undefined },
  };
  const state = { groups: ["operators"] };
  const open = (redirect_uri: string) => {
    listener = new Provider(issuer, configOf(settings, redirect_uri, state)).callback();
  };
  return { settings, state, open, signIn: (url: string, login: string) => walk(url, login) };
}

const ARTIFACTS = ["Interaction", "Session", "Grant", "AccessToken", "RefreshToken", "IdToken", "AuthorizationCode"];

function configOf({ client_id, client_secret }: SignInProvider, redirect_uri: string, state: { groups: string[] }) {
  return {
    clients: [
      {
        ...{ client_id, client_secret, redirect_uris: [redirect_uri], response_types: ["code"] },
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    ttl: Object.fromEntries(ARTIFACTS.map((name) => [name, 3_600])),
    cookies: { keys: ["a key of the test"] },
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"] },
    issueRefreshToken: async () => true,
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId, groups: state.groups, email: `${accountId}@x.org`, email_verified: true }),
    }),
  };
}

/** What a person does in a browser: follows redirects, and fills in the forms for login and consent. */
async function walk(start: string, login: string): Promise<string> {
  const origin = new URL(start).origin;
  const cookies = new Map<string, string>();
  let request: { url: string; body?: URLSearchParams } = { url: start };
  for (let steps = 0; steps < 15; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const { url, body } = request;
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(body && { method: "POST", body }),
    });
    for (const each of response.headers.getSetCookie()) {
      const [name = "", value = ""] = each.split(";")[0]?.split("=", 2) ?? [];
      cookies.set(name, value);
    }
    const page = await response.text();
    const location = response.headers.get("location");
    if (location && new URL(location, url).origin !== origin) return location;
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (!location && !prompt) throw new Error(`the provider is stuck at ${url}: ${page.slice(0, 400)}`);
    request = location
      ? { url: new URL(location, url).href }
      : { url, body: new URLSearchParams({ prompt: prompt ?? "", login, password: "any" }) };
  }
  throw new Error("the provider goes round in circles");
}
