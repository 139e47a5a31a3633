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

function issuesOf(mode: Mode, env: Env): string[] {
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
  max_waiting_triggers: 1_000,
  max_unread_stream_bytes: 67_108_864,
  log_retention_secs: 2_592_000,
  delivery_retention_secs: 2_592_000,
  run_retention_secs: 7_776_000,
  event_trigger_retention_secs: 2_592_000,
  max_active_event_triggers: 100_000,
  workflow_run_retention_secs: 7_776_000,
  audit_retention_secs: 31_536_000,
  password_cost: 2 ** 15,
  oidc: undefined,
  sign_in: { providers: [], rules: [], recheck_secs: 5 },
  log_level: "info",
  instance_name: null,
};

describe("the default settings", () => {
  it("in dev: loopback only, no limits, private endpoints allowed, secrets generated", () => {
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
      warnings: [],
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

  it("in serve: three secrets are required, and all missing ones are reported together", () => {
    const mistakes = issuesOf("serve", {});
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
    [
      { DATABASE_URL: "postgres://h/d", DATABASE_SCHEMA: "jobs_2" },
      { database: { url: "postgres://h/d", direct_url: "postgres://h/d", schema: "jobs_2" } },
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
    [{ ROLES: "api,web" }, "ROLES contains web"],
    [{ ROLES: "," }, "ROLES"],
    [{ LOG_LEVEL: "loud" }, "LOG_LEVEL"],
    [{ PUBLIC_URL: "millrace.example.com" }, "PUBLIC_URL"],
    [{ PUBLIC_URL: "https://example.com/path" }, "PUBLIC_URL"],
    [{ PUBLIC_URL: "https://a.example,https://b.example" }, "PUBLIC_URL"],
    [{ CORS_ORIGINS: "https://a.example,*" }, 'CORS_ORIGINS contains "*"'],
    [{ TRUSTED_PROXIES: "10.0.0.0/8,somewhere" }, "TRUSTED_PROXIES contains somewhere"],
    [{ ALLOW_PRIVATE_ENDPOINTS: "maybe" }, "ALLOW_PRIVATE_ENDPOINTS"],
    [{ DATABASE_URL: "mysql://h/d" }, "DATABASE_URL is not a PostgreSQL address"],
    [{ DATABASE_DIRECT_URL: "postgres://h/d" }, "DATABASE_DIRECT_URL is set but DATABASE_URL is not"],
    [{ DATABASE_SCHEMA: "jobs" }, "DATABASE_SCHEMA is set but DATABASE_URL is not"],
    [{ DATABASE_URL: "postgres://h/d", DATABASE_SCHEMA: "a, b" }, "DATABASE_SCHEMA takes up to 63"],
    [{ INTERNAL_SECRET: "short" }, "INTERNAL_SECRET is too short"],
    [{ ENCRYPTION_KEY: `${SECRET},short` }, "ENCRYPTION_KEY is too short"],
  ])("%j is refused, with a single error", (env, message) => {
    const mistakes = issuesOf("serve", { ...SECRETS, ...env });
    expect(mistakes).toEqual([expect.stringContaining(message)]);
  });

  it("that is invalid does not hide the next: all errors are reported together", () => {
    const env = { PORT: "x", LOG_LEVEL: "x", ROLES: "x", PUBLIC_URL: "x", TRUSTED_PROXIES: "x", DATABASE_URL: "x" };
    expect(issuesOf("serve", env)).toHaveLength(Object.keys(env).length + Object.keys(SECRETS).length);
  });

  it("that is secret, or may hold a password, is never repeated in an error", () => {
    const mistakes = issuesOf("serve", {
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

  it("select how e-mail is sent: by SMTP if set, else by webhook, and not at all by default", () => {
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
  ])("%j is an error in %s, reported without the address", (env, name) => {
    const mistakes = issuesOf("serve", { ...SECRETS, ...env });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(new RegExp(`^${name} `));
  });
});

describe("an unknown variable", () => {
  const warningsOf = (env: Env): string[] => {
    const parsed = parseConfig("dev", env, "/srv/app");
    if (!parsed.ok) throw new Error(parsed.mistakes.join("\n"));
    return parsed.warnings;
  };

  it.each([
    ["RUN_RETENTON", "RUN_RETENTION"],
    ["RUN_RETENTIONS", "RUN_RETENTION"],
    ["run_retention", "RUN_RETENTION"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["LOG_LEVLE", "LOG_LEVEL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_DIRECTURL", "DATABASE_DIRECT_URL"],
    ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
    ["CORS_ORIGIN", "CORS_ORIGINS"],
    ["ENCRYPTION_KEYS", "ENCRYPTION_KEY"],
    ["ENCRYPTON_KEY", "ENCRYPTION_KEY"],
    ["SMPT_URL", "SMTP_URL"],
    ["RATE_LIMITS_API_PER_MINUTE", "RATE_LIMIT_API_PER_MINUTE"],
    ["SHUTDOWN_GRACE_SEC", "SHUTDOWN_GRACE_SECS"],
    ["EVENT_TRIGGER_RETENTION_DAY", "EVENT_TRIGGER_RETENTION_DAYS"],
    ["PUBLIC_ULR", "PUBLIC_URL"],
    ["PROT", "PORT"],
  ])("%s is a warning: did you mean %s?", (name, meant) => {
    expect(warningsOf({ [name]: "hush" })).toEqual([
      `${name} is not a setting, and is ignored. Did you mean ${meant}?`,
    ]);
    expect(warningsOf({ [name]: "" })).toEqual([]);
  });

  it.each([
    ["MILLRACE_DATADIR", "MILLRACE_DATA_DIR"],
    ["MILLRACE_PORT", "PORT"],
    ["MILLRACE_DATABASE_URL", "DATABASE_URL"],
    ["millrace_data_dir", "MILLRACE_DATA_DIR"],
    ["MILLRACE_API_KY", "MILLRACE_API_KEY"],
    ["MILLRACE_COLOUR", undefined],
  ])("%s has our prefix and is refused; the error suggests %s", (name, meant) => {
    const [mistake, ...others] = issuesOf("dev", { [name]: "8080" });
    expect(others).toEqual([]);
    expect(mistake?.match(/^(\S+) is not a setting\.(?: Did you mean (\S+)\?)? Names that begin/)?.slice(1)).toEqual([
      name,
      meant,
    ]);
  });

  it("is reported along with the errors, if there are any", () => {
    expect(issuesOf("dev", { PORT: "x", RUN_RETENTON: "3h" })).toEqual([
      expect.stringMatching(/^PORT /),
      expect.stringMatching(/^RUN_RETENTON .*RUN_RETENTION\?$/),
    ]);
  });

  it("of other software is ignored, including all that Kubernetes sets for a Service called millrace", () => {
    const names = `
      PATH HOME USER LOGNAME SHELL PWD OLDPWD TERM LANG LC_ALL TZ EDITOR HOSTNAME HOSTS HOSTTYPE POST PORTS ROLE LEVEL SHLVL _
      XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR XDG_SESSION_TYPE DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK DISPLAY
      NODE_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS npm_config_loglevel npm_config_cache npm_lifecycle_event
      npm_package_name npm_package_version npm_execpath npm_node_execpath INIT_CWD NVM_DIR VOLTA_HOME PNPM_HOME
      PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE PGOPTIONS PGDATA POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB
      DATABASE DATABASE_HOST DATABASE_PORT DATABASE_USER DATABASE_NAME DATABASE_PASSWORD DATABASE_SSL DATABASE_POOL_SIZE
      DB_URL DB_HOST REDIS_URL MONGO_URL AMQP_URL SENTRY_DSN SENTRY_RELEASE OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_ENDPOINT
      SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASS MAIL_HOST MAIL_PORT MAIL_USER MAIL MAILCHECK LOG_FILE LOG_FORMAT LOG_DIR LOG_PATH
      PUBLIC_KEY PUBLIC_IP PUBLIC_DIR BASE_URL API_KEY API_URL APP_URL PROJECT_ID PROFILE DATA_DIR SIGNING_SECRET JWT_SECRET
      SECRET_KEY SECRET_KEY_BASE SESSION_SECRET OIDC_CLIENT_ID OIDC_CLIENT_SECRET AUDIENCE ISSUER INSTANCE_ID INSTANCE_TYPE
      CI GITHUB_ACTIONS GITHUB_TOKEN GITHUB_RUN_ID RUNNER_OS RUN_ID GITLAB_CI DYNO RAILWAY_PUBLIC_DOMAIN RENDER FLY_APP_NAME
      VERCEL_URL HEROKU_APP_NAME AWS_REGION AWS_ACCESS_KEY_ID GOOGLE_CLOUD_PROJECT INVOCATION_ID JOURNAL_STREAM
      KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP_ADDR HTTP_PROXY HTTPS_PROXY NO_PROXY
      http_proxy https_proxy no_proxy ALL_PROXY COLORTERM FORCE_COLOR NO_COLOR DEBUG VERBOSE MAX_CONNECTIONS WEB_CONCURRENCY
      CONCURRENCY PROMPT_COMMAND LS_COLORS JAVA_HOME GOPATH PYTHONPATH VIRTUAL_ENV CARGO_HOME ANDROID_HOME TMPDIR TEMP
    `;
    const kubernetes = {
      MILLRACE_SERVICE_HOST: "10.0.0.7",
      MILLRACE_SERVICE_PORT: "8787",
      MILLRACE_SERVICE_PORT_HTTP: "8787",
      MILLRACE_PORT: "tcp://10.0.0.7:8787",
      MILLRACE_PORT_8787_TCP: "tcp://10.0.0.7:8787",
      MILLRACE_PORT_8787_TCP_ADDR: "10.0.0.7",
      MILLRACE_PORT_8787_TCP_PROTO: "tcp",
      MILLRACE_PORT_8787_TCP_PORT: "8787",
      MILLRACE_API_SERVICE_HOST: "10.0.0.8",
      MILLRACE_API_PORT: "tcp://10.0.0.8:80",
    };
    const env = Object.fromEntries(
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, "something"]),
    );
    expect(warningsOf({ ...env, ...kubernetes })).toEqual([]);
  });
});
