/** Which steps must end before this one starts. */
export function ParentChoice({
  parents,
  chosen,
  onChange,
}: {
  parents: readonly string[];
  chosen: readonly string[];
  onChange: (names: string[]) => void;
}) {
  if (parents.length === 0) return null;
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium text-xs">Depends on</legend>
      <div className="flex max-h-28 flex-wrap gap-x-4 gap-y-1 overflow-y-auto">
        {parents.map((name) => (
          <label key={name} className="flex items-center gap-1.5 font-mono text-xs">
            <input
              type="checkbox"
              className="size-3.5"
              checked={chosen.includes(name)}
              onChange={() =>
                onChange(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name])
              }
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
