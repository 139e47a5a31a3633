import type { AnalyticsTime } from "../shared-analytics/use-range.ts";

export type TabProps = { query: AnalyticsTime & { job_id?: string }; onBrush: (from: number, to: number) => void };
