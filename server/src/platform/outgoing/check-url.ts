import { isIP } from "node:net";
import { PRIVATE_REMEDY, type PrivateEndpoints, refusalReason, remedyFor } from "./address-rules.ts";

export type CheckedUrl = { ok: true; url: URL } | { ok: false; reason: string };

/**
 * Decides whether a URL may be stored as the target of outgoing requests; checked again before each request. Host names
 * are checked by their spelling only: their addresses are checked when dialing.
 */
export function checkOutgoingUrl(text: string, policy: PrivateEndpoints): CheckedUrl {
  const mistake = spellingIssue(text);
  if (mistake) return refuse(mistake);

  const url = parseUrl(text);
  if (!url) return refuse("The URL has no valid host.");

  const reason = portIssue(url) ?? hostIssue(url, policy);
  return reason ? refuse(reason) : { ok: true, url };
}

const MAX_URL_LENGTH = 2048;

/** Checks the text itself: the URL parser would repair what other parsers read differently. */
function spellingIssue(text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `The URL is longer than ${MAX_URL_LENGTH} characters.`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\s\u0000-\u001f\u007f-\u009f]/.test(text)) return "The URL contains spaces or control characters.";
  if (text.includes("\\")) return "The URL contains a backslash.";

  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) return "The URL must start with http:// or https://.";
  if (authority === "") return "The URL has no host.";
  if (authority.includes("@")) return "The URL contains a user name or password.";
  if (authority.includes("%")) return "The host of the URL contains a percent sign.";
  if (text.includes("#")) return "The URL contains a fragment (#), which is never sent.";
  return undefined;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function portIssue(url: URL): string | undefined {
  const port = Number(url.port || 80);
  return port === 80 || port === 443 || port >= 1024 ? undefined : "The port must be 80, 443 or at least 1024.";
}

function hostIssue(url: URL, policy: PrivateEndpoints): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0) return nameIssue(host, policy);

  const refused = refusalReason(policy, host);
  return refused && `The URL points to ${host}, ${refused}.${remedyFor(refused)}`;
}

function nameIssue(name: string, policy: PrivateEndpoints): string | undefined {
  const labels = name.replace(/\.$/, "").split(".");
  if (labels.includes("")) return "The host name of the URL has an empty part.";
  if (policy !== "refuse") return undefined;

  if (labels.length === 1) return `The host name ${name} is not a public one: it has no domain. ${PRIVATE_REMEDY}`;
  const suffix = PRIVATE_SUFFIXES.find((ending) => `.${labels.join(".")}`.endsWith(ending));
  return suffix && `The host name ${name} is not a public one: it ends in ${suffix}. ${PRIVATE_REMEDY}`;
}

/**
 * Names that resolve only in private networks (RFC 6761, 6762, 8375, ICANN's .internal) or that clusters and routers
 * use.
 */
const PRIVATE_SUFFIXES = [
  ".localhost",
  ".local",
  ".localdomain",
  ".internal",
  ".intranet",
  ".private",
  ".corp",
  ".home",
  ".home.arpa",
  ".lan",
  ".svc",
];

function refuse(reason: string): CheckedUrl {
  return { ok: false, reason };
}
