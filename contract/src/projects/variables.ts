import { editDistance } from "../query-language/edit-distance.ts";

/** Every environment variable with our prefix: of the service, the CLI and the SDK. */
const OWN_VARIABLES = [
  "MILLRACE_API_KEY",
  "MILLRACE_BASE_URL",
  "MILLRACE_DATA_DIR",
  "MILLRACE_PROFILE",
  "MILLRACE_PROJECT_ID",
  "MILLRACE_SIGNING_SECRET",
];
const OWN_PREFIX = "MILLRACE_";

type Env = Record<string, string | undefined>;
/** `meant` is the variable it resembles, if any. */
type UnknownVariable = { name: string; is_own: boolean; meant: string | undefined };

/** Set variables that look like ours but do not exist: with our prefix, or with a name close to one of ours. */
export function findUnknownVariables(env: Env, settings: Iterable<string>): UnknownVariable[] {
  const known = new Set([...OWN_VARIABLES, ...settings]);
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || known.has(name) || isKubernetesVariable(name, value)) return [];
    const is_own = name.toUpperCase().startsWith(OWN_PREFIX);
    const meant = closestVariable(name, known);
    return is_own || meant ? [{ name, is_own, meant }] : [];
  });
}

/** Kubernetes sets such variables in every container for a Service called `millrace` or `millrace-…`. */
function isKubernetesVariable(name: string, value: string): boolean {
  if (/_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$/.test(name)) return true;
  if (/_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name)) return true;
  return name.endsWith("_PORT") && /^(?:tcp|udp|sctp):\/\//.test(value);
}

function closestVariable(name: string, known: ReadonlySet<string>): string | undefined {
  const typed = normalize(name);
  // `MILLRACE_PORT` means `PORT`. A variable like `PROJECT_ID` is not necessarily meant for us.
  const candidates = typed.startsWith(OWN_PREFIX) ? [typed, typed.slice(OWN_PREFIX.length)] : [typed];
  const near = candidates.flatMap((candidate) =>
    [...known].map((word) => ({ word, edits: editsBetween(candidate, normalize(word)) })),
  );
  const max = typed.startsWith(OWN_PREFIX) ? 2 : maxEdits(typed);
  const [nearest] = near.filter(({ edits }) => edits <= max).sort((a, b) => a.edits - b.edits);
  return nearest?.word ?? [...known].find((word) => isSwapped(typed, normalize(word)));
}

/** Two neighboring letters in the wrong order, as in `PROT`: not the name of another program's variable by chance. */
function isSwapped(typed: string, setting: string): boolean {
  const at = [...setting].findIndex((letter, nth) => letter !== typed[nth]);
  if (at < 0 || typed.length !== setting.length) return false;
  return typed === `${setting.slice(0, at)}${setting[at + 1]}${setting[at]}${setting.slice(at + 2)}`;
}

/**
 * Compared word by word if both have as many words: `DATABASE_SSL` is not a typo of `DATABASE_URL`, although only two
 * letters differ.
 */
function editsBetween(typed: string, setting: string): number {
  const [words, asked] = [typed.split("_"), setting.split("_")];
  const isOther = (word: string, nth: number) => editDistance(word, asked[nth] ?? "") > Math.max(1, word.length / 3);
  return words.length === asked.length && words.some(isOther) ? Number.POSITIVE_INFINITY : editDistance(typed, setting);
}

/** Upper case, with every word in the singular: `trusted_proxy` is close to `TRUSTED_PROXIES`. */
function normalize(name: string): string {
  const words = name.toUpperCase().split("_");
  return words.map((word) => word.replace(/IES$/, "Y").replace(/(?<=..)S$/, "")).join("_");
}

/** Short names are one letter away from those of other programs: `HOSTS`, `POST`, `ROLE`. */
function maxEdits({ length }: string): number {
  if (length < 7) return -1;
  return length < 10 ? 1 : 2;
}
