import { AREAS, SCOPES, type Scope } from "@millrace/contract/access/scopes";
import { Check } from "lucide-react";

type Props = {
  scopes: ReadonlySet<string>;
  inherited: ReadonlySet<string>;
  onChange: (scopes: ReadonlySet<string>) => void;
};

/** Areas with their verbs. Inherited scopes are checked but can also be granted directly. */
export function ScopePicker({ scopes, inherited, onChange }: Props) {
  const toggle = (scope: string) =>
    onChange(new Set(scopes.has(scope) ? [...scopes].filter((each) => each !== scope) : [...scopes, scope]));
  const isAll = scopes.has("*");
  const isInherited = (scope: Scope) => inherited.has(scope) || inherited.has("*");
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 font-medium text-xs">Direct scopes</legend>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs">
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={isAll} onChange={() => toggle("*")} />
          All scopes, including future ones
        </label>
        {inherited.size > 0 && (
          <span className="flex items-center gap-1 text-ink-2">
            <Tick /> inherited from the parent
          </span>
        )}
      </div>
      <div className="grid overflow-hidden rounded-sm border sm:grid-cols-2">
        {AREAS.map((area) => (
          <div
            key={area}
            className="grid min-h-8 grid-cols-[84px_1fr_1fr_1fr] items-center gap-2 border-b px-3 text-xs last:border-b-0 sm:odd:border-r"
          >
            <span className="truncate text-ink-2">{area}</span>
            {SCOPES.filter((scope) => scope.startsWith(`${area}:`)).map((scope) => (
              <label key={scope} className="flex items-center gap-1.5 whitespace-nowrap" title={scope}>
                <input
                  type="checkbox"
                  aria-label={isInherited(scope) ? `${scope}, inherited` : scope}
                  disabled={isAll}
                  checked={isAll || scopes.has(scope)}
                  onChange={() => toggle(scope)}
                />
                {scope.slice(area.length + 1)}
                {isInherited(scope) && <Tick />}
              </label>
            ))}
          </div>
        ))}
      </div>
    </fieldset>
  );
}

function Tick() {
  return <Check size={13} aria-hidden="true" className="flex-none text-success" />;
}
