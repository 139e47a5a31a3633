import type { Config } from "../../settings/config.ts";
import type { SignInProvider } from "../../settings/sign-in-settings.ts";
import { SignInFailure } from "./sign-in-failure.ts";

const MAX_SUBJECT_LENGTH = 255;

/**
 * A provider's `sub` is only unique among its own people. Those of the issuer in OIDC_ISSUER are subjects as they are,
 * so that a person is the same with a bearer token and in the dashboard; others are prefixed with the provider.
 */
export function subjectOf(config: Config, { id, issuer }: SignInProvider, sub: string): string {
  const isPlain = issuer === config.oidc?.issuer;
  const subject = isPlain ? sub : `${id}:${sub}`;
  if ((isPlain && isReserved(config, sub)) || subject.length > MAX_SUBJECT_LENGTH)
    throw new SignInFailure("wrong_answer", "the claim sub cannot be a subject");
  return subject;
}

/** Whether a subject without a prefix looks like one that has it: one issuer's people must not pass for another's. */
export function isReserved({ sign_in }: Config, sub: string): boolean {
  return ["local", ...sign_in.providers.map(({ id }) => id)].some((prefix) => sub.startsWith(`${prefix}:`));
}
