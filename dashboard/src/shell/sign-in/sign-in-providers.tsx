import type { SignInOptions } from "@millrace/contract/access/sign-in";
import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { call, withQuery } from "../../api/call.ts";

const OPTIONS = ["sign-in"];

/** How people can sign in here. Without a response, the page still offers what needs no provider. */
function useSignInOptions() {
  return useQuery({
    queryKey: OPTIONS,
    queryFn: ({ signal }) => call<SignInOptions>("GET", "/v1/sign-in", { signal }),
  });
}

/** A link to each identity provider, which leads back to the current page. */
export function SignInProviders() {
  const providers = useSignInOptions().data?.providers ?? [];
  if (providers.length === 0) return null;
  const { pathname, search } = location;
  return (
    <section aria-label="Identity providers" className="card mb-4 flex flex-col gap-2 p-5">
      {providers.map(({ id, name, url }) => (
        <a
          key={id}
          href={withQuery(url, { return_to: `${pathname}${search}` })}
          className="flex h-9 items-center justify-center gap-2 rounded-sm bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong"
        >
          <KeyRound size={14} aria-hidden="true" />
          Sign in with {name}
        </a>
      ))}
    </section>
  );
}
