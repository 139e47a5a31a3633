import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Config, type Mode, parseConfig } from "./config.ts";

const SECRET = "a-secret-of-at-least-32-characters-0123";
const SECRETS = { INTERNAL_SECRET: SECRET, JWT_SIGNING_KEY: SECRET, ENCRYPTION_KEY: SECRET };

type Env = Record<string, string | undefined>;

function configOf(mode: Mode, env: Env = {}): Config {
  const parsed = parseConfig(mode, { ...SECRETS, ...env }, "/srv/app");
  if (!parsed.ok) throw new Error(parsed.mistakes.join("\n"));
  return parsed.config;
}

function mistakesOf(mode: Mode, env: Env): string[] {
  const parsed = parseConfig(mode, env, "/srv/app");
  return parsed.ok ? [] : parsed.mistakes;
}

const SHARED = {
  port: 8787,
  roles: new Set(["api", "engine"]),
  database: undefined,
  max_body_bytes: 1_048_576,
  trusted_proxies: [],
  public_url: undefined,
  cors_origins: [],
  shutdown_grace_secs: 30,
  dispatch_concurrency: 200,
  log_retention_secs: 2_592_000,
  delivery_retention_secs: 2_592_000,
  run_retention_secs: 7_776_000,
  event_trigger_retention_secs: 2_592_000,
  max_active_event_triggers: 100_000,
  workflow_run_retention_secs: 7_776_000,
  audit_retention_secs: 31_536_000,
  oidc: undefined,
  log_level: "info",
  instance_name: null,
};

describe("the settings without any", () => {
  it("in dev: this machine alone, no limits, private endpoints allowed, secrets to be made", () => {
    const parsed = parseConfig("dev", {}, "/srv/app");
    expect(parsed).toEqual({
      ok: true,
      config: {
        ...SHARED,
        mode: "dev",
        host: "127.0.0.1",
        data_dir: "/srv/app/.millrace",
        internal_secrets: [],
        jwt_signing_keys: [],
        encryption_keys: [],
        rate_limits: { api: 0, trigger: 0, bulk_trigger: 0 },
        private_endpoints: "allow",
      },
    });
  });

  it("in serve: every address, the specified limits, private endpoints refused", () => {
    expect(configOf("serve")).toEqual({
      ...SHARED,
      mode: "serve",
      host: "0.0.0.0",
      data_dir: join(homedir(), ".local", "state", "millrace"),
      internal_secrets: [SECRET],
      jwt_signing_keys: [SECRET],
      encryption_keys: [SECRET],
      rate_limits: { api: 100, trigger: 10, bulk_trigger: 30 },
      private_endpoints: "refuse",
    });
  });

  it("in serve the three secrets are required, and all that are missing are told at once", () => {
    const mistakes = mistakesOf("serve", {});
    expect(mistakes.map((mistake) => mistake.split(" ")[0])).toEqual([
      "INTERNAL_SECRET",
      "JWT_SIGNING_KEY",
      "ENCRYPTION_KEY",
    ]);
  });
});

describe("a setting", () => {
  it.each<[Env, Partial<Config>]>([
    [{ PORT: " 80 " }, { port: 80 }],
    [{ PORT: "" }, { port: 8787 }],
    [{ HOST: "::1" }, { host: "::1" }],
    [{ ROLES: "api" }, { roles: new Set(["api"]) }],
    [{ ROLES: " engine , api " }, { roles: new Set(["engine", "api"]) }],
    [{ MAX_BODY_BYTES: "2048" }, { max_body_bytes: 2048 }],
    [{ TRUSTED_PROXIES: "10.0.0.0/8, ::1" }, { trusted_proxies: ["10.0.0.0/8", "::1"] }],
    [{ PUBLIC_URL: "https://Millrace.example.com/" }, { public_url: "https://millrace.example.com" }],
    [
      { CORS_ORIGINS: "https://a.example,http://b.example:81" },
      { cors_origins: ["https://a.example", "http://b.example:81"] },
    ],
    [{ SHUTDOWN_GRACE_SECS: "0" }, { shutdown_grace_secs: 0 }],
    [{ LOG_LEVEL: "debug" }, { log_level: "debug" }],
    [{ INSTANCE_NAME: "worker-0" }, { instance_name: "worker-0" }],
    [{ RATE_LIMIT_API_PER_MINUTE: "7" }, { rate_limits: { api: 7, trigger: 10, bulk_trigger: 30 } }],
    [{ ALLOW_PRIVATE_ENDPOINTS: "true" }, { private_endpoints: "allow" }],
    [{ MILLRACE_DATA_DIR: "/var/millrace" }, { data_dir: "/var/millrace" }],
    [{ XDG_STATE_HOME: "/state" }, { data_dir: "/state/millrace" }],
    [{ DATABASE_URL: "postgres://h/d" }, { database: { url: "postgres://h/d", direct_url: "postgres://h/d" } }],
    [
      { DATABASE_URL: "postgres://pooler/d", DATABASE_DIRECT_URL: "postgresql://direct/d" },
      { database: { url: "postgres://pooler/d", direct_url: "postgresql://direct/d" } },
    ],
    [{ INTERNAL_SECRET: `${SECRET}1, ${SECRET}2` }, { internal_secrets: [`${SECRET}1`, `${SECRET}2`] }],
  ])("%j is %j", (env, expected) => {
    expect(configOf("serve", env)).toMatchObject(expected);
  });

  it.each<[Env, string]>([
    [{ PORT: "80a" }, 'PORT is "80a": it must be a whole number from 0 to 65535.'],
    [{ PORT: "65536" }, "PORT"],
    [{ PORT: "1.5" }, "PORT"],
    [{ PORT: "0x50" }, "PORT"],
    [{ MAX_BODY_BYTES: "1" }, "MAX_BODY_BYTES"],
    [{ SHUTDOWN_GRACE_SECS: "-1" }, "SHUTDOWN_GRACE_SECS"],
    [{ RATE_LIMIT_TRIGGER_PER_MINUTE: "many" }, "RATE_LIMIT_TRIGGER_PER_MINUTE"],
    [{ ROLES: "api,web" }, "ROLES holds web"],
    [{ ROLES: "," }, "ROLES"],
    [{ LOG_LEVEL: "loud" }, "LOG_LEVEL"],
    [{ PUBLIC_URL: "millrace.example.com" }, "PUBLIC_URL"],
    [{ PUBLIC_URL: "https://example.com/path" }, "PUBLIC_URL"],
    [{ PUBLIC_URL: "https://a.example,https://b.example" }, "PUBLIC_URL"],
    [{ CORS_ORIGINS: "https://a.example,*" }, 'CORS_ORIGINS holds "*"'],
    [{ TRUSTED_PROXIES: "10.0.0.0/8,somewhere" }, "TRUSTED_PROXIES holds somewhere"],
    [{ ALLOW_PRIVATE_ENDPOINTS: "maybe" }, "ALLOW_PRIVATE_ENDPOINTS"],
    [{ DATABASE_URL: "mysql://h/d" }, "DATABASE_URL is not a PostgreSQL address"],
    [{ DATABASE_DIRECT_URL: "postgres://h/d" }, "DATABASE_DIRECT_URL is set but DATABASE_URL is not"],
    [{ INTERNAL_SECRET: "short" }, "INTERNAL_SECRET is too short"],
    [{ ENCRYPTION_KEY: `${SECRET},short` }, "ENCRYPTION_KEY is too short"],
  ])("%j is refused, and alone", (env, message) => {
    const mistakes = mistakesOf("serve", { ...SECRETS, ...env });
    expect(mistakes).toEqual([expect.stringContaining(message)]);
  });

  it("that is wrong does not hide the next: every mistake is told at once", () => {
    const env = { PORT: "x", LOG_LEVEL: "x", ROLES: "x", PUBLIC_URL: "x", TRUSTED_PROXIES: "x", DATABASE_URL: "x" };
    expect(mistakesOf("serve", env)).toHaveLength(Object.keys(env).length + Object.keys(SECRETS).length);
  });

  it("that is secret, or may hold a password, is never told back", () => {
    const mistakes = mistakesOf("serve", {
      INTERNAL_SECRET: "hush-1",
      JWT_SIGNING_KEY: "hush-2",
      ENCRYPTION_KEY: `${SECRET},hush-3`,
      DATABASE_URL: "mysql://user:hush-4@host/db",
      DATABASE_DIRECT_URL: "postgres://user:hush-5@host:port/db",
      PUBLIC_URL: "https://user:hush-6@host/path",
    });
    expect(mistakes.length).toBeGreaterThanOrEqual(6);
    expect(mistakes.join("\n")).not.toMatch(/hush/);
  });
});

describe("SMTP_URL, MAIL_WEBHOOK_URL and MAIL_FROM", () => {
  const from = { MAIL_FROM: "usage@example.com" };

  it("say how e-mail is sent: by SMTP when it is named, else by a request, and not at all by default", () => {
    expect(configOf("serve").mail).toBeUndefined();
    expect(configOf("serve", from).mail).toBeUndefined();
    const [smtp_url, webhook_url] = ["smtps://u:p@mail.example.com:465", "https://mail.example.com/send"];
    expect(configOf("serve", { ...from, MAIL_WEBHOOK_URL: webhook_url }).mail).toEqual({
      from: "usage@example.com",
      webhook_url,
    });
    const both = { ...from, SMTP_URL: smtp_url, MAIL_WEBHOOK_URL: webhook_url };
    expect(configOf("serve", both).mail).toEqual({ from: "usage@example.com", smtp_url });
  });

  it.each([
    [{ SMTP_URL: "smtp://mail.example.com" }, "MAIL_FROM"],
    [{ ...from, SMTP_URL: "https://mail.example.com" }, "SMTP_URL"],
    [{ ...from, SMTP_URL: "smtp://" }, "SMTP_URL"],
    [{ ...from, MAIL_WEBHOOK_URL: "mail.example.com" }, "MAIL_WEBHOOK_URL"],
  ])("%j is a mistake in %s, told without the address", (env, name) => {
    const mistakes = mistakesOf("serve", { ...SECRETS, ...env });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(new RegExp(`^${name} `));
  });
});
