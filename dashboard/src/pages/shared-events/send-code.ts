import type { Code } from "../../parts/code/as-code.tsx";
import { codeOf, shellQuoted } from "../code-of.ts";

export function sendCode(eventKey: string, payload: unknown): Code {
  const path = `/v1/events/${encodeURIComponent(eventKey)}/send`;
  return codeOf(
    { method: "POST", path, body: { payload } },
    {
      cli: `millrace events send ${shellQuoted(eventKey)} -d ${shellQuoted(JSON.stringify(payload))}`,
      typescript: `await millrace.events.send(${JSON.stringify(eventKey)}, ${JSON.stringify(payload)});`,
    },
  );
}
