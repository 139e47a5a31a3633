import type { Ctx } from "../context.ts";
import { sendRequest } from "./send-request.ts";

type Mail = { to: string; subject: string; text: string; message_id: string };

/** `is_final`: a retry would fail the same way. */
export type MailOutcome = { ok: true } | { ok: false; is_final: boolean; message: string };

const TIMEOUT_MS = 10_000;
const MAX_REASON_LENGTH = 500;

type SmtpError = Error & { responseCode?: number; code?: string };

/** Sends one e-mail by the configured transport. Never rejects. */
export async function sendMail(ctx: Ctx, mail: Mail): Promise<MailOutcome> {
  const { mail: settings } = ctx.config;
  if (!settings) return { ok: false, is_final: false, message: "Neither SMTP_URL nor MAIL_WEBHOOK_URL is set." };
  if (settings.smtp_url !== undefined) return sendBySmtp(ctx, settings.smtp_url, settings.from, mail);
  return sendByWebhook(ctx, settings.webhook_url, settings.from, mail);
}

/**
 * Bypasses the guard of outgoing addresses: the operator configures the server, and it is often in a private network.
 * The recipient comes from customers, and is one plain address; nothing in the message names a file or a URL to load. The
 * server's text may name internal hosts, and customers see the outcome: it is only logged.
 */
async function sendBySmtp(ctx: Ctx, url: string, from: string, mail: Mail): Promise<MailOutcome> {
  const { createTransport } = await import("nodemailer"); // 3 MB that a service without SMTP does not need
  const transport = createTransport({ url, disableFileAccess: true, disableUrlAccess: true, ...TIMEOUTS });
  try {
    await transport.sendMail({
      from,
      to: { name: "", address: mail.to },
      subject: mail.subject,
      text: mail.text,
      messageId: mail.message_id,
      headers: { "auto-submitted": "auto-generated" },
    });
    return { ok: true };
  } catch (error) {
    const { responseCode = 0, code = "unknown error", message: reason } = error as SmtpError;
    ctx.log.warn(
      { reason: reason.slice(0, MAX_REASON_LENGTH).toWellFormed() },
      "the mail server did not accept a message",
    );
    const isAnswer = responseCode > 0;
    const message = isAnswer ? `The mail server answered ${responseCode}.` : `The mail server failed (${code}).`;
    return { ok: false, is_final: responseCode >= 500, message };
  } finally {
    transport.close();
  }
}

const TIMEOUTS = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };

async function sendByWebhook(ctx: Ctx, url: string, from: string, mail: Mail): Promise<MailOutcome> {
  const sent = await sendRequest(ctx.outgoing, {
    method: "POST",
    url,
    headers: { "content-type": "application/json", "user-agent": "millrace", "idempotency-key": mail.message_id },
    body: JSON.stringify({ from, ...mail }),
    timeout_ms: TIMEOUT_MS,
  });
  if (sent.kind === "failed") return { ok: false, is_final: false, message: sent.message };
  if (sent.status >= 200 && sent.status < 300) return { ok: true };
  return { ok: false, is_final: false, message: `The mail webhook returned ${sent.status}.` };
}
