import { redactValues } from "../../platform/audit/redact.ts";

/**
 * Names stay and values go, wherever a field of text is named as a secret: a capsule leaves the house. Numbers stay,
 * since `max_tokens` is none. What a job wrote into other fields or into a message is not looked through.
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

/** `password`, `db_password`, `apiKey`, `X-Api-Key`, `accessToken`; and addresses that may carry one. */
function isSecret(name: string): boolean {
  return SECRET.test(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll("-", "_"));
}

const SECRET =
  /(^|_)(pass(word|wd|phrase)|secret|token|credentials?|authorization|cookie|(api|access|private|secret|signing|encryption)_?key|notify_url)$/i;
