/** The noun and verb of an endpoint in the client: `GET /v1/runs/{runID}/logs` → `runs.logs`. */
export function nameEndpoint(method: string, path: string, at: PathFacts): [string, string] {
  const explicit = EXPLICIT_NAMES[`${method} ${path}`];
  if (explicit) return explicit;
  const [noun = "", ...rest] = path.replace(/^\/(?=sdk\/)sdk\/v1\/|^\/(v1\/)?/, "").split("/");
  const named = path.startsWith("/sdk/") ? `sdk-${noun}` : noun.replace(/\.json$/, "");
  return [camel([named]), verbOf(method, rest, at)];
}

/** Other facts about the path: whether GET returns a list, and whether POST creates what GET reads. */
type PathFacts = { isList: boolean; isCreated: boolean };

/** Explicit names where the rule below gives a clumsy one. */
const EXPLICIT_NAMES: Record<string, [string, string]> = {
  "GET /v1/stream": ["topics", "stream"],
  "POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/replay-subtree": ["workflowRuns", "replaySubtree"],
  "GET /v1/workflows/{workflowID}/versions/{fromVersionID}/diff/{toVersionID}": ["workflows", "diffVersions"],
  "GET /v1/workflow-runs/{workflowRunID}/capsule": ["workflowRuns", "exportCapsule"],
  "POST /v1/workflow-runs/capsules": ["workflowRuns", "importCapsule"],
  "POST /v1/events/callback/{token}": ["events", "sendByCallback"],
};

function verbOf(method: string, segments: string[], { isList, isCreated }: PathFacts): string {
  const onItem = isParam(segments.at(-1));
  const words = segments.flatMap((segment, at) => (isParam(segment) ? [] : [wordOf(segments, at)]));
  if (words.length === 0) return plainVerb(method, onItem, isList);
  if (method === "GET") return camel(words);
  if (method === "PUT") return camel(["set", ...words]);
  if (method === "PATCH") return camel(["update", ...words]);
  if (method === "DELETE") return camel(["delete", ...words]);
  if (isCreated) return camel(["create", ...words.slice(0, -1), singular(words.at(-1) ?? "")]);
  return camel([words.at(-1) ?? "", ...words.slice(0, -1)]);
}

function plainVerb(method: string, onItem: boolean, isList: boolean): string {
  if (method === "GET") return onItem || !isList ? "get" : "list";
  return { POST: "create", PUT: "set", PATCH: "update", DELETE: "delete" }[method] ?? method.toLowerCase();
}

/** A segment followed by an id is a collection. */
function wordOf(segments: string[], at: number): string {
  const word = segments[at] ?? "";
  return isParam(segments[at + 1]) ? singular(word) : word;
}

function isParam(segment: string | undefined): boolean {
  return segment?.startsWith("{") ?? false;
}

function singular(word: string): string {
  return word.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
}

function camel(words: string[]): string {
  const [first = "", ...others] = words.flatMap((word) => word.split("-"));
  return first + others.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
