import { readFileSync, writeFileSync } from "node:fs";
import type { Mutant } from "./mutant.ts";
import { MUTANTS } from "./mutants.ts";
import type { TestRun } from "./run-tests.ts";

export type Outcome = Pick<TestRun, "failed" | "secs"> & { mutant: Mutant };

const FILE = new URL("../../../../docs/evidence/tests.md", import.meta.url);
const [BEGIN, END] = ["<!-- mutants: begin -->", "<!-- mutants: end -->"];
const SURVIVED = "**survived**";
const MAX_LENGTH = 90;

/** Rewrites the mutants section. Mutants that were not tried this time keep their row. */
export function writeEvidence(outcomes: ReadonlyMap<string, Outcome>): void {
  const [head = "", rest = ""] = readEvidence().split(BEGIN);
  const [section = "", tail = "\n"] = rest.split(END);
  const before = new Map(section.split("\n").map((row) => [row.split(" | ")[0], row]));
  const rows = MUTANTS.flatMap((mutant) => {
    const outcome = outcomes.get(mutant.name);
    return outcome ? rowOf(outcome) : (before.get(`| ${mutant.name}`) ?? []);
  });
  writeFileSync(FILE, `${head.trimEnd()}\n\n${BEGIN}\n${sectionOf(rows)}\n${END}${tail}`);
}

function readEvidence(): string {
  try {
    return readFileSync(FILE, "utf8");
  } catch {
    return "# Tests\n";
  }
}

function sectionOf(rows: readonly string[]): string {
  const killed = rows.filter((row) => !row.includes(SURVIVED)).length;
  const share = ((killed / rows.length) * 100).toFixed(1);
  return `## Mutants of the flow

Each mutant takes one guard out of \`server/src/flow/\`: a status in a WHERE, a fence, a tenant predicate, a lock, a limit, a
time comparison. The test files that should notice it run against the mutated module; it is killed when a test fails.
The list is in \`server/test/soak/mutants/\`; \`WRITE_EVIDENCE=1 npm run test:soak -- mutants\` runs it and writes this section,
with \`-t <name>\` only the rows of those mutants.

**${killed} of ${rows.length} killed (${share} %).**

| without the guard | file | removed or changed | killed by | s |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

function rowOf({ mutant: { name, file, from }, failed, secs }: Outcome): string {
  const by = failed ? `\`${failed.file}\`` : SURVIVED;
  return `| ${name} | \`${file}\` | \`${shortened(from)}\` | ${by} | ${secs.toFixed(0)} |`;
}

function shortened(from: string): string {
  const line = from.trim().replaceAll(/\s+/g, " ").replaceAll("`", "'").replaceAll("|", "\\|");
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
