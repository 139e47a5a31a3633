import { useJobs } from "../use-jobs.ts";

/** Filters by job; all jobs by default. */
export function JobPicker({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (slug: string | undefined) => void;
}) {
  const jobs = [...(useJobs()?.values() ?? [])];
  const isUnknown = value !== undefined && !jobs.some(({ slug }) => slug === value);
  return (
    <select
      aria-label="Job"
      className="field w-44 max-sm:w-32"
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">All jobs</option>
      {isUnknown && <option value={value}>{value}</option>}
      {jobs.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </select>
  );
}
