import type { ReadSettings } from "./read-settings.ts";

export type SignInProvider = {
  id: string;
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string | undefined;
  scopes: string;
  groups_claim: string;
  /** Accepts e-mail addresses that the provider does not mark as verified. */
  trusts_email: boolean;
  /** The bearer token for provisioning (SCIM). Undefined: no provisioning. */
  scim_token: string | undefined;
};

/** Everyone who meets all of its conditions gets the role in the project. */
export type SignInRule = {
  provider?: string;
  group?: string;
  email_domain?: string;
  project: string;
  role: string;
};

export type SignInSettings = { providers: SignInProvider[]; rules: SignInRule[]; recheck_secs: number };

const ID = /^[a-z][a-z0-9-]{0,30}$/;
/** Subjects of local accounts begin with it. */
const RESERVED = "local";
/** Too long to guess, so requests with a wrong token are not rate-limited. */
const MIN_SCIM_TOKEN = 32;
const CONDITIONS = ["provider", "group", "email_domain"];

/** Secrets are never repeated in a message. */
export function signIn(settings: ReadSettings, { allowsHttp }: { allowsHttp: boolean }): SignInSettings {
  const ids = settings.list("SIGN_IN_PROVIDERS");
  const wrong = ids.filter((id, index) => !ID.test(id) || id === RESERVED || ids.indexOf(id) !== index);
  if (wrong.length > 0)
    settings.mistakes.push(
      `SIGN_IN_PROVIDERS contains ${wrong.join(", ")}: each must be a different name in lower case, such as okta, and not ${RESERVED}.`,
    );
  const providers = ids.filter((id) => !wrong.includes(id)).map((id) => provider(settings, id, allowsHttp));
  return {
    providers,
    rules: rules(settings, ids),
    recheck_secs: settings.integer("SIGN_IN_RECHECK_SECS", 5, { min: 1, max: 3_600 }),
  };
}

function provider(settings: ReadSettings, id: string, allowsHttp: boolean): SignInProvider {
  const prefix = `SIGN_IN_${id.toUpperCase().replaceAll("-", "_")}`;
  const issuer = settings.text(`${prefix}_ISSUER`, "");
  const isSafe = URL.canParse(issuer) && (allowsHttp ? /^https?:/ : /^https:/).test(issuer);
  if (!isSafe) settings.mistakes.push(`${prefix}_ISSUER must be the https URL of the provider, as in its tokens.`);
  const client_id = settings.text(`${prefix}_CLIENT_ID`, "");
  if (client_id === "") settings.mistakes.push(`${prefix}_CLIENT_ID is missing: the provider's name for this service.`);
  const scim_token = settings.text(`${prefix}_SCIM_TOKEN`, "") || undefined;
  if (scim_token !== undefined && scim_token.length < MIN_SCIM_TOKEN)
    settings.mistakes.push(`${prefix}_SCIM_TOKEN must have at least ${MIN_SCIM_TOKEN} characters.`);
  return {
    ...{ id, issuer, client_id, scim_token },
    name: settings.text(`${prefix}_NAME`, id),
    client_secret: settings.text(`${prefix}_CLIENT_SECRET`, "") || undefined,
    scopes: settings.text(`${prefix}_SCOPES`, "openid profile email offline_access"),
    groups_claim: settings.text(`${prefix}_GROUPS_CLAIM`, "groups"),
    trusts_email: settings.oneOf(`${prefix}_TRUST_EMAIL`, "false", ["true", "false"]) === "true",
  };
}

function rules(settings: ReadSettings, providers: string[]): SignInRule[] {
  const text = settings.text("SIGN_IN_RULES", "");
  if (text === "") return [];
  const parsed = parseJson(text);
  const mistake = Array.isArray(parsed)
    ? parsed.map((rule, index) => issueOf(rule, index, providers)).find(Boolean)
    : "must be a JSON array";
  if (mistake === undefined) return parsed as SignInRule[];
  settings.mistakes.push(`SIGN_IN_RULES ${mistake}.`);
  return [];
}

function issueOf(rule: unknown, index: number, providers: string[]): string | undefined {
  const at = `[${index}]`;
  if (typeof rule !== "object" || rule === null) return `${at} must be an object`;
  const fields = rule as Record<string, unknown>;
  const unknown = Object.keys(fields).find((name) => ![...CONDITIONS, "project", "role"].includes(name));
  if (unknown !== undefined) return `${at} has the unknown field ${unknown}`;
  const notText = Object.keys(fields).find((name) => typeof fields[name] !== "string" || fields[name] === "");
  if (notText !== undefined) return `${at}.${notText} must be text`;
  if (fields.project === undefined || fields.role === undefined) return `${at} must have project and role`;
  if (!CONDITIONS.some((name) => name in fields)) return `${at} must have one of ${CONDITIONS.join(", ")}`;
  if (fields.provider !== undefined && !providers.includes(String(fields.provider)))
    return `${at}.provider is not in SIGN_IN_PROVIDERS`;
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
