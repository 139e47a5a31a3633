import { ChevronsDownUp, ChevronsUpDown, Maximize2, OctagonX, ScrollText, ZoomIn, ZoomOut } from "lucide-react";
import { SearchField } from "../filter/search-field.tsx";
import { IconButton } from "../form/icon-button.tsx";

type Props = {
  text: string;
  onText: (text: string) => void;
  matches: number | undefined;
  withLogs: boolean;
  onLogs: () => void;
  onlyFailed: boolean;
  onFailed: () => void;
  onZoom: (factor: number) => void;
  onWhole: () => void;
  onExpand: () => void;
  onCollapse: () => void;
};

export function TraceToolbar(props: Props) {
  const { text, onText, matches, withLogs, onLogs, onlyFailed, onFailed, onZoom, onWhole, onExpand, onCollapse } =
    props;
  return (
    <div className="flex flex-wrap items-center gap-1">
      <SearchField label="Search the trace" value={text} onChange={onText} />
      <span role="status" className="px-1 text-ink-2 text-xs">
        {matches !== undefined && (matches === 1 ? "1 match" : `${matches} matches`)}
      </span>
      <span className="ml-auto flex items-center gap-0.5">
        <IconButton label="Only failures" pressed={onlyFailed} icon={<OctagonX size={15} />} onClick={onFailed} />
        <IconButton
          label="Log lines and checkpoints"
          pressed={withLogs}
          icon={<ScrollText size={15} />}
          onClick={onLogs}
        />
        <IconButton label="Expand all" icon={<ChevronsUpDown size={15} />} onClick={onExpand} />
        <IconButton label="Collapse all" icon={<ChevronsDownUp size={15} />} onClick={onCollapse} />
        <IconButton label="Zoom in" keys="+" icon={<ZoomIn size={15} />} onClick={() => onZoom(0.5)} />
        <IconButton label="Zoom out" keys="-" icon={<ZoomOut size={15} />} onClick={() => onZoom(2)} />
        <IconButton label="Show all" keys="0" icon={<Maximize2 size={15} />} onClick={onWhole} />
      </span>
    </div>
  );
}
