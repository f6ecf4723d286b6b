// Where a found thing is shown.

import { fillPath, withQuery } from './address';
import type { Answer } from './api';

type Found = Answer<'GET /api/find'>['found'][number];

export function placeOfFound(found: Found): string {
  if (found.kind === 'person') return withQuery('/jobs', { by: found.label });
  const { share, job } = found;
  return found.kind === 'job'
    ? fillPath('/jobs/:share/:job', { share, job })
    : fillPath('/jobs/:share/:job/:key', { share, job, key: found.key });
}
