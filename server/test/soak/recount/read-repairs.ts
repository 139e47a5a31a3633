import { readMetrics } from "../../harness/read-metrics.ts";
import type { Build } from "../differential/start-build.ts";

/** What reconciliation has repaired: a sum that is right because of it would otherwise look as if it had been right. */
export async function readRepairs({ url }: Build): Promise<string[]> {
  const text = await readMetrics(url);
  return text.split("\n").filter((line) => /^millrace_repairs_total\{.*\} [1-9]/.test(line));
}
