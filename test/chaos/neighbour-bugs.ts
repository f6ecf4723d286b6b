// Protections that are taken out of the product on purpose, one at a time; the
// case that must notice is named.
import type { Edit, Sought } from './seeded-bugs';

export interface NeighbourBug extends Sought {
  readonly case: string;
  readonly edits: readonly Edit[];
}

const ATTACHMENTS = 'activities/share/drop/attachments.js';
const SEALS = 'activities/share/files/seals.js';

export const NEIGHBOUR_BUGS: readonly NeighbourBug[] = [
  {
    name: 'folders are opened through links',
    case: 'claims, one after the other',
    tells: ['no private file is moved, linked or changed', 'no private file reaches the service'],
    edits: [
      {
        file: 'activities/share/files/open-folder.js',
        from: 'node_fs_1.constants.O_DIRECTORY | node_fs_1.constants.O_NOFOLLOW',
        to: 'node_fs_1.constants.O_DIRECTORY',
      },
    ],
  },
  {
    name: 'attachments are opened through links',
    case: 'attachments of observations',
    tells: ['no private file reaches the service'],
    edits: [
      {
        file: ATTACHMENTS,
        from: 'node_fs_1.constants.O_RDONLY | (node_fs_1.constants.O_NOFOLLOW ?? 0)',
        to: 'node_fs_1.constants.O_RDONLY',
      },
      // What was opened through a link is not what lies there: that alone would keep it from being sent.
      { file: ATTACHMENTS, from: "if (names === 'exchanged')", to: 'if (false)' },
    ],
  },
  {
    name: 'a seal is not looked at',
    case: 'a dropper beside the whole product',
    tells: ['nothing planted reaches the service'],
    edits: [
      { file: SEALS, from: 'check(kind, label, file) {', to: 'check(kind, label, file) { return;' },
      {
        file: 'activities/share/batch/manifest.js',
        from: 'if (project !== undefined && !isSameProject(',
        to: 'if (false && !isSameProject(',
      },
    ],
  },
  {
    name: 'planted folders count against the intake',
    case: 'a dropper beside the whole product',
    tells: ['files of others become revisions once', '15 everything ends'],
    edits: [
      {
        file: 'activities/share/claim/open-batches.js',
        from: 'return isProven && ',
        to: 'return ',
      },
    ],
  },
  {
    name: 'a folder of ours that belongs to somebody else is used',
    case: 'folders of ours made beforehand',
    tells: ['our folder belongs to us'],
    edits: [
      {
        file: 'activities/share/resolve-layout.js',
        from: 'if (faults.length === 0 && own !== undefined)\n        await checkOurs(own, checking);',
        to: '',
      },
    ],
  },
];
