import { edgePathsOf } from "@millrace/contract/workflows/edge-paths";
import { stagesOf } from "@millrace/contract/workflows/graph-stages";
import { layerGraph } from "@millrace/contract/workflows/layer-graph";
import { describe, expect, it } from "vitest";
import { groupSteps, MAX_SHOWN } from "../src/pages/workflow-run/group-steps.ts";
import { type DagGraph, withoutDone } from "../src/pages/workflow-run/run-graph.ts";
import { drawnPathsOf } from "../src/parts/dag/dag-edge-paths.ts";
import { lineageOf } from "../src/parts/dag/dag-lineage.ts";
import { DAG_SIZE } from "../src/parts/dag/dag-types.ts";

const nodesOf = (ids: string[], status = "pending") => ids.map((id) => ({ id, label: id, status }));
const names = (count: number) => Array.from({ length: count }, (_, nth) => `s${nth}`);

/** One step, many dependents, and one step that depends on all of those. */
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

describe("workflow run graph", () => {
  it("does not group up to 150 steps", () => {
    const graph = fan(MAX_SHOWN - 2);
    expect(groupSteps(graph).nodes).toEqual(graph.nodes);
  });

  it("groups more steps by the same dependencies and dependents", () => {
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

  it("a group shows its most urgent status", () => {
    const graph = fan(400);
    for (const node of graph.nodes) node.status = node.id === "s7" ? "failed" : "completed";
    expect(groupSteps(graph).nodes[1]).toMatchObject({ status: "failed", detail: "399 done" });
  });

  it("groups a long chain by stages without back edges", () => {
    const { nodes, edges } = groupSteps(chain(500));
    expect(nodes.length).toBeLessThanOrEqual(MAX_SHOWN);
    expect(edges).toHaveLength(nodes.length - 1);
    expect(new Set(edges.map(({ from }) => from)).size).toBe(edges.length);
  });

  it("reconnects edges around hidden completed steps", () => {
    const graph = chain(4);
    graph.nodes.forEach((node, nth) => {
      if (nth === 1 || nth === 2) node.status = "completed";
    });
    const { nodes, edges } = withoutDone(graph);
    expect(nodes.map(({ id }) => id)).toEqual(["s0", "s3"]);
    expect(edges).toEqual([{ from: "s0", to: "s3", isCritical: false }]);
  });

  it("finds ancestors, descendants and the stage of a step", () => {
    const { nodes, edges } = fan(3);
    const stages = stagesOf(
      nodes.map(({ id }) => id),
      edges,
    );
    expect([...lineageOf(edges, "s1")].sort()).toEqual(["first", "last", "s1"]);
    expect([stages.get("first"), stages.get("s2"), stages.get("last")]).toEqual([0, 1, 2]);
  });
});

describe("edge paths", () => {
  const places = { a: { x: 0, y: 100 }, b: { x: 240, y: 100 }, c: { x: 480, y: 100 } };
  const heightsOf = (path: string) => [...path.matchAll(/L[\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));

  it("to the next stage are a single curve", () => {
    expect(edgePathsOf([{ from: "a", to: "b" }], places, DAG_SIZE).get("a→b")).toBe("M192 127C216 127 216 127 240 127");
  });

  it("over several stages pass between nodes, not behind them", () => {
    const [y = 0] = heightsOf(edgePathsOf([{ from: "a", to: "c" }], places, DAG_SIZE).get("a→c") ?? "");
    expect(y <= 100 || y >= 100 + DAG_SIZE.height).toBe(true);
  });

  it("are straight where there are no nodes", () => {
    const free = { ...places, b: { x: 240, y: 300 } };
    expect(heightsOf(edgePathsOf([{ from: "a", to: "c" }], free, DAG_SIZE).get("a→c") ?? "")).toEqual([127]);
  });

  it("leave a step at its bottom and reach the next at its top where a graph goes down", () => {
    const down = { a: { x: 0, y: 0 }, b: { x: 100, y: 90 } };
    const path = drawnPathsOf([{ from: "a", to: "b" }], down, "down").get("a→b");
    expect(path?.split(/[MC]/)).toEqual(["", "96 54", "96 72 196 72 196 90"]);
  });
});

describe("layout of large graphs", () => {
  const placesOf = ({ nodes, edges }: DagGraph) =>
    layerGraph(
      nodes.map(({ id }) => id),
      edges,
      DAG_SIZE,
    );
  /** Twenty-five stages of twenty steps, each depending on two of the previous stage. */
  const net = (): DagGraph => {
    const ids = names(500);
    const edges = ids.slice(20).flatMap((to, nth) => {
      const before = Math.floor(nth / 20) * 20;
      return [0, 7].map((more) => ({ from: ids[before + ((nth * 13 + more) % 20)] ?? "", to }));
    });
    return { nodes: nodesOf(ids), edges };
  };

  it.each([
    ["a fan", fan(498)],
    ["a chain", chain(500)],
    ["a net", net()],
  ])("places five hundred steps of %s without overlaps, each after its dependencies", (_, graph) => {
    const places = placesOf(graph);
    expect(Object.keys(places)).toHaveLength(500);
    const columns = new Map<number, { y: number }[]>();
    for (const { x, y } of Object.values(places)) columns.set(x, [...(columns.get(x) ?? []), { y }]);
    for (const column of columns.values()) {
      const tops = column.map(({ y }) => y).sort((a, b) => a - b);
      expect(tops.every((y, nth) => nth === 0 || y - (tops[nth - 1] ?? 0) >= DAG_SIZE.height + 19.9)).toBe(true);
      expect(tops[0]).toBeGreaterThanOrEqual(0);
    }
    const wrong = graph.edges.filter(({ from, to }) => (places[to]?.x ?? 0) <= (places[from]?.x ?? 0));
    expect(wrong).toEqual([]);
  });

  it("puts a chain on one line and a shared dependent in the middle", () => {
    expect(new Set(Object.values(placesOf(chain(200))).map(({ y }) => y)).size).toBe(1);
    const places = placesOf(fan(201));
    expect(places.first?.y).toBeCloseTo(places.s100?.y ?? -1);
    expect(places.last?.y).toBeCloseTo(places.s100?.y ?? -1);
  });

  it("takes milliseconds", () => {
    const graph = net();
    const before = process.cpuUsage();
    placesOf(graph);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(500); // the worker layout takes seconds
  });
});
