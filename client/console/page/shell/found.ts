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

const MOST = 100;
const LONGEST = 200;
/** Characters of all questions together, for they stand in an address. */
const LONGEST_IN_ALL = 1_500;

/** What is asked may be a column copied out of a sheet: each line or cell is a question, and none twice. */
export function splitQuestion(text: string): readonly string[] {
  const parts = text.split(/[\r\n\t;]+/).map(part => part.trim().slice(0, LONGEST));
  return [...new Set(parts.filter(part => part !== ''))];
}

/** The address that looks for them all. Where they are too many, it also tells how many were left out. */
export function placeOfQuestions(text: string): string {
  const all = splitQuestion(text);
  const some: string[] = [];
  let length = 0;
  for (const one of all.slice(0, MOST)) {
    length += one.length + 1;
    if (length > LONGEST_IN_ALL) break;
    some.push(one);
  }
  const left = all.length - some.length;
  return withQuery(fillPath('/find/:q', { q: some.join('\n') }), { left: left === 0 ? '' : String(left) });
}
