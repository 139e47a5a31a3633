import type { ApiKey } from "@millrace/contract/api-keys";

/** What somebody is asked about before it is done. */
export type KeyAction = { verb: "rotate" | "revoke"; key: ApiKey };
