import type { Code } from "../parts/code/as-code.tsx";

type Request = { method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"; path: string; body?: unknown };

/** A request as curl, and as CLI and TypeScript where they support it. */
export function codeOf({ method, path, body }: Request, others: { cli?: string; typescript?: string } = {}): Code {
  const parts = [
    `curl -s${method === "GET" ? "" : ` -X ${method}`} '${location.origin}${path.replaceAll("'", "%27")}'`,
    '-H "Authorization: Bearer $MILLRACE_API_KEY"',
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${shellQuoted(JSON.stringify(body))}`]),
  ];
  const { typescript } = others;
  return {
    curl: parts.join(" \\\n  "),
    ...(others.cli && { cli: others.cli }),
    ...(typescript && {
      typescript: `import { createClient } from "@millrace/sdk";\n\nconst millrace = createClient();\n${typescript}`,
    }),
  };
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
