import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWTPayload, SignJWT } from "jose";
import type { SignInProvider } from "../../src/platform/settings/sign-in-settings.ts";
import { whenFileEnds } from "../world/end-of-file.ts";
import { PROVIDER_KEYS, rsaKey } from "./rsa-keys.ts";

type Answers = {
  /** Claims of ID tokens, besides those that the protocol prescribes; they replace those, too. */
  claims: JWTPayload;
  /** A whole ID token in place of the signed one. */
  id_token: ((claims: JWTPayload) => string | Promise<string>) | undefined;
  discovery: object;
  failing: "discovery" | "token" | "everything" | "nothing";
  /** Of a refresh: the grant ended, too many requests, an error that passes, the page of a proxy. */
  refresh: "granted" | "refused" | "limited" | "passing" | "page";
};

export type TestProvider = {
  settings: SignInProvider;
  /** What it answers from now on. */
  answers: Answers;
  reset: () => void;
  /** What the person does at the provider: the address to which it sends the browser back. */
  approve: (authorizationUrl: string) => URL;
  requests: () => string[];
  /** Signs with a new key from now on, and no longer publishes the old one. */
  rotateKeys: () => Promise<void>;
};

const usual = (): Answers => ({
  ...{ claims: {}, id_token: undefined, discovery: {}, failing: "nothing", refresh: "granted" },
});

let providers = 0;

/** An identity provider on this machine that answers as a test says, also wrongly. */
export async function signInProvider(id: string): Promise<TestProvider> {
  const own = PROVIDER_KEYS[providers++ % PROVIDER_KEYS.length] ?? PROVIDER_KEYS[0];
  let rotations = 0;
  let [privateKey, jwk] = await newKey(own[0], `key-${id}`);
  const codes = new Map<string, { nonce: string; challenge: string }>();
  const requests: string[] = [];
  const provider = { answers: usual() };
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    void respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenFileEnds(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { failing, discovery } = provider.answers;
    const send = (status: number, body: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (failing === "everything") return void request.destroy();
    if (request.url === "/.well-known/openid-configuration") {
      return failing === "discovery" ? send(404, {}) : send(200, { ...metadataOf(issuer), ...discovery });
    }
    if (request.url === "/jwks") return send(200, { keys: [jwk] });
    if (request.url !== "/token" || failing === "token") return send(failing === "token" ? 500 : 404, {});
    const grant = new URLSearchParams(await textOf(request));
    const isRefresh = grant.get("grant_type") === "refresh_token";
    const { refresh } = provider.answers;
    if (isRefresh && refresh === "limited") return send(429, { error: "too_many_requests" });
    if (isRefresh && refresh === "passing") return send(400, { error: "temporarily_unavailable" });
    if (isRefresh && refresh === "page")
      return void response.writeHead(403, { "content-type": "text/html" }).end("<h1>Blocked</h1>");
    const nonce = isRefresh ? refreshed() : redeem(grant);
    if (nonce === undefined) return send(400, { error: "invalid_grant" });
    const claims = { iss: issuer, aud: id, sub: "ada", nonce: nonce || undefined, ...provider.answers.claims };
    const tokens = { access_token: "access", token_type: "Bearer", refresh_token: `refresh-${requests.length}` };
    send(200, { ...tokens, id_token: await (provider.answers.id_token ?? sign)(claims) });
  }

  const refreshed = () => (provider.answers.refresh === "granted" ? "" : undefined);

  /** A code works once, with the verifier whose challenge came with the request. */
  function redeem(grant: URLSearchParams): string | undefined {
    const known = codes.get(grant.get("code") ?? "");
    codes.delete(grant.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(grant.get("code_verifier") ?? "")
      .digest("base64url");
    return known?.challenge === challenge ? known.nonce : undefined;
  }

  const sign = (claims: JWTPayload) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: jwk.kid })
      .setIssuedAt(claims.iat)
      .setExpirationTime(claims.exp ?? "5m")
      .sign(privateKey);

  return Object.assign(provider, {
    settings: {
      ...{ id, name: `The ${id}`, issuer, client_id: id, client_secret: "client-secret" },
      ...{ scopes: "openid email", groups_claim: "groups", trusts_email: false },
      scim_token: `scim-token-of-${id}-0123456789abcdef`,
    },
    reset: () => {
      provider.answers = usual();
    },
    approve: (authorizationUrl: string) => {
      const asked = new URL(authorizationUrl).searchParams;
      const code = `code-${codes.size}-${requests.length}`;
      codes.set(code, { nonce: asked.get("nonce") ?? "", challenge: asked.get("code_challenge") ?? "" });
      const url = new URL(asked.get("redirect_uri") ?? "");
      for (const [name, value] of Object.entries({ code, state: asked.get("state") ?? "", iss: issuer }))
        url.searchParams.set(name, value);
      return url;
    },
    requests: () => requests,
    rotateKeys: async () => {
      [privateKey, jwk] = await newKey(own[++rotations % 2] ?? own[0], `key-${id}-${requests.length}`);
    },
  });
}

async function newKey(nth: number, kid: string) {
  const { privateKey, publicJwk } = await rsaKey(nth);
  return [privateKey, { ...publicJwk, alg: "RS256", use: "sig", kid }] as const;
}

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize?tenant=1`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/logout`,
    id_token_signing_alg_values_supported: ["RS256", "none"],
    authorization_response_iss_parameter_supported: true,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
