import { SecretOnce } from "../../parts/form/secret-once.tsx";

/** Shows the secret once, with a command to test it. */
export function KeySecret(props: { secret: string | undefined; title: string; onClose: () => void }) {
  const test = `curl -s ${location.origin}/v1/me \\\n  -H "Authorization: Bearer ${props.secret}"`;
  return <SecretOnce {...props} variable="MILLRACE_API_KEY" test={test} />;
}
