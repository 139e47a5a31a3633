import { createRoot } from "react-dom/client";
import { App } from "./shell/app.tsx";
import { preload } from "./shell/preload.ts";
import "./style.css";

preload();
const root = document.getElementById("app");
if (root) createRoot(root).render(<App />);
