import { createRoot } from "react-dom/client";
import { App } from "./shell/app.tsx";
import { startEarly } from "./shell/start-early.ts";
import "./style.css";

startEarly();
const root = document.getElementById("app");
if (root) createRoot(root).render(<App />);
