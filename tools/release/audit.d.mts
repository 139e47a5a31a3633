export function audit(
  folder: string,
  env?: NodeJS.ProcessEnv,
): Promise<{ vulnerabilities: string[]; undone: string | undefined }>;
