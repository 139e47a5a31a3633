import type { ApiKey } from "@millrace/contract/api-keys";

/** An action that needs confirmation. */
export type KeyAction = { verb: "rotate" | "revoke"; key: ApiKey };
