import { type RetentionEntry, secsAgo } from "../../platform/retention/retention-entry.ts";

/** Blocks outlive their runs, because runs may be deleted late. */
const SPARE_SECS = 7 * 86_400;

export const runRetention: RetentionEntry[] = [
  {
    name: "run_blocks",
    table: "run_blocks",
    at: "indexed_at",
    before: ({ config }) => secsAgo(config.run_retention_secs + SPARE_SECS),
    page: 500,
  },
];
