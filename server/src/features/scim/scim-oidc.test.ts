import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AUDIENCE, type OidcIssuer, oidcIssuer } from "../../../test/outside/oidc-issuer.ts";
import { signInProvider } from "../../../test/outside/sign-in-provider.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let issuer: OidcIssuer;
let project: TestProject;
let scim_token: string;
beforeAll(async () => {
  issuer = await oidcIssuer();
  const { settings } = await signInProvider("corp");
  scim_token = settings.scim_token ?? "";
  const provider = { ...settings, issuer: issuer.issuer };
  world = await makeWorld({
    config: {
      oidc: { issuer: issuer.issuer, audience: AUDIENCE },
      sign_in: { providers: [provider], rules: [], recheck_secs: 5 },
    },
  });
});
beforeEach(async () => {
  project = await world.project();
});

async function scim(method: string, path: string, body: object): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${scim_token}`, "content-type": "application/scim+json" };
  const response = await fetch(`${world.url}/scim/v2/corp/${path}`, { method, headers, body: JSON.stringify(body) });
  return (await response.json()) as { id: string };
}

const setActive = (id: string, value: boolean) =>
  scim("PATCH", `Users/${id}`, { Operations: [{ op: "replace", path: "active", value }] });
const listJobs = (token: string) => world.as(token).get(`/v1/jobs?project_id=${project.id}`);

describe("an OIDC token of a person whom the provider has deactivated", () => {
  it.each([
    ["found by the subject", { userName: "grace", externalId: "grace" }, { sub: "grace" }],
    [
      "found by a verified address",
      { userName: "hopper@example.com" },
      { sub: "00u7", email: "Hopper@example.com", email_verified: true },
    ],
  ])("A18 is refused within a second, whoever made the person a member: %s", async (_, user, claims) => {
    await project.api.post("/v1/members", { subject: claims.sub, role_id: "viewer" });
    const token = await issuer.sign(claims);
    expect((await listJobs(token)).status).toBe(200);
    const { id } = await scim("POST", "Users", user);
    await setActive(id, false);
    const refused = await until("the token is refused", 20_000, async () => {
      const response = await listJobs(token);
      return response.status === 200 ? undefined : response;
    });
    expect([refused.status, refused.body.code]).toEqual([401, "unauthorized"]);
    expect(refused.body.detail).toContain("deactivated");
    await setActive(id, true);
    await until("the token is accepted again", 20_000, async () => (await listJobs(token)).status === 200);
  });
});
