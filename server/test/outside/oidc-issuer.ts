import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";
import { whenFileEnds } from "../world/end-of-file.ts";
import { ISSUER_KEYS, rsaKey } from "./rsa-keys.ts";

export const AUDIENCE = "millrace-api";

export type OidcIssuer = {
  issuer: string;
  /** A token issued by the provider itself for this subject. */
  token: (subject: string) => Promise<string>;
  /** A token signed with the provider's key, with any claims. */
  sign: (claims: JWTPayload, alg?: "RS256" | "ES256") => Promise<string>;
  /** The same for any claims set as JSON text: the library rejects claims of a wrong type. */
  signText: (claims: string) => Promise<string>;
  /** Rotates the provider's keys: it signs with new keys and publishes only those. */
  rotate: () => Promise<void>;
  /** Its public key as bytes, for attacks that use it as a shared secret. */
  publicKey: () => JWK;
  requests: () => number;
  goAway: () => void;
  comeBack: () => void;
};

type Keys = { RS256: CryptoKey; ES256: CryptoKey; jwks: JWK[] };

/** A real OpenID provider on this machine. */
export async function oidcIssuer(): Promise<OidcIssuer> {
  let listener: RequestListener = (_, response) => void response.writeHead(503).end();
  let [requests, isAway] = [0, false];
  const server = createServer((request, response) => {
    requests++;
    if (isAway) request.destroy();
    else listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenFileEnds(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let rotations = 0;
  let keys = await newKeys(rotations);
  const serve = () => {
    listener = new Provider(issuer, providerConfig(keys.jwks)).callback();
  };
  serve();

  const sign: OidcIssuer["sign"] = (claims, alg = "RS256") =>
    new SignJWT({ iss: issuer, aud: AUDIENCE, sub: "somebody", ...claims })
      .setProtectedHeader({ alg, kid: keys.jwks.find((key) => key.alg === alg)?.kid ?? "" })
      .setIssuedAt(claims.iat)
      .setExpirationTime(claims.exp ?? "5m")
      .sign(keys[alg]);

  const signText: OidcIssuer["signText"] = (claims) =>
    new CompactSign(new TextEncoder().encode(claims))
      .setProtectedHeader({ alg: "RS256", kid: keys.jwks.find((key) => key.alg === "RS256")?.kid ?? "" })
      .sign(keys.RS256);

  return {
    issuer,
    token: (subject) => fetchToken(issuer, subject),
    sign,
    signText,
    rotate: async () => {
      keys = await newKeys(++rotations);
      serve();
    },
    publicKey: () => keys.jwks[0] ?? {},
    requests: () => requests,
    goAway: () => {
      isAway = true;
    },
    comeBack: () => {
      isAway = false;
    },
  };
}

async function newKeys(rotations: number): Promise<Keys> {
  const rsa = await rsaKey(rotations % 2 === 0 ? ISSUER_KEYS[0] : ISSUER_KEYS[1]);
  const ec = await generateKeyPair("ES256", { extractable: true });
  const jwks = [
    { ...rsa.privateJwk, alg: "RS256", use: "sig", kid: `rsa-${rotations}` },
    { ...(await exportJWK(ec.privateKey)), alg: "ES256", use: "sig", kid: `ec-${rotations}` },
  ];
  return { RS256: rsa.privateKey, ES256: ec.privateKey, jwks };
}

/** Machine clients get tokens without a browser: the client is the subject. */
function providerConfig(jwks: JWK[]) {
  return {
    jwks: { keys: jwks },
    clients: ["ada", "grace"].map((client_id) => ({
      ...{ client_id, client_secret: "client-secret", grant_types: ["client_credentials"] },
      ...{ redirect_uris: [], response_types: [] },
    })),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => "urn:millrace",
        getResourceServerInfo: () => ({
          ...{ scope: "api", audience: AUDIENCE, accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } },
        }),
      },
    },
  };
}

async function fetchToken(issuer: string, client_id: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:client-secret`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "api", resource: "urn:millrace" }),
  });
  const tokens = (await response.json()) as { access_token?: string };
  if (!tokens.access_token) throw new Error(`no token: ${JSON.stringify(tokens)}`);
  return tokens.access_token;
}
