// All that the server of the page says to people, in English; what its views say is in page/shell/texts.ts. A
// second language is a second list of both. What stands in receipts and on the share is a record, and stays as
// it was written; so does what is for engineers: logs, runs, the words of the interface.
import { access } from './texts/access';
import { apart } from './texts/apart';
import { asked } from './texts/asked';
import { drop } from './texts/drop';
import { jobs } from './texts/jobs';
import { operations } from './texts/operations';
import { waiting } from './texts/waiting';

export const texts = { access, apart, asked, drop, jobs, operations, waiting } as const;
