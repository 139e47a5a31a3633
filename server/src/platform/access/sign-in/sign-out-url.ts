import type { Ctx } from "../../context.ts";
import { openProvider } from "./provider-client.ts";
import { SignInFailure } from "./sign-in-failure.ts";

/** Where the provider ends its own session. Null: it offers none, or does not respond. */
export async function signOutUrl(ctx: Ctx, id: string, base_url: string): Promise<string | null> {
  const provider = ctx.config.sign_in.providers.find((each) => each.id === id);
  if (!provider) return null;
  try {
    const { server } = await openProvider(ctx, provider);
    if (!server.end_session_endpoint) return null;
    const url = new URL(server.end_session_endpoint);
    url.searchParams.set("client_id", provider.client_id);
    url.searchParams.set("post_logout_redirect_uri", `${base_url}/`);
    return url.href;
  } catch (error) {
    if (error instanceof SignInFailure) return null;
    throw error;
  }
}
