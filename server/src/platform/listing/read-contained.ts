import { invalid } from "../errors/errors.ts";
import { parseJson } from "../json/parse-json.ts";

/** JSON in a query parameter, parsed as strictly as a body: nothing is rounded or replaced. */
export function readContained(location: string, text: string): unknown {
  const parsed = parseJson(text, { root: location });
  if (parsed.ok) return parsed.value;
  throw invalid(parsed.problem.location, parsed.problem.message, text);
}
