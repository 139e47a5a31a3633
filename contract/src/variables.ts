import { editDistance } from "./edit-distance.ts";

/** Every environment variable with our prefix: of the service, the command line and the SDK. */
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
/** `meant` is the variable of ours that it resembles, if it does. */
type UnknownVariable = { name: string; is_own: boolean; meant: string | undefined };

/** What is set and looks like a variable of ours, but is none: one with our prefix, or nearly one of these names. */
export function findUnknownVariables(env: Env, settings: Iterable<string>): UnknownVariable[] {
  const known = new Set([...OWN_VARIABLES, ...settings]);
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || known.has(name) || isOfKubernetes(name, value)) return [];
    const is_own = name.toUpperCase().startsWith(OWN_PREFIX);
    const meant = meantBy(name, known);
    return is_own || meant ? [{ name, is_own, meant }] : [];
  });
}

/** Each container is told of a Service called `millrace` or `millrace-…` by such variables, in its own name. */
function isOfKubernetes(name: string, value: string): boolean {
  if (/_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$/.test(name)) return true;
  if (/_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name)) return true;
  return name.endsWith("_PORT") && /^(?:tcp|udp|sctp):\/\//.test(value);
}

function meantBy(name: string, known: ReadonlySet<string>): string | undefined {
  const typed = stemOf(name);
  // `MILLRACE_PORT` means `PORT`. Nobody says that `PROJECT_ID` is ours.
  const ways = typed.startsWith(OWN_PREFIX) ? [typed, typed.slice(OWN_PREFIX.length)] : [typed];
  const near = ways.flatMap((way) => [...known].map((word) => ({ word, edits: editsBetween(way, stemOf(word)) })));
  const most = typed.startsWith(OWN_PREFIX) ? 2 : mostEdits(typed);
  return near.filter(({ edits }) => edits <= most).sort((a, b) => a.edits - b.edits)[0]?.word;
}

/** Word by word where both have as many: `DATABASE_SSL` is no mistyped `DATABASE_URL`, though two letters make it one. */
function editsBetween(typed: string, setting: string): number {
  const [words, asked] = [typed.split("_"), setting.split("_")];
  const isOther = (word: string, nth: number) => editDistance(word, asked[nth] ?? "") > Math.max(1, word.length / 3);
  return words.length === asked.length && words.some(isOther) ? Number.POSITIVE_INFINITY : editDistance(typed, setting);
}

/** In capitals, each word in the singular: `trusted_proxy` is nearly `TRUSTED_PROXIES`. */
function stemOf(name: string): string {
  const words = name.toUpperCase().split("_");
  return words.map((word) => word.replace(/IES$/, "Y").replace(/(?<=..)S$/, "")).join("_");
}

/** Short names are a letter away from those of other programs: `HOSTS`, `POST`, `ROLE`. */
function mostEdits({ length }: string): number {
  if (length < 7) return -1;
  return length < 10 ? 1 : 2;
}
