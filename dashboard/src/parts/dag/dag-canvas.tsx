import { Background, type Edge, MiniMap, type Node, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { Maximize, Minus, Plus } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { IconButton } from "../form/icon-button.tsx";
import { useShortcut } from "../overlay/use-shortcut.ts";
import { Skeleton } from "../state/skeleton.tsx";
import { FAMILY_COLOR, lookOf } from "../state/statuses.ts";
import { isShallowSame, useStableItems } from "../table/use-stable-items.ts";
import { NARROW, useMedia } from "../use-media.ts";
import { DagEdgeLayer } from "./dag-edge-layer.tsx";
import { DagEdgePath } from "./dag-edge-path.tsx";
import { drawnPathsOf } from "./dag-edge-paths.ts";
import { KeepSelectedVisible } from "./dag-keep-visible.tsx";
import { lineageOf } from "./dag-lineage.ts";
import { JoinedStepNode, StepNode, type StepNodeData } from "./dag-step-node.tsx";
import { DAG_SIZE, type DagEdge, type DagNode, type DagProps } from "./dag-types.ts";
import { LARGE_FROM, type Places, useDagLayout } from "./use-dag-layout.ts";

/** Large graphs draw all edges in one layer, without handles. */
const TYPES = { step: JoinedStepNode, step_of_many: StepNode };
const EDGE_TYPES = { edgePath: DagEdgePath };
const MINIMAP_FROM = 25;
const FIT = { padding: 0.08, maxZoom: 1 };
/** Initial zoom at which labels are readable; "Fit view" shows everything. */
const FIT_FIRST = { ...FIT, minZoom: 0.65 };
/** A graph that goes down has room for its labels at a smaller zoom. */
const FIT_DOWN = { ...FIT, minZoom: 0.55 };
/** Initial zoom of large graphs, where steps are still readable. */
const FIT_LARGE = { ...FIT, minZoom: 0.3 };
const [NO_EDGE_PATHS, NO_EDGES]: [DagEdge[], Edge[]] = [[], []];

export default function DagCanvas(props: DagProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ nodes, edges, label, selected, onSelect, follow, direction: wanted = "right" }: DagProps) {
  const isLarge = nodes.length >= LARGE_FROM;
  const isNarrow = useMedia(NARROW);
  const direction = isLarge ? "right" : isNarrow ? "down" : wanted;
  const places = useDagLayout(nodes, edges, DAG_SIZE, direction);
  const [hovered, setHovered] = useState<string>();
  const [first] = useState(() => firstToSee(nodes));
  const lineage = useMemo(() => (hovered === undefined ? undefined : lineageOf(edges, hovered)), [edges, hovered]);
  const fit = isLarge ? FIT_LARGE : direction === "down" ? FIT_DOWN : FIT_FIRST;
  const edgePaths = useMemo(
    () => drawnPathsOf(isLarge ? NO_EDGE_PATHS : edges, places ?? {}, direction),
    [isLarge, edges, places, direction],
  );
  const shownNodes = useDrawnNodes(nodes, places, { selected, lineage, isLarge });
  const shownEdges = useStableItems(
    useMemo(
      () => (isLarge ? NO_EDGES : edges.map((edge) => edgeOf(edge, lineage, edgePaths))),
      [isLarge, edges, lineage, edgePaths],
    ),
    isSameEdge,
  );
  if (!places) return <Skeleton className="h-full w-full !bg-surface" />;
  const press = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset.id;
    if (event.key === "Enter" && id !== undefined) onSelect?.(id);
  };
  return (
    <ReactFlow
      aria-label={label}
      nodes={shownNodes}
      edges={shownEdges}
      nodeTypes={TYPES}
      edgeTypes={EDGE_TYPES}
      onNodeClick={(_, node) => onSelect?.(node.id)}
      onNodeMouseEnter={(_, node) => setHovered(node.id)}
      onNodeMouseLeave={() => setHovered(undefined)}
      onKeyDown={press}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      fitView
      fitViewOptions={fit}
      minZoom={0.05}
      maxZoom={1.6}
      onlyRenderVisibleElements={isLarge}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} size={1} color="var(--color-border)" />
      {isLarge && <DagEdgeLayer edges={edges} places={places} lineage={lineage} />}
      <Zoom shape={shapeOf(places)} first={fit} />
      {nodes.length >= MINIMAP_FROM && (
        <MiniMap
          pannable
          zoomable
          position="bottom-left"
          ariaLabel="Overview"
          className="!m-3 overflow-hidden rounded-sm border"
          bgColor="var(--color-surface)"
          maskColor="color-mix(in oklab, var(--color-hover) 70%, transparent)"
          nodeColor={(node) => FAMILY_COLOR[lookOf(String(node.data.status ?? "pending")).family]}
        />
      )}
      <KeepSelectedVisible place={places[selected ?? first ?? ""]} fit={fit} />
      <Follow nodes={follow ? nodes : []} />
    </ReactFlow>
  );
}

/** Canvas buttons, and `f` to fit the view. A graph of another shape is fitted again. */
function Zoom({ shape, first }: { shape: string; first: typeof FIT }) {
  const { fitView, zoomIn, zoomOut } = useReactFlow();
  useShortcut("f", () => void fitView({ ...FIT, duration: 120 }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: refit when the shape changes
  useEffect(() => {
    const later = requestAnimationFrame(() => void fitView(first));
    return () => cancelAnimationFrame(later);
  }, [shape, fitView]);
  return (
    <div className="react-flow__panel floating right-3 bottom-3 flex p-0.5 shadow-none">
      <IconButton label="Zoom in" size="small" icon={<Plus size={14} />} onClick={() => void zoomIn()} />
      <IconButton label="Zoom out" size="small" icon={<Minus size={14} />} onClick={() => void zoomOut()} />
      <IconButton
        label="Fit view"
        keys="f"
        size="small"
        icon={<Maximize size={14} />}
        onClick={() => void fitView({ ...FIT, duration: 120 })}
      />
    </div>
  );
}

/** What to focus first: a failed step, a running one, or the first. */
function firstToSee(nodes: DagNode[]): string | undefined {
  const open = nodes.find(({ status }) => status === "failed" || status === "waiting" || status === "running");
  return (open ?? nodes[0])?.id;
}

/** Centers the running steps when they change. */
function Follow({ nodes }: { nodes: DagNode[] }) {
  const { fitView } = useReactFlow();
  const running = nodes
    .filter(({ status }) => status === "running" || status === "waiting")
    .map(({ id }) => id)
    .join(" ");
  useEffect(() => {
    if (running === "") return;
    void fitView({ nodes: running.split(" ").map((id) => ({ id })), maxZoom: 1, duration: 120, padding: 0.4 });
  }, [running, fitView]);
  return null;
}

type Seen = { selected: string | undefined; lineage: ReadonlySet<string> | undefined; isLarge: boolean };

function useDrawnNodes(nodes: DagNode[], places: Places | undefined, { selected, lineage, isLarge }: Seen) {
  const drawn = useMemo(() => {
    const placed = places ? nodes.filter(({ id }) => places[id]) : [];
    return placed.map((node) => nodeOf(node, places?.[node.id] ?? { x: 0, y: 0 }, { selected, lineage, isLarge }));
  }, [nodes, places, selected, lineage, isLarge]);
  return useStableItems(drawn, isSameNode);
}

function nodeOf(
  node: DagNode,
  position: { x: number; y: number },
  { selected, lineage, isLarge }: Seen,
): Node<StepNodeData> {
  const isSelected = node.id === selected;
  return {
    id: node.id,
    type: isLarge ? "step_of_many" : "step",
    position,
    ...DAG_SIZE,
    // Sizes are set in advance, otherwise every node of a large graph renders once to be measured.
    measured: DAG_SIZE,
    ...(isLarge && { handles: [] }),
    data: { ...node, isSelected, isDim: lineage !== undefined && !lineage.has(node.id) },
    ariaLabel: [node.label, node.status ?? node.change ?? node.kind].filter(Boolean).join(", "),
  };
}

function edgeOf(edge: DagEdge, lineage: Seen["lineage"], edgePaths: ReadonlyMap<string, string>): Edge {
  const { from, to, isCritical, isInvalid, label } = edge;
  const id = `${from}→${to}`;
  const color = isInvalid ? "--color-failed" : isCritical ? "--color-accent" : "--color-border-strong";
  const isDim = lineage !== undefined && !(lineage.has(from) && lineage.has(to));
  return {
    id,
    type: "edgePath",
    data: { path: edgePaths.get(id) ?? "" },
    source: from,
    target: to,
    ...(label && { label }),
    ...(isCritical && { className: "critical" }),
    style: { stroke: `var(${color})`, strokeWidth: isCritical || isInvalid ? 3 : 1.25, opacity: isDim ? 0.2 : 1 },
  };
}

/** Icons are recreated on every render, but depend only on the kind. */
function isSameNode(before: Node<StepNodeData>, now: Node<StepNodeData>): boolean {
  return (
    before.type === now.type &&
    before.position.x === now.position.x &&
    before.position.y === now.position.y &&
    isShallowSame(before.data, now.data, ["icon"])
  );
}

function isSameEdge(before: Edge, now: Edge): boolean {
  return (
    isShallowSame(before, now, ["style", "data"]) &&
    before.data?.path === now.data?.path &&
    isShallowSame(before.style ?? {}, now.style ?? {})
  );
}

function shapeOf(places: Record<string, unknown>): string {
  return Object.keys(places).join(" ");
}
