// All that the server of the page says to people, in English; what its views say is in page/shell/texts.ts.
// A second language is a second list of both. What stands in receipts and on the share is a record, and stays
// as it was written; so does what is for engineers: logs, runs, the words of the interface.
import { access } from './access';
import { apart } from './apart';
import { asked } from './asked';
import { drop } from './drop';
import { jobs } from './jobs';
import { operations } from './operations';
import { waiting } from './waiting';

export const texts = { access, apart, asked, drop, jobs, operations, waiting } as const;
