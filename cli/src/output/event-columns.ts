import type { EventTrigger } from "@millrace/contract/events/events";
import type { Column } from "./print-rows.ts";
import { paintStatus } from "./status.ts";
import { agoOf } from "./times.ts";

/** Columns of event triggers. */
export const triggerColumns: readonly Column<EventTrigger>[] = [
  { title: "key", value: ({ event_key }) => event_key },
  { title: "status", value: ({ status }) => status, show: ({ status }, { colors }) => paintStatus(colors, status) },
  { title: "kind", value: ({ wait_kind }) => wait_kind },
  { title: "run", value: ({ workflow_run_id, job_run_id }) => workflow_run_id ?? job_run_id ?? "" },
  { title: "since", value: ({ requested_at }) => requested_at, show: ({ requested_at }) => agoOf(requested_at) },
  { title: "expires", value: ({ expires_at }) => expires_at, show: ({ expires_at }) => agoOf(expires_at) },
];
