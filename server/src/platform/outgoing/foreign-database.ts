import { isIP } from "node:net";
import type { OUTBOX_SSL_MODES } from "@millrace/contract/events/outbox-sources";
import pg from "pg";
import type { PrivateEndpoints } from "./address-rules.ts";
import { checkOutgoingUrl } from "./check-url.ts";
import { ConnectFailure } from "./connect-failure.ts";
import type { Outgoing } from "./guarded-agent.ts";

type SslMode = (typeof OUTBOX_SSL_MODES)[number];

/** A tenant's PostgreSQL. */
export type ForeignDatabase = {
  host: string;
  port: number;
  database: string;
  username: string;
  password: string;
  sslmode: SslMode;
};

type ParsedDatabase = { ok: true; database: ForeignDatabase } | { ok: false; reason: string };

const SSL_MODES: readonly string[] = ["disable", "require", "verify-full"] satisfies SslMode[];
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 15_000;
const DEFAULT_PORT = 5432;

/**
 * Reads a connection string. Not with the parser of `pg`: its parameters can name sockets and files of this machine.
 * Host names are checked by their spelling only: their addresses are checked when dialing.
 */
export function parseDatabaseUrl(text: string, policy: PrivateEndpoints): ParsedDatabase {
  const url = /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return refuse("must be a URL such as postgresql://user:password@host:5432/database");
  const parts = decodeParts(url);
  if (!parts) return refuse("has a percent sign that is not part of an escape such as %40");
  const { username, password, database } = parts;
  if (url.hostname === "" || username === "" || database === "") return refuse("must name user, host and database");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the protocol ends its strings with one
  if (/\u0000/.test(username + password + database)) return refuse("contains a NUL character");

  const unknown = [...url.searchParams.keys()].find((name) => name !== "sslmode");
  if (unknown !== undefined) return refuse(`has the parameter ${unknown}; only sslmode is allowed`);
  const sslmode = url.searchParams.get("sslmode") ?? "verify-full";
  if (!SSL_MODES.includes(sslmode)) return refuse(`has an sslmode other than ${SSL_MODES.join(", ")}`);

  const port = Number(url.port || DEFAULT_PORT);
  const checked = checkOutgoingUrl(`https://${url.hostname}:${port}/`, policy);
  if (!checked.ok) return refuse(`is refused: ${checked.reason}`);
  const host = checked.url.hostname.replace(/^\[|\]$/g, "");
  return { ok: true, database: { host, port, database, username, password, sslmode: sslmode as SslMode } };
}

function decodeParts(url: URL) {
  try {
    const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return { username, password, database: decodeURIComponent(url.pathname.slice(1)) };
  } catch {
    return undefined;
  }
}

function refuse(reason: string): ParsedDatabase {
  return { ok: false, reason };
}

/** A connection to an address that the policy allows. The caller ends it. */
export async function connectForeign(outgoing: Outgoing, database: ForeignDatabase): Promise<pg.Client> {
  const addresses = await outgoing.addressesOf(database.host);
  let failure: unknown;
  for (const address of addresses) {
    const client = new pg.Client({ ...configOf(database), host: address });
    // A connection that breaks between two statements fails the next one.
    client.on("error", () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      failure = error;
      await client.end().catch(() => {});
    }
  }
  throw failure instanceof Error ? failure : new ConnectFailure("connect", "No address could be reached.");
}

/** Everything that identifies this process is set explicitly: `pg` would read it from the environment or a local file. */
function configOf({ host, port, database, username, password, sslmode }: ForeignDatabase): pg.ClientConfig {
  const name = isIP(host) === 0 ? { servername: host } : { host };
  return {
    port,
    database,
    user: username,
    // A function, since an empty password would be replaced by that of the environment.
    password: () => password,
    ssl: sslmode === "disable" ? false : { ...name, rejectUnauthorized: sslmode === "verify-full" },
    application_name: "millrace outbox",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  };
}

const MAX_MESSAGE_LENGTH = 300;

/** What to show of a failed connection or statement: its text may come from the tenant's server. */
export function describeForeignError(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  const text = (message || code || "The connection failed.").replaceAll("\u0000", "\ufffd").toWellFormed();
  const hint = text.includes("does not support SSL") ? ". Without TLS, add ?sslmode=disable." : "";
  return `${text.slice(0, MAX_MESSAGE_LENGTH)}${hint}`;
}
