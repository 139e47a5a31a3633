import { hashKey } from "../platform/access/credentials/key-format.ts";
import type { Ctx } from "../platform/context.ts";
import { readSigningSecrets } from "../platform/secrets/signing-secrets.ts";
import type { Mode } from "../platform/settings/config.ts";

/** Data of the service for the command that started it. */
export type Started = {
  mode: Mode;
  url: string;
  apiKey: string | undefined;
  /** The secret that signs the outgoing requests of the key's project. */
  readSigningSecret: () => Promise<string | undefined>;
  /** Works once. In development only. */
  signInUrl?: string;
};

export function handOver(ctx: Ctx, url: string, apiKey: string | undefined): Started {
  return {
    mode: ctx.config.mode,
    url,
    apiKey,
    readSigningSecret: async () => {
      const key = apiKey === undefined ? undefined : await ctx.keyCache.find(ctx.db, hashKey(apiKey));
      return key && (await readSigningSecrets(ctx, key.project_id))[0];
    },
  };
}
