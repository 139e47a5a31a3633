import { randomBytes } from "node:crypto";
import type { EventSource } from "@millrace/contract/events/event-sources";
import type { Ctx } from "../../platform/context.ts";
import { newSigningSecret } from "../../platform/secrets/sign.ts";

/** The given secret, or a new one. Null: the source accepts no webhooks. */
export function chooseSecret(signature: EventSource["signature"], given: string | undefined): string | null {
  if (signature === "none") return null;
  if (given !== undefined) return given;
  return signature === "hmac" ? newSigningSecret() : randomBytes(32).toString("hex");
}

export function encryptSecret(ctx: Ctx, project_id: string, source_id: string, secret: string): Promise<Buffer> {
  return ctx.encryption.encryptText(ctx.db, project_id, encryptionContextOf(project_id, source_id), secret);
}

export function decryptSecret(ctx: Ctx, project_id: string, source_id: string, encrypted: Buffer): Promise<string> {
  return ctx.encryption.decryptText(ctx.db, project_id, encryptionContextOf(project_id, source_id), encrypted);
}

function encryptionContextOf(project_id: string, source_id: string): string {
  return `${project_id}/event_source/${source_id}`;
}
