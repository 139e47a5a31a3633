import type { ScopeList } from "@millrace/contract/scopes";
import type { KeyCache } from "./access/key-cache.ts";
import type { Access } from "./access/policies.ts";
import type { RunClaims } from "./access/run-token.ts";
import type { TokenLimits } from "./access/token-limits.ts";
import type { Config } from "./config.ts";
import type { DatabaseWatch } from "./database/database-watch.ts";
import type { Db } from "./database/db.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Outgoing } from "./outgoing/guarded-agent.ts";
import type { Seal } from "./seal.ts";
import type { ServiceState } from "./service-state.ts";
import type { Wakeup } from "./wakeup.ts";

/** What every room is handed. `db` is a transaction inside `inTransaction`. */
export type Ctx = {
  config: Config;
  db: Db;
  log: Log;
  metrics: Metrics;
  seal: Seal;
  wakeup: Wakeup;
  outgoing: Outgoing;
  keyCache: KeyCache;
  watch: DatabaseWatch;
  state: ServiceState;
  instance_id: string;
};

/** Marks code that must share the transaction of the change it belongs to. */
export type InTransaction = { in_transaction: true };

export type Caller =
  | { kind: "internal_secret"; name: string; scopes: null }
  | {
      kind: "api_key";
      key_id: string;
      name: string;
      project_id: string;
      environment_id: string | null;
      org_id: string | null;
      scopes: ScopeList;
      /** Only with a narrow token that the key has made. */
      limits?: TokenLimits;
    }
  /** Somebody with an OIDC token. In a project what the role there says; before it is known, and elsewhere, nothing. */
  | {
      kind: "member";
      subject: string;
      name: string;
      /** Of the token, as far as its issuer stands for it. */
      email: string | null;
      project_id: string | null;
      member_id: string | null;
      role_ids: readonly string[];
      org_id: null;
      scopes: readonly string[];
    };

/** Where a request came from, for audit, and the address of the service as it was asked, for links in answers. */
export type RequestOrigin = { request_id: string; ip: string; user_agent: string | null; base_url: string };

/** The dashboard session behind a request, if a cookie brought it. */
export type SessionOfRequest = { id: string; expires_at: string };

export type CallerCtx = Ctx & { caller: Caller; origin: RequestOrigin; session: SessionOfRequest | null };

/** Every tenant query carries `project_id`. */
export type ProjectCtx = CallerCtx & {
  project_id: string;
  /** What policies say of this request; absent where nobody has asked. */
  access?: Access;
};

/** A running job that calls back: which run and attempt it is, by its token. Whether it still is, the fence tells. */
export type RunCtx = Ctx & RunClaims & { origin: RequestOrigin };
