// What the wire may look like, and what must not pass for a success.
import fc from 'fast-check';
import { z } from 'zod';
import { createRevisions } from '../../../../activities/service/endpoints/document-revisions';
import {
  createUploads,
  listUploads,
  patchUploads,
  readSelectedUploads,
  showUpload,
} from '../../../../activities/service/endpoints/document-uploads';
import {
  createFileUpload,
  patchFileUpload,
  showFileUpload,
} from '../../../../activities/service/endpoints/file-uploads';
import { requestToken, showTokenInfo } from '../../../../activities/service/endpoints/oauth';
import {
  listFields,
  listFieldValues,
  listRequirements,
} from '../../../../activities/service/endpoints/project-rules';
import { listProjectUsers, showProjectUser } from '../../../../activities/service/endpoints/project-users';
import { Secret } from '../../../../activities/service/secret';

const everyAnswer = [
  createRevisions,
  createUploads,
  patchUploads,
  readSelectedUploads,
  showUpload,
  createFileUpload,
  patchFileUpload,
  showFileUpload,
  requestToken,
  showTokenInfo,
  listFields,
  listFieldValues,
  listRequirements,
  listProjectUsers,
  showProjectUser,
].map(endpoint => [endpoint.name, endpoint.response] as const);

const ID = z.string().min(1);
const TEXT = z.string();
const LIST = { id: ID, name: TEXT, label: TEXT };
const ENTRY = { id: 'V1', code: 'DWG', label: 'Drawing', active: true };
const UPLOAD = {
  id: 'U1',
  file_locked: false,
  upload_status: 'COMPLETED',
  fields: [{ id: 'F1', name: 'type', label: 'Type', type: 'lov_entry', values: [ENTRY] }],
  integration_statuses: { ml: 'completed', filename_scraping: { status: 'error' } },
  latest_event_id: 'E1',
  match_criteria: 'm',
  document_container_id: 'C1',
};
const AN_UPLOAD = z.object({
  id: ID,
  fileLocked: z.boolean(),
  uploadStatus: TEXT.nullable(),
  latestEventId: TEXT.nullable(),
  fields: z.array(z.object({ ...LIST, type: TEXT, values: z.array(z.object({ id: TEXT.nullable() })) })),
  integrationStatuses: z.object({ ml: TEXT.nullable(), filenameScraping: TEXT.nullable() }),
});
const SEGMENT = { url: 'https://s.example/1', url_expires_at: 17, headers: { a: 'b', c: 1 } };
const A_SEGMENT = z.object({
  url: ID,
  urlExpiresAtMs: z.number().nullable(),
  headers: z.record(TEXT, TEXT),
});
const FIELD = { id: 'F1', name: 'type', label: 'Type', type: 'lov_entry' };
const USER = { id: 9, name: 'Ann', email_address: 'a@b', permission_template: { id: 7, name: 'Admin' } };
const A_USER = z.object({
  id: ID,
  name: TEXT,
  email: TEXT.nullable(),
  isActive: z.boolean(),
  permissionTemplate: z.object({ id: ID, name: TEXT }).nullable(),
});

/** An answer as the service gives it, and what the product relies on in any answer that it takes. */
const relied: Readonly<Record<string, readonly [unknown, z.ZodType]>> = {
  'revisions.create': [
    { data: { ids: ['R1'], failures: [{ upload_id: 'U1', reason_code: 'X', message: 'm' }] } },
    z.object({
      revisionIds: z.array(ID),
      failures: z.array(z.object({ uploadId: ID, reasonCode: ID, rawCode: TEXT, message: TEXT })),
    }),
  ],
  'uploads.create': [
    { data: [{ id: '01HF7YAT31JZHSMW1CG6Q6MHB7' }] },
    z.array(z.object({ id: ID, fileLocked: z.boolean() })),
  ],
  'uploads.patch': [
    { data: { success: [{ id: 'U1' }], failed: [{ id: 'U2', code: 404, message: 'm' }] } },
    z.object({
      succeededIds: z.array(ID),
      failed: z.array(z.object({ id: ID, code: TEXT, message: TEXT })),
    }),
  ],
  'uploads.selected': [{ data: [UPLOAD] }, z.array(AN_UPLOAD.nullable())],
  'uploads.show': [{ data: UPLOAD }, AN_UPLOAD],
  'files.create': [
    { data: { upload_id: 'F1', status: 'ready', upload_expires_at: 1, segments: [SEGMENT] } },
    z.object({
      id: ID,
      status: ID,
      expiresAtMs: z.number().nullable(),
      segments: z.array(A_SEGMENT),
    }),
  ],
  'files.patch': [{ data: { upload_id: 'F1', status: 'complete' } }, z.object({ id: ID, status: ID })],
  'files.show': [
    { data: { upload_id: 'F1', status: 'receiving', segments: [SEGMENT], file_size: 1 } },
    z.object({
      id: ID,
      status: ID,
      sizeBytes: z.number().nullable(),
      freshSegments: z.array(A_SEGMENT),
    }),
  ],
  'oauth.token': [
    { access_token: 'a', refresh_token: 'r', expires_in: 5400 },
    z.object({
      accessToken: z.instanceof(Secret),
      refreshToken: z.instanceof(Secret).nullable(),
      lifetimeMs: z.number().nonnegative().nullable(),
    }),
  ],
  'oauth.info': [
    { resource_owner_id: 1, scopes: ['x'], expires_in_seconds: 5, application: { uid: 'u' } },
    z.object({
      resourceOwnerId: ID.nullable(),
      scopes: z.array(TEXT),
      expiresInMs: z.number().nullable(),
    }),
  ],
  'fields.list': [{ data: [FIELD] }, z.array(z.object({ ...LIST, type: ID, isReadonly: z.boolean() }))],
  'field-values.list': [
    { data: [ENTRY] },
    z.array(z.object({ id: ID, code: TEXT.nullable(), label: TEXT, active: z.boolean() })),
  ],
  'requirements.list': [
    {
      data: [
        {
          id: 'Q1',
          naming_standard: { id: 'N1', name: 's', fields: [FIELD] },
          fields_required_by_project: [FIELD],
          rule_qualifiers: [{ type: 'x', field: FIELD, acceptable_values: [ENTRY] }],
        },
      ],
    },
    z.array(
      z.object({
        id: ID,
        namingStandard: z.object({ id: ID, fields: z.array(z.object(LIST)) }).nullable(),
        fieldsRequiredByProject: z.array(z.object(LIST)),
        ruleQualifiers: z.array(
          z.object({ field: z.object(LIST), acceptableValues: z.array(z.object({ id: ID })) }),
        ),
        allowDuplicateRevisions: z.boolean(),
      }),
    ),
  ],
  'users.list': [[USER], z.array(A_USER)],
  'users.show': [USER, A_USER],
};

/** Every place in a JSON value, the whole of it first. */
function placesIn(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

test.each(everyAnswer)(
  '%s: with anything at all in any place of it, it is refused or can be relied on',
  (name, schema) => {
    const [sample, expected] = relied[name]!;
    expect(expected.safeParse(schema.parse(sample)).error).toBeUndefined();
    const places = placesIn(sample);
    const odd = fc.oneof(
      fc.constantFrom(null, '', 0, -1, 1e308, false, [], {}, [null], { id: null }),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), odd, (place, value) => {
        const answer = schema.safeParse(replaced(sample, place, value));
        if (answer.success) expect(expected.safeParse(answer.data).error).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  },
);

test.each(everyAnswer.filter(([name]) => name !== 'oauth.info'))(
  '%s takes no empty object for a success',
  (_, schema) => {
    for (const body of [{}, { data: {} }, { data: null }, null, '', []]) {
      const isEmptyList = Array.isArray(body) && schema.safeParse(body).success;
      if (!isEmptyList) expect(schema.safeParse(body).success).toBe(false);
    }
  },
);

test('Step 6: an answer without the success list says nothing of what was done', () => {
  expect(patchUploads.response.safeParse({ data: { failed: [] } }).success).toBe(false);
  expect(patchUploads.response.parse({ data: { success: [{ id: 'U1' }] } })).toEqual({
    succeededIds: ['U1'],
    failed: [],
  });
  expect(
    patchUploads.response.parse({
      data: { success: [], failed: [{ id: 'U2', code: 404, message: 'm', more: 1 }] },
    }),
  ).toEqual({ succeededIds: [], failed: [{ id: 'U2', code: '404', message: 'm' }] });
});

test('Step 8: failures are read on success, unknown codes too', () => {
  expect(
    createRevisions.response.parse({
      data: {
        ids: ['R1'],
        failures: [
          { upload_id: 'U1', reason_code: 'CONCURRENCY_CONFLICT', message: 'm' },
          { upload_id: 'U2', reason_code: 'NEW_ONE' },
        ],
        failureIds: ['U1'],
      },
    }),
  ).toEqual({
    revisionIds: ['R1'],
    failures: [
      { uploadId: 'U1', reasonCode: 'CONCURRENCY_CONFLICT', rawCode: 'CONCURRENCY_CONFLICT', message: 'm' },
      { uploadId: 'U2', reasonCode: 'OTHER', rawCode: 'NEW_ONE', message: '' },
    ],
  });
  expect(createRevisions.response.parse({ data: { ids: [], failures: null } }).failures).toEqual([]);
  // A failure that names no upload could be anybody's: the answer cannot be used.
  expect(
    createRevisions.response.safeParse({ data: { ids: [], failures: [{ reason_code: 'X' }] } }).success,
  ).toBe(false);
});

test('Step 7: every form that integration statuses and values may have', () => {
  const upload = (more: object) => showUpload.response.parse({ data: { id: 'U1', ...more } });
  expect(upload({})).toMatchObject({
    fields: [],
    uploadStatus: null,
    latestEventId: null,
    integrationStatuses: { ml: null, filenameScraping: null },
  });
  expect(
    upload({ integration_statuses: { ml: 'in_progress', filename_scraping: { status: 'error' } } }),
  ).toMatchObject({
    integrationStatuses: { ml: 'in_progress', filenameScraping: 'error' },
  });
  expect(upload({ integration_statuses: { ml: 'brand_new', filename_scraping: null } })).toMatchObject({
    integrationStatuses: { ml: 'other', filenameScraping: null },
  });
  expect(
    upload({
      upload_status: 'COMPLETED',
      latest_event_id: 'E1',
      fields: [
        {
          id: 'F1',
          name: 'type',
          type: 'lov_entry',
          values: [{ id: 'V1', code: 'DWG', label: 'Drawing', active: true }],
        },
        {
          id: 'F2',
          name: 'number',
          type: 'string',
          values: [{ label: 17 }],
          label_source: 'ML',
          confidence_score: 0.4,
        },
        { id: 'F3', name: 'x', type: 'hologram', values: null, label_source: 'NEW' },
      ],
    }),
  ).toMatchObject({
    latestEventId: 'E1',
    fields: [
      {
        id: 'F1',
        label: 'type',
        type: 'lov_entry',
        values: [{ id: 'V1', label: 'Drawing' }],
        labelSource: null,
      },
      { id: 'F2', values: [{ id: null, label: '17' }], labelSource: 'ML', confidenceScore: 0.4 },
      { id: 'F3', type: 'other', values: [], labelSource: 'other' },
    ],
  });
});

test('one upload of many that cannot be read is none, in its place; a list that is none is a fault', () => {
  for (const { response } of [readSelectedUploads, listUploads]) {
    const data = [{ id: 'U1' }, { id: 'U2', fields: [{ name: 'x' }] }, 'odd', { id: 'U4' }];
    expect(response.parse({ data }).map(upload => upload?.id)).toEqual(['U1', undefined, undefined, 'U4']);
    expect(response.safeParse({ data: { 0: { id: 'U1' } } }).success).toBe(false);
  }
});

test.each([
  ['match_criteria', 'matchCriteria', 2_000],
  ['latest_event_id', 'latestEventId', 200],
] as const)('Step 7: %s that nothing of ours can carry is none', (key, name, most) => {
  const read = (text: unknown) => showUpload.response.parse({ data: { id: 'U1', [key]: text } })[name];
  expect(read('x'.repeat(most))).toBe('x'.repeat(most));
  expect(read(17)).toBe('17');
  expect([read(''), read('x'.repeat(most + 1)), read(null)]).toEqual([null, null, null]);
});

test('Step 1: qualifiers and naming standard', () => {
  expect(
    listRequirements.response.parse({
      data: [
        {
          id: 'Q1',
          naming_standard: {
            id: 'N1',
            name: 'std',
            fields: [{ id: 'F1', name: 'type', label: 'Type', type: 'lov_entry' }],
          },
          rule_qualifiers: [
            {
              type: 'x',
              field: { id: 'F1', name: 'type' },
              acceptable_values: [{ id: 'V1', label: 'Drawing' }],
            },
          ],
          fields_required_by_project: [{ id: 'F2', name: 'name', label: 'Name', type: 'string' }],
          allow_duplicate_revisions: false,
        },
        { id: 'Q2' },
      ],
    }),
  ).toMatchObject([
    {
      namingStandard: { fields: [{ id: 'F1' }] },
      ruleQualifiers: [{ field: { id: 'F1' }, acceptableValues: [{ id: 'V1', active: true }] }],
      allowDuplicateRevisions: false,
    },
    { namingStandard: null, ruleQualifiers: [], allowDuplicateRevisions: true },
  ]);
});

test('Step 5: addresses for the segments still missing, none once all have come', () => {
  const segment = {
    url: 'https://s.example/1?sig=x',
    url_expires_at: 1_700_000_000,
    headers: { 'x-amz-a': 'b', n: 1 },
  };
  expect(
    createFileUpload.response.parse({
      data: { upload_id: 'F1', status: 'ready', upload_expires_at: 1_700_000_100, segments: [segment] },
    }),
  ).toEqual({
    id: 'F1',
    status: 'ready',
    expiresAtMs: 1_700_000_100_000,
    segments: [{ url: segment.url, urlExpiresAtMs: 1_700_000_000_000, headers: { 'x-amz-a': 'b', n: '1' } }],
  });
  const show = (more: object) => showFileUpload.response.parse({ data: { upload_id: 'F1', ...more } });
  expect(show({ status: 'receiving', segments: [{ size: 5 }, segment] }).freshSegments).toHaveLength(1);
  expect(show({ status: 'scanning' })).toMatchObject({ status: 'scanning', freshSegments: [] });
  expect(show({ status: 'frozen', segments: null })).toMatchObject({ status: 'other', freshSegments: [] });
});

test('users come with what the caller may see', () => {
  expect(
    listProjectUsers.response.parse([
      { id: 9001, name: 'Ann Lee', permission_template: { id: 7, name: 'Admin' }, email_address: 'a@b' },
      { id: 9002, first_name: 'Bo', last_name: 'Yi' },
    ]),
  ).toMatchObject([
    { id: '9001', name: 'Ann Lee', email: 'a@b', permissionTemplate: { id: '7', name: 'Admin' } },
    { id: '9002', name: 'Bo Yi', email: null, permissionTemplate: null },
  ]);
});

test.each([
  [
    showUpload,
    {
      id: 'U1',
      file_locked: false,
      upload_status: 'COMPLETED',
      fields: [],
      integration_statuses: {},
      latest_event_id: 'E',
      match_criteria: 'm',
      document_container_id: 'C',
    },
    ['id'],
  ],
  [
    showFileUpload,
    {
      upload_id: 'F1',
      status: 'ready',
      file_name: 'a',
      content_type: 'c',
      file_size: 1,
      segments: [],
    },
    ['upload_id'],
  ],
  [
    createFileUpload,
    { upload_id: 'F1', status: 'ready', upload_expires_at: 1, segments: [] },
    ['upload_id', 'segments'],
  ],
] as const)('keys that may be null or absent are either', (endpoint, sample, needed) => {
  for (const key of Object.keys(sample)) {
    const without = Object.fromEntries(Object.entries(sample).filter(([other]) => other !== key));
    const isNeeded = (needed as readonly string[]).includes(key);
    expect([key, endpoint.response.safeParse({ data: without }).success]).toEqual([key, !isNeeded]);
    expect([key, endpoint.response.safeParse({ data: { ...sample, [key]: null } }).success]).toEqual([
      key,
      !isNeeded,
    ]);
  }
});

test.each(['5400', -1, 1e308, {}, null, undefined])(
  'a token whose lifetime is told as %p is taken all the same',
  expires_in => {
    const tokens = requestToken.response.parse({ access_token: 'a', refresh_token: 'r', expires_in });
    expect(tokens.lifetimeMs).toBeNull();
    expect(tokens.refreshToken?.reveal()).toBe('r');
  },
);

test('times on the wire are seconds', () => {
  expect(requestToken.response.parse({ access_token: 'a', expires_in: 5_400 }).lifetimeMs).toBe(5_400_000);
  expect(showTokenInfo.response.parse({ expires_in_seconds: 60, created_at: 1_700_000_000 })).toMatchObject({
    expiresInMs: 60_000,
    createdAtMs: 1_700_000_000_000,
  });
});

test('nothing in a list is left out of it, and fails nobody', () => {
  const field = { id: 'F1', name: 'type', type: 'string', values: [null, { label: 'x' }] };
  const { fields } = showUpload.response.parse({ data: { id: 'U1', fields: [null, field] } });
  expect(fields).toMatchObject([{ id: 'F1', values: [{ label: 'x' }] }]);
});
