import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { cx } from "../class-names.ts";
import { CopyButton } from "./copy-button.tsx";

export type JsonPath = (string | number)[];

type Props = {
  value: unknown;
  /** Levels expanded by default. */
  open?: number;
  /** A value was picked for the filter. */
  onPick?: ((path: JsonPath, value: unknown) => void) | undefined;
  className?: string;
};

const MAX_ITEMS = 100;
const MAX_LETTERS = 300;

/** Collapsible JSON view that truncates long values and copies the whole. */
export function Json({ value, open = 2, onPick, className }: Props) {
  return (
    <div
      className={cx(
        "group/json relative overflow-x-auto rounded-sm border bg-surface p-3 font-mono text-xs leading-5",
        className,
      )}
    >
      <CopyButton
        text={() => JSON.stringify(value, null, 2)}
        label="Copy JSON"
        className="absolute top-1.5 right-1.5"
      />
      <Value value={value} path={[]} open={open} onPick={onPick} />
    </div>
  );
}

type NodeProps = { value: unknown; path: JsonPath; open: number; onPick: Props["onPick"]; name?: ReactNode };

function Value(props: NodeProps) {
  const { value } = props;
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    return <Branch {...props} value={value} />;
  return <Leaf {...props} />;
}

function Branch({ value, path, open, onPick, name }: NodeProps & { value: object }) {
  const [isOpen, setOpen] = useState(path.length < open);
  const [before, behind] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-ml-1 inline-flex items-center gap-0.5 rounded-xs px-0.5 text-left hover:bg-hover"
      >
        <ChevronRight
          size={12}
          aria-hidden="true"
          className={cx("flex-none text-ink-3 transition-transform duration-100", isOpen && "rotate-90")}
        />
        {name && <span className="whitespace-pre">{name}</span>}
        <span className="text-ink-2">
          {before}
          {!isOpen && (
            <>
              <span className="text-ink-3"> {Object.keys(value).length} </span>
              {behind}
            </>
          )}
        </span>
      </button>
      {isOpen && <Items value={value} path={path} open={open} onPick={onPick} />}
      {isOpen && <span className="text-ink-2">{behind}</span>}
    </div>
  );
}

function Items({ value, path, open, onPick }: NodeProps & { value: object }) {
  const [max, setMax] = useState(MAX_ITEMS);
  const entries = Object.entries(value);
  const stepOf = (key: string) => (Array.isArray(value) ? Number(key) : key);
  return (
    <div className="ml-[5px] border-border border-l pl-3">
      {entries.slice(0, max).map(([key, item]) => (
        <Value
          key={key}
          value={item}
          path={[...path, stepOf(key)]}
          open={open}
          onPick={onPick}
          name={<Name name={stepOf(key)} />}
        />
      ))}
      {entries.length > max && (
        <button type="button" className="text-accent hover:underline" onClick={() => setMax(max * 10)}>
          {entries.length - max} more
        </button>
      )}
    </div>
  );
}

function Name({ name }: { name: string | number }) {
  return (
    <span className="text-ink-3">
      {typeof name === "number" ? `${name}: ` : <span className="text-ink">{name}: </span>}
    </span>
  );
}

function Leaf({ value, path, onPick, name }: NodeProps) {
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value) ?? "undefined";
  const isLong = text.length > MAX_LETTERS && !isWhole;
  return (
    <div className="group/leaf flex items-start whitespace-pre-wrap break-all">
      <span className="min-w-0">
        {name}
        <span className={colorOf(value)}>{isLong ? `${text.slice(0, MAX_LETTERS)}…` : text}</span>
        {isLong && (
          <button type="button" className="ml-1 text-accent hover:underline" onClick={() => setWhole(true)}>
            Show all {text.length} characters
          </button>
        )}
      </span>
      {onPick && path.length > 0 && (
        <button
          type="button"
          className="ml-2 flex-none rounded-xs px-1 font-sans text-ink-3 opacity-0 hover:bg-hover hover:text-ink focus-visible:opacity-100 group-hover/leaf:opacity-100"
          onClick={() => onPick(path, value)}
        >
          filter
        </button>
      )}
    </div>
  );
}

function colorOf(value: unknown): string {
  if (typeof value === "string") return "text-success-ink";
  if (typeof value === "number") return "text-accent";
  return typeof value === "boolean" ? "text-retrying-ink" : "text-ink-3";
}
