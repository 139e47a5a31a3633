import { describe, expect, it } from "vitest";
import { useServices } from "../../service/start-service.ts";
import { printDifferences } from "../differential/compare.ts";
import { FIXED_SEQUENCE } from "../differential/fixed-sequence.ts";
import type { Mutation } from "../differential/mutations.ts";
import { startBuild } from "../differential/start-build.ts";
import { playAndRecount } from "./recount-project.ts";
import { buildWithSmallBlocks } from "./small-blocks.ts";

useServices();

const MUTATIONS: Mutation[] = [
  {
    name: "reads the last change of each pass again",
    file: "platform/changelog/consume-changes.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    from: "update log_cursors set position = ${range?.to ?? position}",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    to: "update log_cursors set position = ${range ? range.to - 1 : position}",
    shownIn: /^sums › (runs|usage|costs)/,
  },
  {
    name: "does not index the tags of runs",
    file: "features/runs/search/describe-runs.ts",
    from: "const tags = ended_status === null ? {} : row.tags;",
    to: "const tags = {};",
    shownIn: /^search › searches › tag=customer:ann/,
  },
  {
    name: "publishes no webhook for a dead letter",
    file: "features/webhook-subscriptions/run-event-types.ts",
    from: ', "run.dead_lettered"];',
    to: "];",
    shownIn: /^webhooks › deliveries/,
  },
  {
    name: "streams only the first changes of a batch",
    file: "platform/streams/read-changes.ts",
    from: "changes: rows.map(presentChange),",
    to: "changes: rows.map(presentChange).slice(0, 2),",
    shownIn: /^stream › (runs|decisions)/,
  },
];

describe("the recount", () => {
  it("shows no difference in a build without a fault", async () => {
    const build = await startBuild("no fault", await buildWithSmallBlocks());
    const { differences } = await playAndRecount(build, FIXED_SEQUENCE, 1);
    await build.stop();
    expect(printDifferences(differences)).toBe("");
  });

  it.each(MUTATIONS)("finds a build that $name", async (mutation) => {
    const program = await buildWithSmallBlocks(`recount-mutant-${MUTATIONS.indexOf(mutation)}`, [mutation]);
    const build = await startBuild("mutated", program);
    const { differences } = await playAndRecount(build, FIXED_SEQUENCE, 1);
    await build.stop();
    console.info(
      `a build that ${mutation.name}: ${differences.length} differences\n${printDifferences(differences, 3)}`,
    );
    expect(differences.map(({ path }) => path).filter((path) => mutation.shownIn.test(path))).not.toEqual([]);
  });
});
