import { describe, expect, it } from "vitest";
import { groupSteps, MOST_SHOWN } from "../src/pages/workflow-run/group-steps.ts";
import { type DagGraph, withoutDone } from "../src/pages/workflow-run/run-graph.ts";
import { lineageOf, stagesOf } from "../src/parts/dag-lineage.ts";

const nodesOf = (ids: string[], status = "pending") => ids.map((id) => ({ id, label: id, status }));
const names = (count: number) => Array.from({ length: count }, (_, nth) => `s${nth}`);

/** One step, many behind it, and one behind all of those. */
function fan(width: number): DagGraph {
  const middle = names(width);
  return {
    nodes: nodesOf(["first", ...middle, "last"]),
    edges: middle.flatMap((id) => [
      { from: "first", to: id },
      { from: id, to: "last" },
    ]),
  };
}

function chain(length: number): DagGraph {
  const ids = names(length);
  return { nodes: nodesOf(ids), edges: ids.slice(1).map((to, nth) => ({ from: ids[nth] ?? "", to })) };
}

describe("the graph of a workflow run", () => {
  it("up to 150 steps stand alone", () => {
    const graph = fan(MOST_SHOWN - 2);
    expect(groupSteps(graph).nodes).toEqual(graph.nodes);
  });

  it("more stand together with those that depend on the same and are awaited by the same", () => {
    const { nodes, edges, members, groupOf } = groupSteps(fan(400));
    expect(nodes.map(({ id, count }) => [id, count])).toEqual([
      ["first", undefined],
      ["group:s0", 400],
      ["last", undefined],
    ]);
    expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual(["first group:s0", "group:s0 last"]);
    expect(members.get("group:s0")).toHaveLength(400);
    expect(groupOf("s399")).toBe("group:s0");
  });

  it("a group has the status of the step that needs most attention", () => {
    const graph = fan(400);
    for (const node of graph.nodes) node.status = node.id === "s7" ? "failed" : "completed";
    expect(groupSteps(graph).nodes[1]).toMatchObject({ status: "failed", detail: "399 done" });
  });

  it("a long chain is folded by stages, and has no way back", () => {
    const { nodes, edges } = groupSteps(chain(500));
    expect(nodes.length).toBeLessThanOrEqual(MOST_SHOWN);
    expect(edges).toHaveLength(nodes.length - 1);
    expect(new Set(edges.map(({ from }) => from)).size).toBe(edges.length);
  });

  it("without what is done, ways lead past it", () => {
    const graph = chain(4);
    graph.nodes.forEach((node, nth) => {
      if (nth === 1 || nth === 2) node.status = "completed";
    });
    const { nodes, edges } = withoutDone(graph);
    expect(nodes.map(({ id }) => id)).toEqual(["s0", "s3"]);
    expect(edges).toEqual([{ from: "s0", to: "s3", isCritical: false }]);
  });

  it("knows what lies before and behind a step, and the stage it stands in", () => {
    const { nodes, edges } = fan(3);
    const stages = stagesOf(
      nodes.map(({ id }) => id),
      edges,
    );
    expect([...lineageOf(edges, "s1")].sort()).toEqual(["first", "last", "s1"]);
    expect([stages.get("first"), stages.get("s2"), stages.get("last")]).toEqual([0, 1, 2]);
  });
});
