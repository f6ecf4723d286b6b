import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a job of the share has no receipt yet; what begins with a dot is on its way out. */
export function hasOpenJobs(shareFolder: string): boolean {
  const jobs = join(shareFolder, '.drawbridge', 'jobs');
  return existsSync(jobs) && readdirSync(jobs).some(name => !name.startsWith('.'));
}
