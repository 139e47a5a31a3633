import { withQuery } from "../../api/call.ts";
import type { Code } from "../../parts/code/as-code.tsx";
import type { RunFilter } from "./use-runs.ts";

/** The current list as code. */
export function codeOfList(filter: RunFilter): Code {
  const path = withQuery("/v1/runs", { ...filter, limit: 50 });
  const q = [
    filter.q,
    filter.environment_id && `env:${filter.environment_id}`,
    filter.from && `since:${filter.from}`,
    filter.to && `until:${filter.to}`,
  ];
  const words = q.filter(Boolean).join(" ");
  return {
    curl: `curl -s '${location.origin}${path.replaceAll("'", "%27")}' \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY"`,
    cli: words === "" ? "millrace runs list" : `millrace runs list -q '${words.replaceAll("'", "'\\''")}'`,
    typescript: `import { createClient } from "@millrace/sdk";\n\nconst millrace = createClient();\nfor await (const run of millrace.runs.list(${JSON.stringify(filter)})) {\n  console.log(run.id, run.status);\n}`,
  };
}
