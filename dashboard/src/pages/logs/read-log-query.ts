/** Parameters of `GET /v1/logs` that the search text names: `job:send-mail run:<id> level:error connection reset`. */
export function readLogQuery(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const words: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const [, name = "", value = ""] = /^(job|run|workflow_run|level):(\S+)$/.exec(word) ?? [];
    const parameter = PARAMETERS[name];
    const isValid = parameter !== undefined && (VALID[parameter]?.test(value) ?? true);
    if (parameter && isValid) found[parameter] = value;
    else if (word !== "") words.push(word);
  }
  return words.length === 0 ? found : { ...found, q: words.join(" ").slice(0, 200) };
}

/** Explains why an invalid filter in the text is searched for as a word. */
export function logQueryIssue(text: string): string | undefined {
  for (const word of text.trim().split(/\s+/)) {
    const [, name = "", value = ""] = /^(\w+):(\S+)$/.exec(word) ?? [];
    const parameter = PARAMETERS[name];
    if (parameter && VALID[parameter]?.test(value) === false) return `${word} is not a filter: ${RULES[parameter]}.`;
  }
  return undefined;
}

const RULES: Record<string, string> = {
  run_id: "it must be the id of a run",
  workflow_run_id: "it must be the id of a workflow run",
  level: "it must be debug, info, warn or error, or several of them separated by commas",
};
const PARAMETERS: Record<string, string> = {
  job: "job_id",
  run: "run_id",
  workflow_run: "workflow_run_id",
  level: "level",
};
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const VALID: Record<string, RegExp> = {
  run_id: ID,
  workflow_run_id: ID,
  level: /^(?:debug|info|warn|error)(?:,(?:debug|info|warn|error))*$/,
};
