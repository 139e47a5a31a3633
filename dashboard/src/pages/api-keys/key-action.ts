import type { ApiKey } from "@millrace/contract/access/api-keys";

/** An action that needs confirmation. */
export type KeyAction = { verb: "limit" | "rotate" | "revoke"; key: ApiKey };
