import { Eye, EyeOff, Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import type { Resolved } from "./resolve-variables.ts";

export type VariableRow = { key: number; name: string; value: string };

type Props = {
  rows: readonly VariableRow[];
  onChange: (rows: VariableRow[]) => void;
  /** Variables of the parents, which can be overridden. */
  inherited: readonly Resolved[];
};

/** Names and values to edit. Values are hidden until they are shown one by one. */
export function VariableRows({ rows, onChange, inherited }: Props) {
  const set = (key: number, change: Partial<VariableRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...change } : row)));
  const add = (name = "", value = "") => onChange([...rows, { key: nextKey(rows), name, value }]);
  const names = new Set(rows.map(({ name }) => name));
  const open = inherited.filter(({ name }) => !names.has(name));
  return (
    <div className="flex flex-col gap-2">
      <span className="font-medium text-xs">Variables</span>
      {rows.map((row) => (
        <Row
          key={row.key}
          row={row}
          onChange={(change) => set(row.key, change)}
          onRemove={() => onChange(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      <div>
        <Button size="small" icon={<Plus size={13} />} onClick={() => add()}>
          Add variable
        </Button>
      </div>
      {open.length > 0 && (
        <ul aria-label="Inherited variables" className="flex flex-col gap-1 text-ink-2 text-xs">
          {open.map(({ name, value, from }) => (
            <li key={name} className="flex items-center gap-2">
              <code className="min-w-0 truncate font-mono">{name}</code>
              <span className="text-ink-3">from {from}</span>
              <Button size="small" kind="quiet" className="ml-auto" onClick={() => add(name, value)}>
                Override
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type RowProps = { row: VariableRow; onChange: (change: Partial<VariableRow>) => void; onRemove: () => void };

function Row({ row: { name, value }, onChange, onRemove }: RowProps) {
  const [isShown, setShown] = useState(value === "");
  const what = name || "the new variable";
  return (
    <div className="flex items-center gap-1.5">
      <input
        aria-label="Name"
        className="field min-w-0 flex-1 font-mono text-xs"
        placeholder="NAME"
        spellCheck={false}
        autoComplete="off"
        maxLength={128}
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        title="Letters, digits and _, not starting with a digit"
        required
        value={name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <input
        aria-label={`Value of ${what}`}
        className="field min-w-0 flex-[2] font-mono text-xs"
        type={isShown ? "text" : "password"}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange({ value: event.target.value })}
      />
      <IconButton
        size="small"
        label={`${isShown ? "Hide" : "Show"} value of ${what}`}
        pressed={isShown}
        icon={isShown ? <EyeOff size={13} /> : <Eye size={13} />}
        onClick={() => setShown(!isShown)}
      />
      <IconButton size="small" label={`Remove ${what}`} icon={<X size={13} />} onClick={onRemove} />
    </div>
  );
}

export function rowsOf(variables: Record<string, string>): VariableRow[] {
  return Object.entries(variables)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value], key) => ({ key, name, value }));
}

/** The existing variables, overridden by those of a .env file. */
export function mergeRows(rows: readonly VariableRow[], imported: Record<string, string>): VariableRow[] {
  const kept = rows.map((row) =>
    Object.hasOwn(imported, row.name) ? { ...row, value: imported[row.name] ?? "" } : row,
  );
  const known = new Set(rows.map(({ name }) => name));
  const added = Object.entries(imported).filter(([name]) => !known.has(name));
  const first = nextKey(rows);
  return [...kept, ...added.map(([name, value], nth) => ({ key: first + nth, name, value }))].filter(
    ({ name, value }) => name !== "" || value !== "",
  );
}

function nextKey(rows: readonly VariableRow[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1;
}
