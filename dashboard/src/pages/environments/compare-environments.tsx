import type { Environment } from "@millrace/contract/projects/environments";
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { compareVariables, type Difference, resolveVariables } from "./resolve-variables.ts";

const WORDS: Record<Difference["kind"], { label: string; tone: "neutral" | "warn" }> = {
  same: { label: "same", tone: "neutral" },
  different: { label: "different", tone: "warn" },
  only_left: { label: "left only", tone: "warn" },
  only_right: { label: "right only", tone: "warn" },
};

/** The variables of two environments, as runs receive them. The choice is in the URL. */
export function CompareEnvironments({ all }: { all: Environment[] }) {
  const [{ left: a, right: b }, change] = useSearchParams();
  const [isShown, setShown] = useState(false);
  const left = all.find(({ slug }) => slug === a) ?? all[0];
  const right = all.find(({ slug }) => slug === b) ?? all.find(({ id }) => id !== left?.id);
  if (!left || !right) return <EmptyState small title="There is only one environment" />;
  const choices = all.map(({ slug, name }): Choice => [slug, name]);
  const rows = compareVariables(resolveVariables(left, all), resolveVariables(right, all));
  return (
    <section aria-label="Comparison" className="flex flex-col gap-4">
      <div className="grid max-w-xl grid-cols-2 gap-3">
        <ChoiceField
          label="Left"
          choices={choices}
          value={left.slug}
          onChange={(slug) => change({ left: slug }, { replace: true })}
        />
        <ChoiceField
          label="Right"
          choices={choices}
          value={right.slug}
          onChange={(slug) => change({ right: slug }, { replace: true })}
        />
      </div>
      {rows.length === 0 ? (
        <EmptyState small title="Neither environment has variables" />
      ) : (
        <div className="card overflow-x-auto">
          <table className="w-full min-w-[560px] table-fixed text-left text-xs">
            <thead className="border-b bg-surface text-ink-2">
              <tr>
                <th className="h-9 px-4 font-medium">Variable</th>
                <th className="w-52 px-4 font-medium">
                  <span className="flex items-center justify-between">
                    Difference
                    <IconButton
                      size="small"
                      label={isShown ? "Hide values" : "Show values"}
                      pressed={isShown}
                      icon={isShown ? <EyeOff size={14} /> : <Eye size={14} />}
                      onClick={() => setShown(!isShown)}
                    />
                  </span>
                </th>
                <th className="px-4 font-medium">{left.name}</th>
                <th className="px-4 font-medium">{right.name}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.name} row={row} isShown={isShown} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Row({ row: { name, kind, left, right }, isShown }: { row: Difference; isShown: boolean }) {
  const { label, tone } = WORDS[kind];
  const shown = (value: string | undefined) =>
    value === undefined ? <span className="text-ink-3">–</span> : isShown ? value || "(empty)" : "••••••••";
  return (
    <tr className="border-b font-mono last:border-0">
      <td className="h-9 truncate px-4">{name}</td>
      <td className="px-4 font-sans">
        <Badge tone={tone}>{label}</Badge>
      </td>
      <td className="truncate px-4 text-ink-2">{shown(left)}</td>
      <td className="truncate px-4 text-ink-2">{shown(right)}</td>
    </tr>
  );
}
