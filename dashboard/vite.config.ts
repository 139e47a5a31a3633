import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The running service to which `npx vite` forwards requests during development. */
const SERVICE = process.env.MILLRACE_URL ?? "http://127.0.0.1:8787";
const proxy = Object.fromEntries(["/v1", "/docs", "/health", "/openapi.json", "/favicon.svg"].map((p) => [p, SERVICE]));

export default defineConfig({
  plugins: [react(), tailwind()],
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
