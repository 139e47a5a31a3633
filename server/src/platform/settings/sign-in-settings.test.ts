import { expect, it } from "vitest";
import { readSettings } from "./read-settings.ts";
import { signIn } from "./sign-in-settings.ts";

const OKTA = { SIGN_IN_PROVIDERS: "okta", SIGN_IN_OKTA_ISSUER: "https://o.example", SIGN_IN_OKTA_CLIENT_ID: "me" };
function read(env: Record<string, string>, allowsHttp = false) {
  const settings = readSettings(env);
  return { ...signIn(settings, { allowsHttp }), mistakes: settings.mistakes };
}

it("A13 a provider needs an issuer and a client id", () => {
  const rule = { group: "g", project: "p", role: "viewer" };
  const { providers, rules, mistakes } = read({ ...OKTA, SIGN_IN_RULES: JSON.stringify([rule]) });
  expect([mistakes, rules]).toEqual([[], [rule]]);
  expect(providers).toMatchObject([{ id: "okta", name: "okta", client_secret: undefined, trusts_email: false }]);
  expect(read({ ...OKTA, SIGN_IN_OKTA_ISSUER: "http://o.example" }, true).mistakes).toEqual([]);
});

it.each([
  [{ SIGN_IN_OKTA_ISSUER: "http://o.example" }, "SIGN_IN_OKTA_ISSUER"],
  [{ SIGN_IN_OKTA_CLIENT_ID: "" }, "SIGN_IN_OKTA_CLIENT_ID"],
  [{ SIGN_IN_PROVIDERS: "okta,local" }, "SIGN_IN_PROVIDERS contains local"],
  [{ SIGN_IN_PROVIDERS: "okta,okta" }, "SIGN_IN_PROVIDERS contains okta"],
  [{ SIGN_IN_RULES: "{" }, "SIGN_IN_RULES must be a JSON array"],
  [{ SIGN_IN_RULES: '[{"project":"p","role":"r"}]' }, "SIGN_IN_RULES [0] must have one of"],
  [{ SIGN_IN_RULES: '[{"group":"g","role":"r"}]' }, "SIGN_IN_RULES [0] must have project and role"],
  [{ SIGN_IN_RULES: '[{"provider":"x","project":"p","role":"r"}]' }, "SIGN_IN_RULES [0].provider is not in"],
  [{ SIGN_IN_RULES: '[{"domain":"x","project":"p","role":"r"}]' }, "SIGN_IN_RULES [0] has the unknown field domain"],
])("%j is refused", (env, message) => {
  expect(read({ ...OKTA, ...env } as Record<string, string>).mistakes).toEqual([expect.stringContaining(message)]);
});
