import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { findUnknownVariables } from "@millrace/contract/projects/variables";
import { PASSWORD_COST } from "../access/accounts/derive-password.ts";
import { isWellFormedKey } from "../access/credentials/key-format.ts";
import { type PrivateEndpoints, parsePrivateEndpoints } from "../outgoing/address-rules.ts";
import { parseDuration } from "../time/duration.ts";
import { type ReadSettings, readSettings } from "./read-settings.ts";
import { type SignInSettings, signIn } from "./sign-in-settings.ts";

export type Mode = "dev" | "serve";
type Role = "api" | "engine";

export type Config = {
  mode: Mode;
  host: string;
  port: number;
  roles: ReadonlySet<Role>;
  /** Absent: the embedded PostgreSQL in `data_dir`. */
  database: { url: string; direct_url: string; schema?: string | undefined } | undefined;
  data_dir: string;
  /** The first key of each signs and encrypts; all verify and decrypt. */
  internal_secrets: string[];
  jwt_signing_keys: string[];
  encryption_keys: string[];
  /** Created on a database without projects. Undefined: none. */
  first_project: { api_key: string; signing_secret: string } | undefined;
  rate_limits: { api: number; trigger: number; bulk_trigger: number };
  max_body_bytes: number;
  private_endpoints: PrivateEndpoints;
  trusted_proxies: string[];
  public_url: string | undefined;
  cors_origins: string[];
  shutdown_grace_secs: number;
  /** Maximum number of runs in flight on one instance. */
  dispatch_concurrency: number;
  /** Triggers of each kind that may wait for the commit of those before them. */
  max_waiting_triggers: number;
  /** Of all event streams of this instance together. */
  max_unread_stream_bytes: number;
  log_retention_secs: number;
  /** Retention of ended webhook deliveries. */
  delivery_retention_secs: number;
  run_retention_secs: number;
  /** Retention of ended triggers. */
  event_trigger_retention_secs: number;
  /** Default limit of concurrent event waits per project. */
  max_active_event_triggers: number;
  workflow_run_retention_secs: number;
  audit_retention_secs: number;
  /** The N of scrypt. Not a setting: only tests have a lower one. */
  password_cost: number;
  /** The issuer of people's bearer tokens; undefined: none are accepted. */
  oidc: { issuer: string; audience: string } | undefined;
  /** How people sign in to the dashboard with identity providers. */
  sign_in: SignInSettings;
  /** How e-mail is sent: by SMTP if configured, else by webhook; undefined: not at all. */
  mail: MailSettings | undefined;
  log_level: string;
  /** Held by one instance at a time. Null: none. */
  instance_name: string | null;
};

type MailSettings = { from: string } & (
  | { smtp_url: string; webhook_url?: undefined }
  | { smtp_url?: undefined; webhook_url: string }
);

/**
 * Returns the settings of this start, or all errors in them. In development the caller generates missing secrets.
 * `warnings` list unknown variables that resemble a setting: they may belong to other software.
 */
export function parseConfig(
  mode: Mode,
  env: Record<string, string | undefined>,
  cwd: string,
): { ok: true; config: Config; warnings: string[] } | { ok: false; mistakes: string[] } {
  const settings = readSettings(env);
  const config = mode === "dev" ? devConfig(settings, env, cwd) : serveConfig(settings, env);
  const unknown = findUnknownVariables(env, settings.names);
  const sentences = (areOwn: boolean) => unknown.filter(({ is_own }) => is_own === areOwn).map(sentenceOf);
  const mistakes = [...settings.mistakes, ...sentences(true)];
  const warnings = sentences(false);
  // If there are errors, the suspicious variables are reported with them.
  return mistakes.length > 0 ? { ok: false, mistakes: [...mistakes, ...warnings] } : { ok: true, config, warnings };
}

function sentenceOf({ name, is_own, meant }: ReturnType<typeof findUnknownVariables>[number]): string {
  const question = meant ? ` Did you mean ${meant}?` : "";
  if (!is_own) return `${name} is not a setting, and is ignored.${question}`;
  return `${name} is not a setting.${question} Names that begin with MILLRACE_ are reserved: correct the name, or unset it.`;
}

function devConfig(settings: ReadSettings, env: Record<string, string | undefined>, cwd: string): Config {
  return {
    ...sharedConfig(settings),
    oidc: oidc("dev", settings),
    sign_in: signIn(settings, { allowsHttp: true }),
    mode: "dev",
    host: settings.text("HOST", "127.0.0.1"),
    data_dir: resolve(cwd, env.MILLRACE_DATA_DIR || ".millrace"),
    internal_secrets: settings.secrets("INTERNAL_SECRET", { required: false }),
    jwt_signing_keys: settings.secrets("JWT_SIGNING_KEY", { required: false }),
    encryption_keys: settings.secrets("ENCRYPTION_KEY", { required: false }),
    rate_limits: rateLimits(settings, { api: 0, trigger: 0, bulk_trigger: 0 }),
    private_endpoints: privateEndpoints(settings, "true"),
  };
}

function serveConfig(settings: ReadSettings, env: Record<string, string | undefined>): Config {
  const stateHome = env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  return {
    ...sharedConfig(settings),
    oidc: oidc("serve", settings),
    sign_in: signIn(settings, { allowsHttp: false }),
    mode: "serve",
    host: settings.text("HOST", "0.0.0.0"),
    data_dir: resolve(env.MILLRACE_DATA_DIR || join(stateHome, "millrace")),
    internal_secrets: settings.secrets("INTERNAL_SECRET", { required: true }),
    jwt_signing_keys: settings.secrets("JWT_SIGNING_KEY", { required: true }),
    encryption_keys: settings.secrets("ENCRYPTION_KEY", { required: true }),
    rate_limits: rateLimits(settings, { api: 100, trigger: 10, bulk_trigger: 30 }),
    private_endpoints: privateEndpoints(settings, "false"),
  };
}

function sharedConfig(settings: ReadSettings) {
  return {
    port: settings.integer("PORT", 8787, { min: 0, max: 65_535 }),
    roles: roles(settings),
    database: database(settings),
    max_body_bytes: settings.integer("MAX_BODY_BYTES", 1_048_576, { min: 1_024, max: 16_777_216 }),
    trusted_proxies: settings.cidrs("TRUSTED_PROXIES"),
    public_url: settings.origin("PUBLIC_URL"),
    cors_origins: settings.origins("CORS_ORIGINS"),
    dispatch_concurrency: settings.integer("DISPATCH_CONCURRENCY", 200, { min: 1, max: 10_000 }),
    max_waiting_triggers: settings.integer("MAX_WAITING_TRIGGERS", 1_000, { min: 1, max: 100_000 }),
    max_unread_stream_bytes: settings.integer("MAX_UNREAD_STREAM_BYTES", 67_108_864, {
      min: 65_536,
      max: 2_147_483_647,
    }),
    shutdown_grace_secs: settings.integer("SHUTDOWN_GRACE_SECS", 30, { min: 0, max: 3_600 }),
    log_retention_secs: durationSecs(settings, "LOG_RETENTION", "720h"),
    delivery_retention_secs: durationSecs(settings, "DELIVERY_RETENTION", "720h"),
    run_retention_secs: durationSecs(settings, "RUN_RETENTION", "2160h"),
    event_trigger_retention_secs: eventTriggerRetention(settings),
    max_active_event_triggers: settings.integer("MAX_ACTIVE_EVENT_TRIGGERS", 100_000, { min: 0, max: 1_000_000_000 }),
    workflow_run_retention_secs: durationSecs(settings, "WORKFLOW_RUN_RETENTION", "2160h"),
    audit_retention_secs: durationSecs(settings, "AUDIT_RETENTION", "8760h"),
    password_cost: PASSWORD_COST,
    first_project: firstProject(settings),
    mail: mail(settings),
    instance_name: settings.text("INSTANCE_NAME", "") || null,
    log_level: settings.oneOf("LOG_LEVEL", "info", ["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  };
}

/**
 * Both or neither. A token that could be changed in transit proves nothing, so https is required except in development.
 */
function oidc(mode: Mode, settings: ReadSettings): Config["oidc"] {
  const [issuer, audience] = [settings.text("OIDC_ISSUER", ""), settings.text("OIDC_AUDIENCE", "")];
  if (issuer === "" && audience === "") return undefined;
  const isSafe = /^https?:/.test(issuer) && URL.canParse(issuer) && (mode === "dev" || issuer.startsWith("https://"));
  if (!isSafe) settings.mistakes.push("OIDC_ISSUER must be the issuer's https URL, as in the claim iss of its tokens.");
  if (audience === "") settings.mistakes.push("OIDC_AUDIENCE is missing: the issuer's name for this service.");
  return { issuer, audience };
}

/** Both or neither. `millrace init --production` makes them; their values are never repeated: they are secrets. */
function firstProject(settings: ReadSettings): Config["first_project"] {
  const [api_key, signing_secret] = [settings.text("FIRST_API_KEY", ""), settings.text("FIRST_SIGNING_SECRET", "")];
  if (api_key === "" && signing_secret === "") return undefined;
  const remedy = "`millrace init --production` makes both.";
  if (!isWellFormedKey(api_key)) settings.mistakes.push(`FIRST_API_KEY is not an API key. ${remedy}`);
  if (!/^whsec_[A-Za-z0-9+/]{43}=$/.test(signing_secret)) {
    settings.mistakes.push(`FIRST_SIGNING_SECRET is not a signing secret. ${remedy}`);
  }
  return { api_key, signing_secret };
}

/** Addresses are never repeated in a message: they contain passwords. */
function mail(settings: ReadSettings): Config["mail"] {
  const [smtp_url, webhook_url] = [settings.text("SMTP_URL", ""), settings.text("MAIL_WEBHOOK_URL", "")];
  const from = settings.text("MAIL_FROM", "");
  if (smtp_url === "" && webhook_url === "") return undefined;
  if (from === "") settings.mistakes.push("MAIL_FROM is missing: the sender address of e-mail.");
  if (smtp_url !== "" && !isUrl(smtp_url, /^smtps?:$/)) {
    settings.mistakes.push("SMTP_URL is not the address of an SMTP server, such as smtps://user:password@host:465.");
  }
  if (smtp_url === "" && !isUrl(webhook_url, /^https?:$/)) {
    settings.mistakes.push("MAIL_WEBHOOK_URL must be an http or https address.");
  }
  return smtp_url === "" ? { from, webhook_url } : { from, smtp_url };
}

function isUrl(text: string, protocol: RegExp): boolean {
  return URL.canParse(text) && protocol.test(new URL(text).protocol) && new URL(text).hostname !== "";
}

function database(settings: ReadSettings): Config["database"] {
  const url = settings.databaseUrl("DATABASE_URL");
  const directUrl = settings.databaseUrl("DATABASE_DIRECT_URL");
  if (directUrl && !url) settings.mistakes.push("DATABASE_DIRECT_URL is set but DATABASE_URL is not: set both.");
  const schema = settings.text("DATABASE_SCHEMA", "") || undefined;
  if (schema && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    settings.mistakes.push(
      "DATABASE_SCHEMA takes up to 63 lower-case letters, digits and _, and begins with no digit.",
    );
  }
  if (schema && !url) settings.mistakes.push("DATABASE_SCHEMA is set but DATABASE_URL is not: set both.");
  return url ? { url, direct_url: directUrl ?? url, schema } : undefined;
}

function roles(settings: ReadSettings): ReadonlySet<Role> {
  const named = settings.list("ROLES", ["api", "engine"]);
  const unknown = named.filter((role) => role !== "api" && role !== "engine");
  if (unknown.length > 0 || named.length === 0) {
    settings.mistakes.push(`ROLES contains ${unknown.join(", ") || "nothing"}: it takes api, engine or both.`);
  }
  return new Set(named as Role[]);
}

function rateLimits(settings: ReadSettings, otherwise: Config["rate_limits"]): Config["rate_limits"] {
  const perMinute = (name: string, value: number) => settings.integer(name, value, { min: 0, max: 1_000_000 });
  return {
    api: perMinute("RATE_LIMIT_API_PER_MINUTE", otherwise.api),
    trigger: perMinute("RATE_LIMIT_TRIGGER_PER_MINUTE", otherwise.trigger),
    bulk_trigger: perMinute("RATE_LIMIT_BULK_TRIGGER_PER_MINUTE", otherwise.bulk_trigger),
  };
}

function durationSecs(settings: ReadSettings, name: string, otherwise: string): number {
  const text = settings.text(name, otherwise);
  const parsed = parseDuration(text);
  if (parsed.ok) return parsed.secs;
  settings.mistakes.push(`${name} is "${text}": it ${parsed.message}.`);
  return 0;
}

/** The older setting is in days; the newer one wins. */
function eventTriggerRetention(settings: ReadSettings): number {
  const days = settings.integer("EVENT_TRIGGER_RETENTION_DAYS", 30, { min: 1, max: 36_500 });
  return durationSecs(settings, "EVENT_TRIGGER_RETENTION", `${days * 24}h`);
}

function privateEndpoints(settings: ReadSettings, otherwise: string): PrivateEndpoints {
  const parsed = parsePrivateEndpoints(settings.text("ALLOW_PRIVATE_ENDPOINTS", otherwise));
  if (typeof parsed === "object" && "error" in parsed) {
    settings.mistakes.push(`ALLOW_PRIVATE_ENDPOINTS: ${parsed.error}`);
    return "refuse";
  }
  return parsed;
}
