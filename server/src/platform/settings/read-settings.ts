import ipaddr from "ipaddr.js";
import { parseDatabaseUrl } from "../database/database-url.ts";

const MIN_SECRET_LENGTH = 32;

export type ReadSettings = ReturnType<typeof readSettings>;

/**
 * Typed reading of environment variables. An error is recorded and reading continues, so that all are reported
 * together.
 */
export function readSettings(env: Record<string, string | undefined>) {
  const mistakes: string[] = [];
  /** The name of every setting: each is read, set or not. */
  const names = new Set<string>();
  const given = (name: string) => {
    names.add(name);
    return env[name]?.trim() || undefined;
  };

  function integer(name: string, otherwise: number, range: { min: number; max: number }): number {
    const text = given(name);
    if (text === undefined) return otherwise;
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= range.min && value <= range.max) return value;
    mistakes.push(`${name} is "${text}": it must be a whole number from ${range.min} to ${range.max}.`);
    return otherwise;
  }

  function oneOf(name: string, otherwise: string, values: string[]): string {
    const text = given(name) ?? otherwise;
    if (values.includes(text)) return text;
    mistakes.push(`${name} is "${text}": it must be one of ${values.join(", ")}.`);
    return otherwise;
  }

  function list(name: string, otherwise: string[] = []): string[] {
    const text = given(name);
    if (text === undefined) return otherwise;
    return text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);
  }

  /** Values are never repeated in a message: they are secrets. */
  function secrets(name: string, { required }: { required: boolean }): string[] {
    const values = list(name);
    if (values.length === 0 && required) {
      mistakes.push(`${name} is missing: set it to at least ${MIN_SECRET_LENGTH} random characters.`);
    }
    if (values.some((value) => value.length < MIN_SECRET_LENGTH)) {
      mistakes.push(`${name} is too short: each value needs at least ${MIN_SECRET_LENGTH} characters.`);
    }
    return values;
  }

  function databaseUrl(name: string): string | undefined {
    const text = given(name);
    if (text === undefined) return undefined;
    const parsed = parseDatabaseUrl(text);
    if (parsed.ok) return text;
    mistakes.push(`${name} ${parsed.mistake}.`);
    return undefined;
  }

  function originOf(name: string, text: string): string | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isBare = url?.pathname === "/" && !url.search && !url.hash && !url.username && !url.password;
    if (isBare && /^https?:$/.test(url.protocol)) return url.origin;
    const shown = text.includes("@") ? "a user name or password" : `"${text}"`;
    mistakes.push(`${name} contains ${shown}: it must be like https://millrace.example.com, with no path.`);
    return undefined;
  }

  function origin(name: string): string | undefined {
    const text = given(name);
    return text === undefined ? undefined : originOf(name, text);
  }

  function origins(name: string): string[] {
    return list(name).flatMap((text) => originOf(name, text) ?? []);
  }

  function cidrs(name: string): string[] {
    const values = list(name);
    const wrong = values.filter((text) => !ipaddr.isValidCIDR(text) && !ipaddr.isValid(text));
    if (wrong.length > 0)
      mistakes.push(`${name} contains ${wrong.join(", ")}: each must be an address or a CIDR range.`);
    return values.filter((text) => !wrong.includes(text));
  }

  return {
    mistakes,
    names,
    text: (name: string, otherwise: string) => given(name) ?? otherwise,
    integer,
    oneOf,
    list,
    secrets,
    databaseUrl,
    origin,
    origins,
    cidrs,
  };
}
