import { redactValues } from "../../../platform/audit/redact.ts";

/**
 * A capsule leaves the installation, so the values of text fields with a secret's name are redacted; names stay.
 * Numbers stay, because `max_tokens` is no secret. Secrets that a job wrote into other fields or messages are not
 * detected.
 */
export function redactSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactSecrets);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === "string" && isSecret(name) ? redacted(name, field) : redactSecrets(field),
  ]);
  return Object.fromEntries(fields);
}

function redacted(name: string, field: string): string | undefined {
  return redactValues({ [name]: field })[name];
}

/** `password`, `db_password`, `apiKey`, `X-Api-Key`, `accessToken`; and URLs that may contain one. */
function isSecret(name: string): boolean {
  return SECRET.test(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll("-", "_"));
}

const SECRET =
  /(^|_)(pass(word|wd|phrase)|secret|token|credentials?|authorization|cookie|(api|access|private|secret|signing|encryption)_?key|notify_url)$/i;
