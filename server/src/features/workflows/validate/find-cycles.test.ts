import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import { bit, findAncestors } from "./step-graph.ts";
import { findCycles, stepIssues as stepIssuesGenerator } from "./step-issues.ts";

const stepIssues = synchronous(stepIssuesGenerator);

fc.configureGlobal({ seed: testSeed("find-cycles") });

type Graph = number[][];

/** Up to 12 steps, each with edges to any of them. */
const graphs = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.array(fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 4 }), {
    minLength: size,
    maxLength: size,
  }),
);

/** Removes nodes without outgoing edges until none is left or none can be removed. */
function isAcyclic(graph: Graph): boolean {
  const left = new Map(graph.map((next, node) => [node, new Set(next)]));
  for (;;) {
    const free = [...left].filter(([, next]) => next.size === 0).map(([node]) => node);
    if (free.length === 0) return left.size === 0;
    for (const node of free) left.delete(node);
    for (const next of left.values()) for (const node of free) next.delete(node);
  }
}

/** Computes reachability by brute force. */
function reachable(graph: Graph, from: number): Set<number> {
  const found = new Set(graph[from]);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const node of [...found]) for (const next of graph[node] ?? []) found.add(next);
  }
  return found;
}

const rotations = (way: number[]) => way.map((_, at) => [...way.slice(at), ...way.slice(0, at)].join());

describe("the cycles of a graph", () => {
  it("W1 are found if and only if there is one", () => {
    fc.assert(
      fc.property(graphs, (graph) => (findCycles(graph, 1_000).length === 0) === isAcyclic(graph)),
      {
        numRuns: sizeOf(150, 3_000),
      },
    );
  });

  it("W1 are each a path along the edges that returns to its start, and visits no step twice", () => {
    fc.assert(
      fc.property(graphs, (graph) =>
        findCycles(graph, 1_000).every((cycle) => {
          const way = cycle.slice(1);
          const isAlongEdges = way.every((node, at) => graph[cycle[at] ?? 0]?.includes(node));
          return isAlongEdges && cycle.at(-1) === cycle[0] && new Set(way).size === way.length;
        }),
      ),
      { numRuns: sizeOf(150, 2_000) },
    );
  });

  it("W1 are each reported once, whatever their starting point", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const ways = findCycles(graph, 1_000).map((cycle) => cycle.slice(1));
        const seen = new Set<string>();
        for (const way of ways) {
          expect(rotations(way).some((text) => seen.has(text))).toBe(false);
          seen.add(way.join());
        }
      }),
      { numRuns: sizeOf(150, 2_000) },
    );
  });

  it("W1 all disappear if the last edge of each is removed: there is no second round of issues", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const mended = graph.map((next) => [...next]);
        for (const cycle of findCycles(graph, 1_000)) {
          const [from = 0, to = 0] = cycle.slice(-2);
          mended[from] = (mended[from] ?? []).filter((node) => node !== to);
        }
        return isAcyclic(mended);
      }),
      { numRuns: sizeOf(150, 2_000) },
    );
  });
});

describe("the cycles of a workflow", () => {
  it("W1 are reported if and only if there is one, each at the reference that closes it", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const steps = graph.map((next, node) => ({
          step_ref: `s${node}`,
          type: "sleep" as const,
          sleep_duration: "1s",
          depends_on: next.map((other) => `s${other}`),
        }));
        const issues = stepIssues(steps, { jobs: new Map(), workflows: new Map(), private_endpoints: "refuse" });
        expect(issues.length === 0).toBe(isAcyclic(graph));
        for (const { location, message, value } of issues) {
          const [, step = "", nth = ""] = /^body\.steps\[(\d+)\]\.depends_on\[(\d+)\]$/.exec(location) ?? [];
          expect(steps[Number(step)]?.depends_on[Number(nth)]).toBe(value);
          const way = message.replace("makes a cycle: ", "").split(" → ");
          expect([way[0], ...way.slice(-2)]).toEqual([value, `s${step}`, value]);
        }
      }),
      { numRuns: sizeOf(150, 500) },
    );
  });
});

describe("the ancestors of a step", () => {
  it("W1 are all reachable steps, and unknown for steps in or after a cycle", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const ancestors = findAncestors(graph);
        for (const node of graph.keys()) {
          const before = reachable(graph, node);
          const isBehindCycle = [node, ...before].some((each) => reachable(graph, each).has(each));
          const bits = isBehindCycle ? undefined : [...before].reduce((all, each) => all | bit(each), 0n);
          expect(ancestors[node]).toBe(bits);
        }
      }),
      { numRuns: sizeOf(150, 2_000) },
    );
  });
});
