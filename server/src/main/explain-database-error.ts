import pg from "pg";
import { type DatabaseConnection, type Place, placeOf } from "../platform/database/connection.ts";
import { isRefusedStartup } from "../platform/database/database-errors.ts";
import { PreReleaseSchemaError } from "../platform/database/migrate.ts";

/** A sentence with the problem, and one with the remedy. Neither contains the password. */
export type Explained = { reason: string; remedy: string };

/** The database is older than the oldest supported version. */
export class OldPostgresError extends Error {}

/** A standby, or `default_transaction_read_only` is on. */
export class ReadOnlyDatabaseError extends Error {}

/** A pooler opens sessions in another schema than DATABASE_SCHEMA. */
export class OtherSchemaError extends Error {}

type Explain = (place: Place, message: string) => Explained;

/** Why the configured database cannot be used, for the person who starts the service. */
export function explainDatabaseError(error: unknown, connection: DatabaseConnection): Explained {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const [message = ""] = (first instanceof Error ? first.message : String(first)).split("\n");
  const place = placeOf(connection);
  if (first instanceof OldPostgresError) return { reason: message, remedy: "Use PostgreSQL 15 or newer." };
  if (first instanceof PreReleaseSchemaError) return preRelease(message);
  if (first instanceof ReadOnlyDatabaseError) return readOnly(place, message);
  if (first instanceof OtherSchemaError) return otherSchema(place, message);
  if (isRefusedStartup(first)) return refusedByPooler(place, message);
  const code = String((first as { code?: unknown })?.code);
  const explain = BY_CODE[code] ?? (TLS_CODE.test(code) ? tlsFailed : findByMessage(message));
  if (explain) return explain(place, message);
  const said = message || String((first as { code?: unknown })?.code ?? "unknown");
  return {
    reason: `The database at ${place.address} reported: ${said}.`,
    remedy: "Check DATABASE_URL and the privileges of its user.",
  };
}

function preRelease(message: string): Explained {
  return {
    reason: `The database cannot be upgraded: ${message}, and this version has no migrations for it. Nothing was changed.`,
    remedy:
      "Start with an empty database (another DATABASE_URL, or another MILLRACE_DATA_DIR for the embedded one), or keep the version that created this one. /docs/operate/upgrade explains upgrades.",
  };
}

const readOnly: Explain = ({ address }) => ({
  reason: `The database at ${address} is read-only: it is a standby, or default_transaction_read_only is on.`,
  remedy:
    "Point DATABASE_URL to the primary. Or name all servers in it, and add target_session_attrs=read-write: " +
    "postgres://user:password@a:5432,b:5432/database?target_session_attrs=read-write.",
});

const otherSchema: Explain = ({ address, user, database }, schema) => ({
  reason: `The pooler at ${address} opens sessions that do not use the schema "${schema}" of DATABASE_SCHEMA.`,
  remedy:
    `Make it their default: alter role ${pg.escapeIdentifier(user)} in database ${pg.escapeIdentifier(database)} ` +
    `set search_path = ${schema}. Then let the pooler reconnect.`,
});

const refusedByPooler: Explain = ({ address }, message) => ({
  reason: `DATABASE_URL points to a connection pooler at ${address}, which rejects Millrace's connection settings (${message}).`,
  remedy: "Set DATABASE_DIRECT_URL to the address of the database itself: Millrace then sends the pooler no settings.",
});

const notFound: Explain = ({ address }) => ({
  reason: `The host of the database at ${address} was not found.`,
  remedy: "Check its name in DATABASE_URL, and your DNS.",
});
const silent: Explain = ({ address }) => ({
  reason: `The database at ${address} does not respond.`,
  remedy: "Check the address in DATABASE_URL, the network, and any firewall in between.",
});
const nothingListens: Explain = ({ address }) => ({
  reason: `Nothing is listening at ${address}: the connection was refused.`,
  remedy: "Start PostgreSQL there, or correct DATABASE_URL.",
});
const untrusted: Explain = ({ address }, message) => ({
  reason: `The TLS certificate of the database at ${address} is not trusted: ${message}.`,
  remedy: "Add the CA that signed it: sslrootcert=<file> in DATABASE_URL.",
});
const otherName: Explain = ({ address }, message) => ({
  reason: `The TLS certificate of the database at ${address} was issued for another name: ${message}.`,
  remedy:
    "Use the name that it was issued for in DATABASE_URL. With sslmode=verify-ca and sslrootcert=<file> the name is not checked.",
});
/** Codes of Node and OpenSSL: of certificates, of the handshake, and EPROTO if the other side closed it. */
const TLS_CODE = /^(CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$)/;
const tlsFailed: Explain = ({ address }, message) => ({
  reason: `TLS with the database at ${address} failed: ${message}.`,
  remedy: "Check sslmode, sslrootcert, sslcert and sslkey in DATABASE_URL.",
});

const BY_CODE: Record<string, Explain> = {
  ENOTFOUND: notFound,
  EAI_AGAIN: notFound,
  ETIMEDOUT: silent,
  EHOSTUNREACH: silent,
  ENETUNREACH: silent,
  ECONNREFUSED: nothingListens,
  ECONNRESET: ({ address }) => ({
    reason: `The connection to ${address} was closed before it was established.`,
    remedy: "Check that PostgreSQL listens there, and whether it requires TLS: sslmode=verify-full in DATABASE_URL.",
  }),
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  "28P01": ({ address, user }) => ({
    reason: `The database at ${address} does not accept the password of the user "${user}".`,
    remedy: "Correct the user or the password in DATABASE_URL. Characters such as @ : / # are written percent-encoded.",
  }),
  "28000": ({ address, user }, message) => ({
    reason: `The database at ${address} rejects the user "${user}": ${message}.`,
    remedy: /no encryption|SSL off/.test(message)
      ? "It requires TLS: add sslmode=verify-full to DATABASE_URL."
      : /client certificate/.test(message)
        ? "Add sslcert=<file> and sslkey=<file> to DATABASE_URL."
        : "Correct the user in DATABASE_URL, or allow it in pg_hba.conf.",
  }),
  "3D000": ({ address, database }) => ({
    reason: `The server at ${address} has no database "${database}".`,
    remedy: `Create it (createdb ${database}), or correct DATABASE_URL.`,
  }),
  "42501": ({ user, database }, message) => ({
    reason: `The user "${user}" may not set up the database "${database}": ${message}.`,
    remedy: `Allow it: alter database ${pg.escapeIdentifier(database)} owner to ${pg.escapeIdentifier(user)}.`,
  }),
  "08004": ({ address }) => ({
    reason: `None of the databases at ${address} accepts writes.`,
    remedy: "Promote one of them. DATABASE_URL has target_session_attrs, so standbys are skipped.",
  }),
  "53300": ({ address }) => ({
    reason: `The database at ${address} has no free connection left.`,
    remedy: "Raise its max_connections, or close unused connections: each instance takes about 13.",
  }),
  "57P03": ({ address }, message) => ({
    reason: `The database at ${address} is not ready: ${message}.`,
    remedy: "Start the service again when the database is ready.",
  }),
};

const BY_MESSAGE: [RegExp, Explain][] = [
  [/^timeout expired|connection timeout/, silent],
  [
    /does not support SSL connections/,
    ({ address }) => ({
      reason: `The database at ${address} has no TLS, and DATABASE_URL requires it.`,
      remedy: "Switch TLS on there, or remove sslmode from DATABASE_URL.",
    }),
  ],
  [
    /client password must be a string|SASL.*password/,
    ({ address, user }) => ({
      reason: `The database at ${address} requires the password of the user "${user}", and DATABASE_URL has none.`,
      remedy: "Add it there: postgres://user:password@host:5432/database.",
    }),
  ],
];

function findByMessage(message: string): Explain | undefined {
  return BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
}
