import type { Ctx } from "../context.ts";

type ChannelKey = { project_id: string; id: string };

/** What a channel needs to send: which of them depends on its kind. */
export type ChannelSettings = { url?: string; key?: string; email?: string };

export function encryptChannelSettings(ctx: Ctx, key: ChannelKey, settings: ChannelSettings): Promise<Buffer> {
  return ctx.encryption.encryptText(ctx.db, key.project_id, encryptionContextOf(key), JSON.stringify(settings));
}

export async function decryptChannelSettings(ctx: Ctx, key: ChannelKey, encrypted: Buffer): Promise<ChannelSettings> {
  return JSON.parse(await ctx.encryption.decryptText(ctx.db, key.project_id, encryptionContextOf(key), encrypted));
}

function encryptionContextOf({ project_id, id }: ChannelKey): string {
  return `${project_id}/${id}/alert-channel`;
}
