import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DatabaseUrl, parseDatabaseUrl } from "./database-url.ts";

const CERTIFICATE = join(import.meta.dirname, "../../../test/data/self-signed.cert.pem");
const KEY = join(import.meta.dirname, "../../../test/data/self-signed.key.pem");

function read(text: string): DatabaseUrl {
  const parsed = parseDatabaseUrl(text);
  if (!parsed.ok) throw new Error(parsed.mistake);
  return parsed.url;
}

const hostsOf = (text: string) => read(text).hosts.map(({ host, port }) => `${host} ${port}`);

describe("an address of PostgreSQL", () => {
  it.each<[string, object]>([
    ["postgres://h/d", { database: "d" }],
    ["postgresql://u:p@h:5433/d", { user: "u", password: "p", database: "d" }],
    ["postgres://u%40x:p%3A%2F@h/d%20e", { user: "u@x", password: "p:/", database: "d e" }],
    ["postgres://u:p:q@r@h/d", { user: "u", password: "p:q@r", database: "d" }],
    ["postgres://h?user=u&password=p&dbname=d", { user: "u", password: "p", database: "d" }],
    ["postgres://h/d?options=-c%20jit%3Don", { database: "d", options: "-c jit=on" }],
    ["postgres://h/d?application_name=x&connect_timeout=3", { database: "d" }],
    ["postgres://h/d?channel_binding=require", { database: "d", enableChannelBinding: true }],
  ])("%s is read as libpq does", (text, config) => {
    expect(read(text).config).toEqual(config);
  });

  it.each<[string, string[]]>([
    ["postgres:///d", ["localhost 5432"]],
    ["postgres://u@/d?host=/run/postgresql", ["/run/postgresql 5432"]],
    ["postgres://u@%2Frun%2Fpostgresql:5433/d", ["/run/postgresql 5433"]],
    ["postgres://u@localhost/d?host=%2Ftmp%2Fx&port=5434", ["/tmp/x 5434"]],
    ["postgres://[::1]:5433/d", ["::1 5433"]],
    ["postgres://a:5433,b,[::1]:5434/d", ["a 5433", "b 5432", "::1 5434"]],
    ["postgres:///d?host=a,b&port=5433", ["a 5433", "b 5433"]],
  ])("%s has the hosts %j", (text, hosts) => {
    expect(hostsOf(text)).toEqual(hosts);
  });

  it.each([
    ["any", false],
    ["read-write", true],
    ["primary", true],
  ])("skips servers that only read with target_session_attrs=%s: %s", (attrs, mustWrite) => {
    expect(read(`postgres://a,b/d?target_session_attrs=${attrs}`).mustWrite).toBe(mustWrite);
  });

  it.each<[string, RegExp]>([
    ["mysql://h/d", /^is not a PostgreSQL address/],
    ["postgres://h:port/d", /^is not a PostgreSQL address/],
    ["postgres://h:70000/d", /^has a port that is not 1 to 65535/],
    ["postgres://u:%zz@h/d", /^is not a PostgreSQL address/],
    ["postgres://a,b,c/d?port=1,2", /^has 3 hosts and 2 ports/],
    ["postgres://h/d?ssl_mode=require", /^has the parameter ssl_mode, which Millrace does not know/],
    ["postgres://h/d?target_session_attrs=standby", /^has target_session_attrs=standby: Millrace writes/],
    ["postgres://h/d?sslmode=prefer", /^has sslmode=prefer: it takes disable, require, verify-ca or verify-full/],
    ["postgres://h/d?sslmode=verify-ca", /^has sslmode=verify-ca, which needs sslrootcert/],
    ["postgres://h/d?sslrootcert=/no/such/file", /^has sslrootcert=\/no\/such\/file, which cannot be read \(ENOENT\)/],
    [`postgres://h/d?sslcert=${import.meta.filename}`, /with a file that is not a PEM certificate or key/],
  ])("%s is refused: it %s", (text, mistake) => {
    expect(parseDatabaseUrl(text)).toEqual({ ok: false, mistake: expect.stringMatching(mistake) });
  });
});

describe("TLS", () => {
  const tls = (parameters: string) => {
    const ssl = read(`postgres://h/d${parameters}`).config.ssl;
    if (typeof ssl !== "object") return ssl;
    return {
      checks_certificate: ssl.rejectUnauthorized !== false,
      checks_name: ssl.rejectUnauthorized !== false && ssl.checkServerIdentity === undefined,
      has_ca: ssl.ca !== undefined,
      has_certificate: ssl.cert !== undefined && ssl.key !== undefined,
    };
  };
  const [nothing, everything] = [
    { checks_certificate: false, checks_name: false, has_ca: false, has_certificate: false },
    { checks_certificate: true, checks_name: true, has_ca: false, has_certificate: false },
  ];

  it.each<[string, object | boolean | undefined]>([
    ["", undefined],
    ["?sslmode=disable", false],
    ["?sslmode=require", nothing],
    [`?sslmode=require&sslrootcert=${CERTIFICATE}`, { ...everything, checks_name: false, has_ca: true }],
    [`?sslmode=verify-ca&sslrootcert=${CERTIFICATE}`, { ...everything, checks_name: false, has_ca: true }],
    ["?sslmode=verify-full", everything],
    ["?sslmode=verify-full&sslrootcert=system", everything],
    [`?sslrootcert=${CERTIFICATE}`, { ...everything, has_ca: true }],
    [`?sslmode=require&sslcert=${CERTIFICATE}&sslkey=${KEY}`, { ...nothing, has_certificate: true }],
  ])("of an address that ends with %s is %j", (parameters, expected) => {
    expect(tls(parameters)).toEqual(expected);
  });
});
