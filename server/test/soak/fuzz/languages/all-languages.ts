import { capsules } from "./capsules.ts";
import { conditions } from "./conditions.ts";
import { cron } from "./cron.ts";
import { json } from "./json.ts";
import type { Language } from "./language.ts";
import { queries } from "./queries.ts";
import { schemas } from "./schemas.ts";
import { templates } from "./templates.ts";

export const LANGUAGES: Record<string, Language> = { json, schemas, conditions, templates, cron, queries, capsules };
