// What is found, of one question or of many.
export const find = {
  title: 'Find',
  left: (count: string) => `${count} more were pasted than are looked for at one time.`,
  looking: 'Looking',
  none: 'Nothing of that name is known here.',
  noneMeans: 'Looked for numbers, files, checksums, uploads, revisions, jobs and people.',
  several: (count: string) => `${count} found: what is called exactly so first, then the newest.`,
  more: 'There are more. Write more of the name.',
  verdicts: (found: string, all: string) => `${found} of ${all} are known here.`,
  table: 'What became of each',
  columns: { asked: 'Asked for', outcome: 'Outcome', found: 'Document', job: 'Job', since: 'Since' },
  copy: 'Copy as a table',
  jobOf: (name: string) => `Job ${name}`,
  jobsOf: (name: string, jobs: string) => `${name}, ${jobs} jobs`,
} as const;
