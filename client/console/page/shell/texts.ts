// All that the page says to people, in English. A second language is a second list of these files. Words of
// outcomes are those of sheets and status files: they stand in activities/registers/words/.
import { apart } from './texts/apart';
import { common } from './texts/common';
import { drop } from './texts/drop';
import { find } from './texts/find';
import { job } from './texts/job';
import { jobs } from './texts/jobs';
import { me } from './texts/me';
import { operations } from './texts/operations';
import { waiting } from './texts/waiting';

export const texts = { common, jobs, me, operations, find, job, drop, waiting, apart } as const;
