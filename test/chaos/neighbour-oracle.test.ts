// The oracle of the part `neighbours` notices each of what must never be, and nothing else.
import { judgeNeighbours, type NeighbourEvidence } from './neighbour-oracle';

const HIDDEN = { name: 'token.pdf', sha256: 'hidden', inode: 7, links: 1 };

const CLEAN: NeighbourEvidence = {
  before: [HIDDEN],
  after: [HIDDEN],
  leaked: [],
  received: ['of others', 'of the stranger'],
  revisions: ['of others', 'of the stranger'],
  planted: ['planted'],
  honest: new Map([['others/plan.pdf', 'of others']]),
  report: { deeds: { a: 1, b: 1, c: 1, d: 1, e: 1 }, refused: 3, reached: [] },
};

test('finds nothing where nothing is', () => {
  expect(judgeNeighbours(CLEAN)).toEqual([]);
});

test.each<[string, string, Partial<NeighbourEvidence>]>([
  ['a private file that was moved', 'no private file is moved, linked or changed', { after: [] }],
  [
    'one that was moved there and back by a copy',
    'no private file is moved, linked or changed',
    { after: [{ ...HIDDEN, inode: 8 }] },
  ],
  [
    'a file left beside it',
    'no private file is moved, linked or changed',
    { after: [HIDDEN, { ...HIDDEN, name: 'x' }] },
  ],
  ['its bytes on the share', 'no private byte comes to the share', { leaked: ['done/x/plan.pdf'] }],
  ['its bytes sent', 'no private file reaches the service', { received: ['of others', 'hidden'] }],
  [
    'a planted file as a revision',
    'nothing planted reaches the service',
    { revisions: ['of others', 'planted'] },
  ],
  ['a file of others lost', 'files of others become revisions once', { revisions: [] }],
  ['one doubled', 'files of others become revisions once', { revisions: ['of others', 'of others'] }],
  [
    'something gained',
    'a stranger gains nothing',
    { report: { ...CLEAN.report, reached: ['read done/token.pdf'] } },
  ],
  ['a stranger who does nothing', 'the stranger tries', { report: { deeds: {}, refused: 0, reached: [] } }],
])('notices %s', (_, invariant, doctored) => {
  expect(judgeNeighbours({ ...CLEAN, ...doctored }).map(([told]) => told)).toEqual([invariant]);
});
