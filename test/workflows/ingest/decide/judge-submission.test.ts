import { findNamed, judgeSubmission } from '../../../../workflows/ingest/decide/judge-submission';

const [one, two, three] = ['u1', 'u2', 'u3'].map(uploadId => ({ uploadId })) as [
  { uploadId: string },
  { uploadId: string },
  { uploadId: string },
];
const gone = { reasonCode: 'UPLOAD_NOT_FOUND', message: 'It is gone.' };
const invalid = { reasonCode: 'INVALID_PROPERTY', message: 'It lacks a value.' };

describe('judgeSubmission', () => {
  test('whoever did not fail is accepted, with the revisions in the order of the request', () => {
    const failures = [{ ...gone, uploadId: 'u2' }];

    expect(judgeSubmission([one, two, three], { revisionIds: ['r1', 'r3'], failures })).toEqual({
      kind: 'told',
      accepted: [
        { item: one, revisionId: 'r1', paired: 'by-order' },
        { item: three, revisionId: 'r3', paired: 'by-order' },
      ],
      refused: [{ item: two, refusal: { ...gone, uploadId: 'u2' } }],
    });
  });

  test.each([
    ['a failure that names no upload', ['r1'], [gone]],
    ['a failure that names no upload, beside a revision for each', ['r1', 'r2'], [gone]],
    ['fewer revisions than there are others', [], [{ ...gone, uploadId: 'u2' }]],
    ['a revision for one that failed', ['r1', 'r2'], [{ ...gone, uploadId: 'u2' }]],
  ])('%s: each upload must be looked at', (_what, revisionIds, failures) => {
    expect(judgeSubmission([one, two], { revisionIds, failures })).toEqual({ kind: 'look' });
  });
});

describe('findNamed', () => {
  test('names each once, by the first that is said of it', () => {
    const refusals = [
      { ...gone, uploadId: 'u2' },
      { ...invalid, uploadId: 'u2' },
      { ...invalid, uploadId: 'u1' },
    ];

    expect(findNamed([one, two, three], refusals)).toEqual([
      { item: two, refusal: { ...gone, uploadId: 'u2' } },
      { item: one, refusal: { ...invalid, uploadId: 'u1' } },
    ]);
  });

  test('an upload that was not asked for is nobody, and so is none', () => {
    expect(findNamed([one], [{ ...gone, uploadId: 'u9' }, invalid])).toEqual([]);
  });
});
