import Type, { type Static } from "typebox";
import { inWords, Timestamp } from "../schema/fields.ts";
import { bodyObject, responseObject } from "../schema/schema.ts";

/** Long rather than complicated, as NIST SP 800-63B recommends. */
export const NewPassword = Type.String({ minLength: 12, maxLength: 200, description: "At least 12 characters." });
export const Password = Type.String({ minLength: 1, maxLength: 200 });
export const Totp = Type.String({ minLength: 1, maxLength: 20, description: "Code from the authenticator app." });
const EMAIL_PATTERN = inWords("^[^\\s@]+@[^\\s@]+$", "must be an email address such as ada@example.com");
export const Email = Type.String({ minLength: 3, maxLength: 320, pattern: EMAIL_PATTERN });

export const Account = responseObject(
  "Account",
  { email: Type.String(), name: Type.String(), totp_enabled: Type.Boolean(), created_at: Timestamp },
  "The caller's local account.",
);
export type Account = Static<typeof Account>;

const proof = { password: Password, totp: Type.Optional(Totp) };

export const ChangePassword = bodyObject(
  "ChangePassword",
  { ...proof, new_password: NewPassword },
  "The current password, a code if the account needs one, and the new password.",
);
export type ChangePassword = Static<typeof ChangePassword>;

export const CreateResetLink = bodyObject(
  "CreateResetLink",
  {
    email: Email,
    expires_in_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 72, description: "Default: 24." })),
  },
  "For a person who has lost the password or the authenticator app.",
);
export type CreateResetLink = Static<typeof CreateResetLink>;

export const ResetLink = responseObject(
  "ResetLink",
  {
    email: Type.String(),
    url: Type.String({ description: "The link for the person. Only this response contains it." }),
    expires_at: Timestamp,
  },
  "A link with which a person sets a new password. It works once, and replaces an earlier one.",
);
export type ResetLink = Static<typeof ResetLink>;

export const ResetPassword = bodyObject(
  "ResetPassword",
  { token: Type.String({ minLength: 1, maxLength: 200, description: "From the link." }), password: NewPassword },
  "Sets a new password.",
);
export type ResetPassword = Static<typeof ResetPassword>;

export const TotpSecret = responseObject(
  "TotpSecret",
  { secret: Type.String(), uri: Type.String({ description: "For a QR code." }) },
  "A secret for an authenticator app. It has no effect until it is confirmed.",
);
export type TotpSecret = Static<typeof TotpSecret>;

export const EnableTotp = bodyObject(
  "EnableTotp",
  {
    password: Password,
    secret: Type.String({ pattern: inWords("^[A-Z2-7]{32}$", "must be 32 characters of A-Z and 2-7 (base32)") }),
    totp: Totp,
  },
  "Confirms a new secret with a code that the app derived from it.",
);
export type EnableTotp = Static<typeof EnableTotp>;

export const DisableTotp = bodyObject(
  "DisableTotp",
  { password: Password, totp: Totp },
  "Signs in without codes again.",
);
export type DisableTotp = Static<typeof DisableTotp>;
