/** The job or workflow that a schedule starts. */
export type Target = { kind: "job" | "workflow"; id: string; name: string };

export const idOf = ({ kind, id }: Target) => (kind === "job" ? { job_id: id } : { workflow_id: id });
