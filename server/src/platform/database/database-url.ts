import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type pg from "pg";

export type Host = { host: string; port: number };

/** The parts of an address other than its hosts. */
export type DatabaseUrl = {
  /** At least one, in the order in which they are tried. */
  hosts: Host[];
  /** A host that only reads is skipped. */
  mustWrite: boolean;
  config: pg.ClientConfig;
};

type Parsed = { ok: true; url: DatabaseUrl } | { ok: false; mistake: string };
type Parameters = ReadonlyMap<string, string>;

/** In libpq's words: scheme, user, password, hosts, database, parameters. */
const URL_PATTERN = /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const HOST_PATTERN = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;
const DEFAULT_PORT = 5432;

const USED = [
  ...["host", "port", "user", "password", "dbname", "options", "target_session_attrs"],
  ...["sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation", "channel_binding"],
];
/** Millrace sets these itself, or they tune what Node does by itself. */
const IGNORED = new Set([
  ...["application_name", "fallback_application_name", "client_encoding", "connect_timeout", "gssencmode"],
  ...["keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"],
  "load_balance_hosts",
]);

class Mistake extends Error {}

/** Reads a connection string as libpq does. Messages contain no part of it that may be a password. */
export function parseDatabaseUrl(text: string): Parsed {
  try {
    return { ok: true, url: parse(text) };
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, mistake: error.message };
    return { ok: false, mistake: "is not a PostgreSQL address such as postgres://user:password@host:5432/database" };
  }
}

function parse(text: string): DatabaseUrl {
  const [, login = "", authority = "", path = "", query = ""] = URL_PATTERN.exec(text) ?? fail();
  const parameters = parametersOf(query);
  const [user = "", ...password] = login.split(":");
  const config: pg.ClientConfig = {
    ...given("user", parameters.get("user") ?? decodeURIComponent(user)),
    ...given("password", parameters.get("password") ?? decodeURIComponent(password.join(":"))),
    ...given("database", parameters.get("dbname") ?? decodeURIComponent(path)),
    ...given("options", parameters.get("options") ?? ""),
    ...tlsOf(parameters),
    ...(parameters.has("channel_binding") && { enableChannelBinding: parameters.get("channel_binding") !== "disable" }),
  };
  return { hosts: hostsOf(authority, parameters), mustWrite: mustWrite(parameters), config };
}

function fail(): never {
  throw new Error("not an address");
}

function given(name: string, value: string): pg.ClientConfig {
  return value === "" ? {} : { [name]: value };
}

function parametersOf(query: string): Parameters {
  const parameters = new Map<string, string>();
  for (const part of query.split("&").filter(Boolean)) {
    const [name = "", value = ""] = part.split(/=(.*)/s).map(decodeURIComponent);
    if (!USED.includes(name) && !IGNORED.has(name)) {
      throw new Mistake(`has the parameter ${name}, which Millrace does not know: it takes ${USED.join(", ")}`);
    }
    parameters.set(name, value);
  }
  return parameters;
}

/** `a:5433,b` or the parameters `host=a,b&port=5433,5432`; one port counts for all hosts. */
function hostsOf(authority: string, parameters: Parameters): Host[] {
  const inAuthority = authority.split(",").map((each) => HOST_PATTERN.exec(each) ?? fail());
  const names = parameters.get("host")?.split(",") ?? inAuthority.map(([, name = ""]) => decodeURIComponent(name));
  const ports = parameters.get("port")?.split(",") ?? inAuthority.map(([, , port = ""]) => port);
  if (ports.length !== 1 && ports.length !== names.length) {
    throw new Mistake(`has ${names.length} hosts and ${ports.length} ports: it needs one port, or one for each host`);
  }
  return names.map((name, nth) => {
    const port = Number(ports[ports.length === 1 ? 0 : nth] || DEFAULT_PORT);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Mistake("has a port that is not 1 to 65535");
    return { host: name.replace(/^\[(.*)\]$/, "$1") || "localhost", port };
  });
}

function mustWrite(parameters: Parameters): boolean {
  const wanted = parameters.get("target_session_attrs") ?? "any";
  if (wanted === "any") return false;
  if (wanted === "read-write" || wanted === "primary") return true;
  throw new Mistake(`has target_session_attrs=${wanted}: Millrace writes, so it takes read-write, primary or any`);
}

function tlsOf(parameters: Parameters): pg.ClientConfig {
  const files = { ca: authorities(parameters), cert: file(parameters, "sslcert"), key: file(parameters, "sslkey") };
  const set = Object.fromEntries(Object.entries(files).filter(([, text]) => text !== undefined));
  const mode = parameters.get("sslmode") ?? (parameters.has("sslrootcert") || files.cert ? "verify-full" : undefined);
  refuseUnusable(set);
  switch (mode) {
    case undefined:
      return {};
    case "disable":
      return { ssl: false };
    case "require":
      // As in libpq: with a CA the certificate is checked, without one the connection is encrypted only.
      return { ssl: files.ca ? { ...set, checkServerIdentity: anyName } : { ...set, rejectUnauthorized: false } };
    case "verify-ca":
      if (!files.ca) throw new Mistake("has sslmode=verify-ca, which needs sslrootcert=<file of the CA>");
      return { ssl: { ...set, checkServerIdentity: anyName } };
    case "verify-full":
      return { ssl: set };
    default:
      throw new Mistake(`has sslmode=${mode}: it takes disable, require, verify-ca or verify-full`);
  }
}

const anyName = () => undefined;

/** `system`: the authorities that Node trusts. */
function authorities(parameters: Parameters): string | undefined {
  return parameters.get("sslrootcert") === "system" ? undefined : file(parameters, "sslrootcert");
}

function file(parameters: Parameters, name: string): string | undefined {
  const path = parameters.get(name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Mistake(`has ${name}=${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Checked here, because the first connection would otherwise end the process. */
function refuseUnusable(files: SecureContextOptions): void {
  try {
    if (files.ca) new X509Certificate(String(files.ca));
    createSecureContext(files);
  } catch (error) {
    const { message } = error as Error;
    throw new Mistake(
      `has sslrootcert, sslcert or sslkey with a file that is not a PEM certificate or key: ${message}`,
    );
  }
}
