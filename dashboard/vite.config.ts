import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The running service to which `npx vite` forwards requests during development. */
const SERVICE = process.env.MILLRACE_URL ?? "http://127.0.0.1:8787";
const proxy = Object.fromEntries(["/v1", "/docs", "/health", "/openapi.json", "/favicon.svg"].map((p) => [p, SERVICE]));

/**
 * The editor's style sheets are constructed for the document too, not only for shadow roots: the Content Security Policy
 * forbids the style element that it would add otherwise.
 */
const constructedStyles: Plugin = {
  name: "constructed-styles",
  transform(code, id) {
    if (!id.includes("/style-mod/")) return undefined;
    const changed = code.replace("!root.head && root.adoptedStyleSheets", "root.adoptedStyleSheets");
    if (changed === code) this.error("style-mod chooses its style sheets in another way");
    return { code: changed, map: null };
  },
};

export default defineConfig({
  plugins: [react(), tailwind(), constructedStyles],
  resolve: { alias: { typebox: new URL("./src/api/no-typebox.ts", import.meta.url).pathname } },
  server: { proxy },
  build: {
    target: ["chrome123", "firefox128", "safari17.5"], // the first versions that support light-dark()
    assetsInlineLimit: 0, // the Content Security Policy forbids data: fonts
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: "assets/js/[name]-[hash].js",
        chunkFileNames: "assets/js/[name]-[hash].js",
        assetFileNames: ({ names }) =>
          names.some((name) => name.endsWith(".css"))
            ? "assets/css/[name]-[hash][extname]"
            : "assets/fonts/[name]-[hash][extname]",
      },
    },
  },
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "assets/js/[name]-[hash].js" } } },
});
