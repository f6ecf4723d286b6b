import fc from 'fast-check';
import { parseReasons } from '../../../activities/service/reasons';
import { errorOf, makeThing, useClientBed } from './client-bed';
import { raw } from './scripted-service';

const bed = useClientBed();

test.each([
  [
    {
      error: {
        code: 'BAD_REQUEST',
        message: 'm',
        details: [{ reason_code: 'INVALID_PROPERTY', message: 'x' }],
      },
    },
    ['INVALID_PROPERTY'],
  ],
  [{ error: { code: 'FORBIDDEN', message: 'm' } }, ['FORBIDDEN']],
  [{ error: 'invalid_grant', error_description: 'used' }, ['invalid_grant']],
  [{ errors: { name: ["can't be blank", 'is short'], date: 'is wrong' } }, ['', '']],
  [{ errors: ['a', 'b'] }, ['', '']],
  [{ errors: 'all wrong' }, ['']],
  [{ message: 'no' }, ['']],
  [{ reason: 'no' }, ['']],
  [{ reason_code: 'PROJECT_NOT_FOUND', message: 'no' }, ['PROJECT_NOT_FOUND']],
  [{ reason_code: 'PROJECT_NOT_FOUND' }, ['PROJECT_NOT_FOUND']],
  [{ code: 'BAD_REQUEST', reason_code: 'INVALID_INPUT', message: 'no' }, ['INVALID_INPUT']],
  [{ error: { reason_code: 'PROJECT_NOT_FOUND', message: 'm' } }, ['PROJECT_NOT_FOUND']],
  [{ code: '404', message: 'no' }, ['']],
  [{ code: 404 }, []],
  ['plain text', ['']],
  [{}, []],
  [null, []],
  [7, []],
])('%j gives the codes %j', (body, codes) => {
  expect(parseReasons(body).map(reason => reason.rawCode)).toEqual(codes);
});

test.each([
  ['of each field', { name: ["can't be blank", 'is short'], date: 'is wrong' }, ['name', 'date']],
  ['of a field within another', { user: { address: { zip: ['is wrong'] } } }, ['user.address.zip']],
  ['of a field without words', { due_date: [] }, ['due_date']],
  ['of none', 'all wrong', [undefined]],
  ['of a list that names none', ['a', { message: 'b' }], [undefined, undefined]],
  ['of a list of details', [{ message: 'b', field: 'date' }], ['date']],
])('complaints %s keep the name of what they are about', (_, errors, properties) => {
  expect(parseReasons({ errors }).map(reason => reason.property)).toEqual(properties);
});

test.each(['property', 'field', 'path', 'parameter'])('a detail names its field as its %s', key => {
  const details = [{ reason_code: 'INVALID_PROPERTY', message: 'm', [key]: 'fields[0].values' }];
  expect(parseReasons({ error: { details } })).toMatchObject([{ property: 'fields[0].values' }]);
});

test('several details are several reasons, unknown codes OTHER', () => {
  const details = [{ reason_code: 'DUPLICATE_REVISION' }, { reason_code: 'BRAND_NEW' }];
  expect(parseReasons({ error: { details } }).map(reason => reason.reasonCode)).toEqual([
    'DUPLICATE_REVISION',
    'OTHER',
  ]);
});

test('a workflow conflict keeps what people need to decide', () => {
  const [reason] = parseReasons({
    error: {
      code: 'VALIDATION_ERROR',
      details: [
        {
          reason_code: 'WORKFLOW_CONFLICT',
          message: 'm',
          source: 'U1',
          document_container_id: 'C1',
          existing_revisions_with_workflows: [
            {
              id: 'R1',
              name: 'A-1',
              revision: 'B',
              workflow_instance_id: 'W1',
              assigned_workflow: { id: 'AW', name: 'Review' },
              workflow_current_step: 'Check',
              status: 'In Review',
            },
          ],
          conflicting_uploads_with_workflow: [{ id: 'U2', name: 'A-1', revision: 'C' }],
        },
      ],
    },
  });
  expect(reason).toEqual({
    reasonCode: 'WORKFLOW_CONFLICT',
    rawCode: 'WORKFLOW_CONFLICT',
    message: 'm',
    source: 'U1',
    conflict: {
      documentContainerId: 'C1',
      existingRevisions: [
        {
          id: 'R1',
          name: 'A-1',
          revision: 'B',
          workflowInstanceId: 'W1',
          assignedWorkflow: 'Review',
          workflowCurrentStep: 'Check',
          status: 'In Review',
        },
      ],
      conflictingUploads: [{ id: 'U2', name: 'A-1', revision: 'C' }],
      identity: expect.stringMatching(/^[\w-]{22}$/),
    },
  });
});

describe('the reviews of a conflict are known again', () => {
  const identityOf = (reviews: readonly unknown[], uploads: readonly unknown[] = []) =>
    parseReasons({
      error: {
        details: [
          {
            reason_code: 'WORKFLOW_CONFLICT',
            existing_revisions_with_workflows: reviews,
            conflicting_uploads_with_workflow: uploads,
          },
        ],
      },
    })[0]?.conflict?.identity;
  const review = (instance: unknown, step = 'Check') => ({
    id: 'R1',
    workflow_instance_id: instance,
    workflow_current_step: step,
  });

  test('at another step, and in another order', () => {
    const both = identityOf([review('W1'), review('W2')]);
    expect(both).toBeDefined();
    expect(identityOf([review('W2', 'Approve'), review('W1')])).toBe(both);
    expect(identityOf([review(7)])).toBe(identityOf([review('7')]));
  });

  test('and no others are taken for them, however many there are', () => {
    const many = Array.from({ length: 30 }, (_, index) => review(`W${index}`));
    const long = 'W'.repeat(300);
    const all = [
      [review('W1')],
      [review('W2')],
      [review('W1'), review('W2')],
      many,
      [...many.slice(0, 29), review('W99')],
      [review(`${long}1`)],
      [review(`${long}2`)],
    ].map(reviews => identityOf(reviews));
    const ofUploads = [identityOf([], [{ id: 'W1' }]), identityOf([review('W1')], [{ id: 'U1' }])];
    expect(new Set([...all, ...ofUploads]).size).toBe(9);
  });

  test.each([
    ['none is named', [], []],
    ['one of them has no id', [review('W1'), review('')], []],
    ['one of them is no object', [review('W1'), null], []],
    ['an upload has none', [review('W1')], [{ name: 'A-1' }]],
  ])('not where %s', (_, reviews, uploads) => {
    expect(identityOf(reviews, uploads)).toBeUndefined();
  });
});

test('no body crashes the reading, and what is kept stays small', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        fc.object({
          key: fc.constantFrom(
            'error',
            'errors',
            'details',
            'reason_code',
            'message',
            'source',
            'code',
            '__proto__',
          ),
          maxDepth: 5,
        }),
      ),
      body => {
        const reasons = parseReasons(body);
        for (const reason of reasons) {
          expect(reason.rawCode.length).toBeLessThanOrEqual(64);
          expect(reason.message.length).toBeLessThanOrEqual(300);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('deeply nested bodies are no trouble', () => {
  const deep = `${'{"error":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  expect(() => parseReasons(JSON.parse(deep))).not.toThrow();
});

test('an answer outside success never becomes one, whatever its body', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(400, 403, 404, 409, 410, 418, 422, 500, 502, 503, 504, 599),
      fc.oneof(fc.json(), fc.string(), fc.constant('{"data":{"id":"a"}}')),
      fc.constantFrom('application/json', 'text/html', 'text/plain', 'application/problem+json', ''),
      async (status, body, type) => {
        bed().service.answer((_, response) =>
          raw(response, status, body, type === '' ? {} : { 'content-type': type }),
        );
        const error = await errorOf(
          bed().client.send(makeThing, { params: {}, body: { name: 'x' }, companyId: '1' }),
        );
        expect(error.effect === 'unknown' || status < 500).toBe(true);
        expect(error.code).toMatch(
          /^(SERVICE_UNAVAILABLE|INTERNAL_ERROR|REQUEST_REFUSED|NOT_FOUND|GONE|ACCESS_DENIED)$/,
        );
      },
    ),
    { numRuns: 150 },
  );
});

test('a secret of ours that the service sends back is told to nobody, wherever it stands', () => {
  const bodies = [
    'token s3cret refused',
    { error: 's3cret', error_description: 'token s3cret refused' },
    { errors: { s3cret: ['token s3cret refused'] } },
    {
      error: {
        details: [
          { reason_code: 's3cret', message: 'token s3cret refused', source: 's3cret', field: 's3cret' },
        ],
      },
    },
  ];
  for (const body of bodies) {
    const told = parseReasons(body, ['s3cret']);
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toMatch(/^token .+ refused$/);
    expect(JSON.stringify(told)).not.toContain('s3cret');
  }
});
