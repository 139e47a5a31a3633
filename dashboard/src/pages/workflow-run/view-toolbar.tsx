import { Crosshair, Download, EyeOff, Group, Image, ListTree, Route, ScrollText } from "lucide-react";
import { useLiveState } from "../../live/use-live.ts";
import { downloadBlob, downloadText } from "../../parts/code/download.ts";
import { dagMermaid, dagSvg } from "../../parts/dag/dag-export.ts";
import { svgToPng } from "../../parts/dag/svg-to-png.ts";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Menu } from "../../parts/overlay/menu.tsx";
import { toast } from "../../parts/overlay/toasts.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { LiveDot } from "../../parts/state/live-dot.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { MAX_SHOWN } from "./group-steps.ts";
import type { DagGraph } from "./run-graph.ts";
import { useView, VIEWS, type View } from "./run-views.tsx";
import { hasEnded, type WorkflowRunView } from "./use-workflow-run.ts";

const NAMES: Record<View, string> = { graph: "Graph", timeline: "Trace", list: "List" };

/** View and filter of the steps, kept in the URL. */
export function ViewToolbar({ view, whole }: { view: WorkflowRunView; whole: DagGraph }) {
  const [{ hide, follow, group, explain }, change] = useSearchParams();
  const shown = useView();
  const state = useLiveState();
  const toggle = (name: string, is: string | undefined, on: string) =>
    change({ [name]: is === on ? undefined : on }, { replace: true });
  useShortcut("e", () => toggle("explain", explain, "on"));
  return (
    <div className="flex flex-none flex-wrap items-center gap-2 border-b px-3 py-2 sm:px-4 lg:px-6">
      <Segments
        label="View"
        value={shown}
        options={VIEWS.map((id) => ({ id, label: NAMES[id] }))}
        onChange={(id) => change({ view: id })}
      />
      {!hasEnded(view.run) && (
        <span className="px-1 max-sm:hidden">
          <LiveDot state={state} />
        </span>
      )}
      <span className="ml-auto flex items-center gap-1">
        {shown !== "timeline" && (
          <IconButton
            label="Hide completed steps"
            pressed={hide === "done"}
            icon={<EyeOff size={15} />}
            onClick={() => toggle("hide", hide, "done")}
          />
        )}
        {shown === "graph" && (
          <IconButton
            label="Follow running steps"
            pressed={follow === "on"}
            icon={<Crosshair size={15} />}
            onClick={() => toggle("follow", follow, "on")}
          />
        )}
        {shown === "graph" && whole.nodes.length > MAX_SHOWN && (
          <IconButton
            label="Group steps"
            pressed={group !== "off"}
            icon={<Group size={15} />}
            onClick={() => toggle("group", group, "off")}
          />
        )}
        <ExportMenu graph={whole} id={view.run.id} />
        <Button
          size="small"
          icon={<ScrollText size={14} />}
          aria-pressed={explain === "on"}
          onClick={() => toggle("explain", explain, "on")}
        >
          Explain
        </Button>
      </span>
    </div>
  );
}

function ExportMenu({ graph, id }: { graph: DagGraph; id: string }) {
  const svg = async () =>
    downloadText(`workflow-run-${id}.svg`, await dagSvg(graph.nodes, graph.edges), "image/svg+xml");
  const png = async () => {
    try {
      downloadBlob(`workflow-run-${id}.png`, await svgToPng(await dagSvg(graph.nodes, graph.edges)));
    } catch (error) {
      toast({ tone: "bad", title: "Export failed", detail: (error as Error).message });
    }
  };
  return (
    <Menu
      label="Export"
      align="end"
      trigger={<IconButton label="Export" icon={<Download size={15} />} />}
      items={[
        {
          label: "As Mermaid",
          icon: <Route size={14} />,
          onSelect: () => downloadText(`workflow-run-${id}.mmd`, dagMermaid(graph.nodes, graph.edges)),
        },
        { label: "As SVG", icon: <ListTree size={14} />, onSelect: () => void svg() },
        { label: "As PNG", icon: <Image size={14} />, onSelect: () => void png() },
      ]}
    />
  );
}
